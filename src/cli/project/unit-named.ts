import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import type { UnitState } from '../../run/state/run-state.ts';

/**
 * The unit with that key: a gate, or one leg of a matrix gate.
 * @throws GatelineError `GATE_UNKNOWN`
 */
export function unitNamed({ journal }: Call, key: string): UnitState {
  const { units } = journal.state();
  const unit = units.get(key);
  if (unit !== undefined) return unit;
  const known = [...units.keys()];
  const legs = known.filter((one) => one.startsWith(`${key}/`));
  const meant = didYouMean(key, known);
  const suggestion = legs.length > 0 ? '; name one of its legs' : meant === undefined ? '' : `; ${meant}`;
  throw new GatelineError('GATE_UNKNOWN', `there is no gate ${key}${suggestion}`, {
    hint: legs.length > 0 ? `Legs: ${legs.join(', ')}.` : `Gates: ${known.join(', ')}.`,
  });
}
