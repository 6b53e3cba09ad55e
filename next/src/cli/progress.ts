import { Progress } from '../report/progress.ts';
import type { EngineEvent } from '../run/events.ts';
import { tableScreenOf } from './print.ts';
import type { World } from './world.ts';

/** Shows the events of a call on stderr: a live table on a terminal, lines in a log, nothing with `--quiet`. */
export interface ProgressDisplay extends Disposable {
  observe(event: EngineEvent): void;
  /** Removes the live table: the answer follows. */
  end(): void;
}

const REFRESH_MS = 200;

export function showProgress({ err }: World, { quiet = false, verbose = false, json = false }): ProgressDisplay {
  if (quiet) return { observe: () => undefined, end: () => undefined, [Symbol.dispose]: () => undefined };
  const progress = new Progress(verbose);
  const isLive = err.isInteractive && !verbose && !json;
  let lines = 0;
  const clear = (): void => {
    if (lines > 0) err.write(`\u001b[${lines}A\u001b[0J`);
    lines = 0;
  };
  const draw = (): void => {
    const table = progress.render(new Date().toISOString(), Math.max(1, (err.rows || 24) - 4), tableScreenOf(err));
    clear();
    err.write(table);
    lines = table.split('\n').length - 1;
  };
  const timer = isLive ? setInterval(draw, REFRESH_MS) : undefined;
  const end = (): void => {
    clearInterval(timer);
    clear();
  };
  return {
    observe: (event) => {
      const line = progress.apply(event);
      if (isLive && event.type !== 'notice' && event.type !== 'checkpoint') return;
      clear();
      if (line !== undefined) err.write(`${line}\n`);
    },
    end,
    [Symbol.dispose]: end,
  };
}
