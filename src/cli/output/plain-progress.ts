import type { UnitKey } from '../../pipeline/pipeline.ts';
import { oneLine } from '../../report/text.ts';
import { durationText } from '../../report/wording.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { checkpointFor, lineFor, openingLine } from './event-lines.ts';
import { timeLeftText, type Progress, type ProgressInput } from './progress.ts';

/** Permanent lines, for logs. After a silence it reports what is still running, so that it does not look stuck. */
export function plainProgress(input: ProgressInput): Progress {
  const { screen, paint, graph, quiet, checkpoints } = input;
  const running = new Map<UnitKey, number>();
  let opened = false;
  let state: RunState | undefined;
  let spoke = true;
  const say = (text: string): void => {
    spoke = true;
    screen.write(`${text}\n`);
  };
  const timer = setInterval(() => {
    if (!spoke && running.size > 0) {
      const facts = [`still running: ${listOf(running, input.now().getTime())}`, ...timeLeftText(state, input)];
      screen.write(`${facts.join('; ')}\n`);
    }
    spoke = false;
  }, input.silenceMs);
  timer.unref();
  return {
    follow: (event) => {
      if ('state' in event) state = event.state;
      if (event.type === 'state' && !opened) {
        opened = true;
        say(openingLine(event.state));
      }
      if (event.type === 'started') running.set(event.unit, input.now().getTime());
      if (event.type === 'ended') running.delete(event.unit);
      const line = lineFor(event, paint, { agents: !quiet, checkpoints });
      if (line !== undefined) say(line);
      const checkpoint = checkpoints ? checkpointFor(event, graph) : undefined;
      if (checkpoint !== undefined) say(`\n${checkpoint}`);
    },
    note: (message) => say(`note: ${oneLine(message)}`),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function listOf(running: ReadonlyMap<UnitKey, number>, now: number): string {
  return [...running].map(([key, since]) => `${oneLine(key)} (${durationText(now - since)})`).join(', ');
}
