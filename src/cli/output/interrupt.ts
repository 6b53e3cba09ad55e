import type { CliWorld } from '../world.ts';
import type { Progress } from './progress.ts';

/** Runs the pipeline; Ctrl-C ends the agents. Further ones change nothing: the records are being written. */
export async function interruptible<T>(
  world: CliWorld,
  progress: Pick<Progress, 'note' | typeof Symbol.dispose>,
  controller: AbortController,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using _progress = progress;
  using _listener = world.onInterrupt(() => {
    const again = controller.signal.aborted;
    controller.abort();
    progress.note(
      again
        ? 'still stopping the agents: they have 5 seconds, then they are killed, and their work is recorded'
        : 'interrupted: stopping the agents; their work so far is recorded',
    );
  });
  return await work(controller.signal);
}
