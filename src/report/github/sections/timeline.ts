import type { RunState, UnitState } from '../../../run/state/run-state.ts';
import { fit, oneLine, pad, widthOf } from '../../text.ts';
import { durationText } from '../../wording.ts';
import type { Attempt, Span } from '../../../history/attempts.ts';

/** Width of a bar, and maximum width of a name. */
const [BAR, NAME] = [40, 36];

/**
 * The attempts of a run as text bars, one line per attempt, by run attempt. Text also works in mail, the API and a
 * terminal, where Mermaid's gantt charts do not; moreover, these have no bars for seconds. Times are those of the
 * machines' clocks. Safe inside a fence: no line begins one.
 */
export function timelineLines(
  attempts: readonly Attempt[],
  spans: readonly Span[],
  state: RunState,
  now: string,
): string[] {
  const order = new Map([...state.units.keys()].map((key, at) => [key, at]));
  const name = Math.min(NAME, longest(attempts.map(nameOf)));
  return spans.flatMap((span) => {
    const own = attempts
      .filter(({ runAttempt }) => runAttempt === span.runAttempt)
      .sort((a, b) => beginOf(a) - beginOf(b) || (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0));
    const head = `run attempt ${span.runAttempt}, from ${clock(span.from)}, ${durationText(span.to - span.from)}`;
    return [head, ...own.map((attempt) => lineOf(attempt, span, name, state, now))];
  });
}

function lineOf(attempt: Attempt, span: Span, name: number, state: RunState, now: string): string {
  const unit = state.units.get(attempt.key);
  const from = beginOf(attempt);
  const to =
    attempt.ended !== undefined ? Date.parse(attempt.ended.at) : isRunning(attempt, unit) ? Date.parse(now) : from;
  const took = attempt.ended?.how === 'reused' || to === from ? '' : durationText(to - from);
  return `${pad(fit(nameOf(attempt), name), name)} ${barOf(from, to, span)} ${pad(took, 7, 'left')} ${endOf(attempt, unit)}`.trimEnd();
}

function beginOf({ started, ended }: Attempt): number {
  return Date.parse(ended?.startedAt ?? started?.at ?? '') || 0;
}

function barOf(from: number, to: number, span: Span): string {
  const whole = Math.max(1, span.to - span.from);
  const at = (time: number): number => Math.min(1, Math.max(0, (time - span.from) / whole));
  const start = Math.min(BAR - 1, Math.floor(at(from) * BAR)) || 0;
  const length = Math.max(1, Math.min(BAR - start, Math.round((at(to) - at(from)) * BAR))) || 1;
  return `${'·'.repeat(start)}${'█'.repeat(length)}${'·'.repeat(BAR - start - length)}`;
}

function endOf(attempt: Attempt, unit: UnitState | undefined): string {
  const { ended } = attempt;
  if (ended === undefined) return isRunning(attempt, unit) ? 'running' : 'no result';
  if (ended.how === 'reused') return 'reused';
  const { status, kind } = ended.verdict;
  return status === kind ? status : `${status} (${kind})`;
}

/** Whether this is the attempt that makes a unit's status running. */
export function isRunning({ runAttempt, n, ended }: Attempt, unit: UnitState | undefined): boolean {
  const { started } = unit ?? {};
  return ended === undefined && unit?.status === 'running' && started?.runAttempt === runAttempt && started.n === n;
}

/** A line with a bar never ends the fence, whatever the name; a forged comment mark is also broken up here. */
function nameOf({ key, n }: Attempt): string {
  return `${oneLine(key).replaceAll('<!--', '<\u200b!--')}${n > 1 ? ` (${n})` : ''}`;
}

function clock(time: number): string {
  return new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}
