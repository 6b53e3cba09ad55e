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
  /** When it happened, as far as it is known. */
  at: z.string().nullable(),
  /** The run can be continued. */
  recoverable: z.boolean(),
});
type RunError = z.infer<typeof runErrorSchema>;

/** The error of a run; `null` if its status is another one. */
export function runErrorOf(state: RunState): RunError | null {
  const { closed } = state.decided;
  if (state.status !== 'error') return null;
  if (closed !== undefined) {
    const message = `closed by ${actorOf(closed)}: ${closed.reason}`;
    return { gate: null, kind: null, message, at: closed.at, recoverable: false };
  }
  const unit = cause(state);
  if (unit === undefined) return null;
  const ended = resultOf(unit);
  const at = ended?.at ?? unit.started?.at ?? null;
  return { gate: unit.key, kind: ended?.verdict.kind ?? null, message: unit.reason, at, recoverable: true };
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
