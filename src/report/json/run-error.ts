import { z } from 'zod';
import { VERDICT_KINDS } from '../../verdict/verdict.ts';
import { actorOf } from '../../run/records/decisions.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import { stoppedUnits } from '../../run/plan/strategy.ts';

/** Why a run is in error: the first gate that stopped it, or the decision that closed it. */
export const runErrorSchema = z.strictObject({
  /** Key of the gate; `null`: the run was closed. */
  gate: z.string().nullable(),
  /** `null`: the gate has no verdict, as when its attempt was lost. */
  kind: z.enum(VERDICT_KINDS).nullable(),
  message: z.string(),
  /** The stack trace that the gate's agent wrote last to stderr, redacted; `null`: none is known. */
  stack: z.string().nullable(),
  /** When it happened, as far as it is known. */
  at: z.string().nullable(),
  /** The run can be continued. */
  recoverable: z.boolean(),
});
type RunError = z.infer<typeof runErrorSchema>;

/** Most lines and characters of a stack trace. */
const MAX_LINES = 50;
const MAX_CHARACTERS = 4_096;

/**
 * The error of a run; `null` if its status is another one.
 * @param log what the agent of {@link failedUnit} wrote to stderr, redacted
 */
export function runErrorOf(state: RunState, log?: string): RunError | null {
  const { closed } = state.decided;
  if (state.status !== 'error') return null;
  if (closed !== undefined) {
    const message = `closed by ${actorOf(closed)}: ${closed.reason}`;
    return { gate: null, kind: null, message, stack: null, at: closed.at, recoverable: false };
  }
  const unit = cause(state);
  if (unit === undefined) return null;
  const ended = resultOf(unit);
  const at = ended?.at ?? unit.started?.at ?? null;
  const stack = log === undefined ? null : stackIn(log);
  return { gate: unit.key, kind: ended?.verdict.kind ?? null, message: unit.reason, stack, at, recoverable: true };
}

/** The gate that stopped a run; `undefined`: its status is not `error`, or a person closed it. */
export function failedUnit(state: RunState): UnitState | undefined {
  return state.status === 'error' && state.decided.closed === undefined ? cause(state) : undefined;
}

/** A line of a stack trace: of JavaScript, Java and C#, or of Python. */
const FRAME = /^\s+(?:at \S|File "[^"]*", line \d)/;
const INDENTED = /^\s+\S/;

/** The last stack trace in a text, with the line that says what went wrong. `null`: there is none. */
function stackIn(text: string): string | null {
  const lines = text.split(/\r?\n/);
  const last = lines.findLastIndex((line) => FRAME.test(line));
  if (last < 0) return null;
  let first = last;
  while (first > 0 && INDENTED.test(lines[first - 1]!)) first -= 1;
  let end = last + 1;
  while (end < lines.length && INDENTED.test(lines[end]!)) end += 1;
  // Python names the error after the trace, all others before it.
  if (lines[last]!.trimStart().startsWith('File ')) end += 1;
  const shown = lines.slice(Math.max(0, first - 1), end).filter((line) => line.trim() !== '');
  return shown.slice(0, MAX_LINES).join('\n').slice(0, MAX_CHARACTERS);
}

function cause(state: RunState): UnitState | undefined {
  const [stopped] = stoppedUnits(state);
  const open = [...state.units.values()].filter(({ done }) => !done);
  return open.find(({ key }) => key === stopped) ?? open.find(({ unread }) => unread !== undefined) ?? open[0];
}

/** Since when a run is paused: by a person, or at the first gate that waits for an approval. `null`: it is not. */
export function pausedSince({ status, decided, units }: RunState): string | null {
  if (decided.paused !== undefined) return decided.paused.at;
  if (status !== 'paused') return null;
  const waiting = [...units.values()].filter((unit) => unit.status === 'paused').map((unit) => resultOf(unit)?.at);
  return waiting.filter((at) => at !== undefined).toSorted()[0] ?? null;
}
