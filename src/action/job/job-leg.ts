import { GatelineError } from '../../errors/gateline-error.ts';
import type { Gate, Leg } from '../../pipeline/pipeline.ts';
import { shown } from '../../pipeline/problem.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonObject } from '../../json/json.ts';

/**
 * Which leg of a gate a job is, by the values of its matrix: the leg with just these values, else the only one whose
 * values are all among them (a job's matrix may say more, such as the runner). A gate without a matrix has one leg,
 * whatever the job's matrix is: that may be what chose the gate.
 * @throws GatelineError `MATRIX_MISMATCH`
 */
export function legOfJob(gate: Gate, matrix: JsonObject | undefined): Leg {
  const [first, ...more] = gate.legs;
  if (first !== undefined && first.id === '' && more.length === 0) return first;
  const values = matrix ?? {};
  const exact = gate.legs.find((leg) => canonicalJson(leg.matrix) === canonicalJson(values));
  if (exact !== undefined) return exact;
  const fitting = gate.legs.filter((leg) => isPartOf(leg.matrix, values));
  if (fitting.length === 1) return fitting[0]!;
  const found =
    matrix === undefined ? 'the job has no matrix' : `the matrix of the job is ${shown(canonicalJson(matrix), 200)}`;
  const legs = gate.legs.slice(0, 20).map((leg) => shown(canonicalJson(leg.matrix), 100));
  throw new GatelineError('MATRIX_MISMATCH', `gate ${gate.id}: ${found}, which matches ${fitting.length} of its legs`, {
    hint: `Give the job the \`strategy.matrix\` of the gate. Its legs: ${legs.join(', ')}.`,
  });
}

function isPartOf(part: JsonObject, whole: JsonObject): boolean {
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && canonicalJson(whole[key]!) === canonicalJson(value),
  );
}
