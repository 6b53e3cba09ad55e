import { statusTable } from '../../report/terminal/status-table.ts';
import { fit, oneLine, widthOf, wrapLines } from '../../report/text.ts';
import { durationOf, durationText, unitCount } from '../../report/wording.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { lineFor, openingLine } from './event-lines.ts';
import { timeLeftText, type Progress, type ProgressInput } from './progress.ts';

const REFRESH_MS = 200;
/** Used if the terminal does not report its size. */
const USUAL = { columns: 80, rows: 24 };

/** A table that is redrawn in place; permanent lines are written above it. */
export function liveProgress(input: ProgressInput): Progress {
  const { screen } = input;
  let drawn: string[] = [];
  let state: RunState | undefined;
  let last = '';
  const show = (lines: readonly string[]): void => {
    const next = state === undefined ? [] : picture(state, last, input);
    const above = lines.map((line) => wrapLines(line, screen.columns || USUAL.columns));
    screen.write(eraser(drawn, screen.columns) + [...above, ...next].map((line) => `${line}\n`).join(''));
    drawn = next;
  };
  const timer = setInterval(() => show([]), REFRESH_MS);
  timer.unref();
  return {
    follow: (event) => {
      if (event.type === 'line') {
        if (!input.quiet) last = `${event.unit} | ${event.line}`;
        return;
      }
      const opening = event.type === 'state' && state === undefined ? [openingLine(event.state)] : [];
      if ('state' in event) state = event.state;
      const line =
        event.type === 'started' ? undefined : lineFor(event, input.paint, { agents: false, checkpoints: false });
      show(line === undefined ? opening : [...opening, line]);
    },
    note: (message) => show([`note: ${oneLine(message)}`]),
    [Symbol.dispose]: () => {
      clearInterval(timer);
      screen.write(eraser(drawn, screen.columns));
      drawn = [];
    },
  };
}

/** The lines to draw: the table, the time left and the last line of an agent; a summary if the table is too high. */
function picture(state: RunState, last: string, input: ProgressInput): string[] {
  const { screen, paint, pipeline, now } = input;
  // The last column stays empty: some terminals begin a new line as soon as it is filled.
  const width = (screen.columns || USUAL.columns) - 1;
  const at = now().toISOString();
  const table = statusTable(state, pipeline, { width, paint, now: at }).trimEnd().split('\n');
  const left = timeLeftText(state, input).map((text) => fit(text, width));
  const said = [...left, ...(last === '' ? [] : [paint('quiet', fit(oneLine(last), width))])];
  if (table.length + said.length < (screen.rows || USUAL.rows)) return [...table, ...said];
  const units = [...state.units.values()];
  const running = units.filter((unit) => unit.status === 'running');
  const names = running.map((unit) => `${oneLine(unit.key)} ${durationText(durationOf(unit, at))}`).join(', ');
  const done = `${units.filter((unit) => unit.done).length} of ${unitCount(units)} done`;
  return [fit(names === '' ? done : `${done}; running: ${names}`, width), ...said];
}

/**
 * Returns to where the drawn lines began and clears from there. In a terminal that has become narrower, they take more
 * rows than when they were drawn.
 */
function eraser(drawn: readonly string[], columns: number): string {
  const width = columns || USUAL.columns;
  const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0);
  return rows === 0 ? '' : `\r\u001B[${rows}A\u001B[0J`;
}
