import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { comparePositions } from '../../run/records/record.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import type { AttemptRecords } from './parts.ts';

/** One attempt of a gate. */
export interface NumberedAttempt extends AttemptRecords {
  readonly number: number;
}

/**
 * An attempt by its number among all attempts of the run, including killed ones and adopted outputs.
 * @throws GatelineError `ATTEMPT_UNKNOWN`
 */
export function attemptNumbered({ journal }: Pick<Call, 'journal'>, unit: UnitState, number: number): NumberedAttempt {
  const { runNumber } = journal.state();
  const { length } = unit.numbered;
  const at = unit.numbered.toSorted(comparePositions)[number - 1];
  if (at === undefined) {
    const known = length === 0 ? 'none was begun' : `attempts: 1 to ${length}`;
    const what = `gate ${unit.key} has no attempt ${number} in run ${runNumber}`;
    throw new GatelineError('ATTEMPT_UNKNOWN', `${what}: ${known}`);
  }
  if (at.kind === 'ended') return { number, claim: undefined, ended: at };
  const ended = journal.archive().ended.get(unit.key) ?? [];
  return { number, claim: at, ended: ended.find((one) => comparePositions(one, at) === 0) };
}
