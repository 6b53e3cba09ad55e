import { Progress } from '../report/progress.ts';
import type { EngineEvent } from '../run/events.ts';
import { screenOf } from './print.ts';
import type { OutputStream, ProcessContext } from './process-context.ts';

/** Shows the events of a call on stderr: a live table on a terminal, lines in a log, nothing with `--quiet`. */
export interface ProgressDisplay extends Disposable {
  readonly observe: (event: EngineEvent, subject?: string) => void;
  /** Removes the live table, before the result is printed. */
  end(): void;
}

const REFRESH_MS = 200;
/** Events that are printed above the live table. */
const LASTING: ReadonlySet<EngineEvent['type']> = new Set(['opened', 'notice', 'checkpoint']);

export function showProgress(
  { err }: { readonly err: OutputStream },
  { quiet = false, verbose = false, json = false },
): ProgressDisplay {
  if (quiet) return { observe: () => undefined, end: () => undefined, [Symbol.dispose]: () => undefined };
  const progress = new Progress(verbose);
  const isLive = err.isInteractive && !verbose && !json;
  let lines = 0;
  const clear = (): void => {
    if (lines > 0) err.write(`\u001b[${lines}A\u001b[0J`);
    lines = 0;
  };
  const draw = (): void => {
    const table = progress.render(new Date().toISOString(), Math.max(1, (err.rows || 24) - 4), screenOf(err));
    clear();
    err.write(table);
    lines = table.split('\n').length - 1;
  };
  const timer = isLive ? setInterval(draw, REFRESH_MS) : undefined;
  const print = (texts: readonly string[]): void => {
    if (texts.length === 0) return;
    clear();
    err.write(texts.map((text) => `${text}\n`).join(''));
  };
  let isOpened = false;
  /** Lines that came before `opened`, the event that names the run: they follow it. */
  const early: string[] = [];
  /** Checkpoints of units that the table still shows as running: they follow its `ended`. */
  const checkpoints: string[] = [];
  const end = (): void => {
    clearInterval(timer);
    clear();
    print([...early.splice(0), ...checkpoints.splice(0)]);
  };
  return {
    observe: (event) => {
      const { type } = event;
      const line = progress.apply(event);
      isOpened ||= type === 'opened';
      if (line !== undefined && (!isLive || LASTING.has(type))) {
        if (type === 'checkpoint' && progress.isRunning(event.unit)) checkpoints.push(line);
        else if (isOpened) print([line]);
        else early.push(line);
      }
      if (type === 'opened') print(early.splice(0));
      if (type === 'ended' && isOpened) print(checkpoints.splice(0));
    },
    end,
    [Symbol.dispose]: end,
  };
}

/** Shows the events of several runs side by side: lines that begin with the subject. */
export function showSetProgress(
  { err }: ProcessContext,
  options: { quiet?: boolean; verbose?: boolean },
): ProgressDisplay {
  const displays = new Map<string, ProgressDisplay>();
  const displayOf = (subject: string): ProgressDisplay => {
    let display = displays.get(subject);
    if (display === undefined) {
      const write = (text: string) => err.write(subject === '' ? text : text.replace(/^(?=.)/gm, `${subject} | `));
      display = showProgress({ err: { ...err, isInteractive: false, write } }, options);
      displays.set(subject, display);
    }
    return display;
  };
  const end = (): void => displays.forEach((display) => display.end());
  return {
    observe: (event, subject = '') => displayOf(subject).observe(event),
    end,
    [Symbol.dispose]: end,
  };
}
