import { GatelineError } from '../errors.ts';
import type { JsonObject } from '../json/json.ts';
import { IF_CONTEXTS } from '../pipeline/expression.ts';
import { gateOf, type Unit } from '../run/units.ts';
import { evaluateCondition, parseCondition } from '../verdict/expression.ts';
import type { Call } from './call.ts';
import type { UnitOutput } from './ports.ts';
import { emptyOutput, type Needs } from './plan/request.ts';
import { readValue } from './values.ts';

/** Whether a gate applies; if not, the output that later gates get. */
export type Condition =
  | { readonly result: true }
  | { readonly result: false; readonly reason: string; readonly output: UnitOutput };

/**
 * Evaluates the `if` of a gate over `subject`, `metadata` and `needs.<gate>.status | score | output`.
 * @throws GatelineError `usage` if it cannot be evaluated
 */
export async function evaluateGateCondition(call: Call, { gate }: Unit, needs: Needs): Promise<Condition> {
  if (gate.if === undefined) return { result: true };
  const { subject, isSubjectGiven, metadata } = call.order;
  const contexts = { subject: isSubjectGiven ? subject : null, metadata, needs: await needsContext(call, needs) };
  const evaluated = evaluateCondition(parseCondition(gate.if, IF_CONTEXTS), contexts);
  if ('problem' in evaluated)
    throw new GatelineError('usage', `the condition of gate ${gate.id} cannot be evaluated: ${evaluated.problem}`, {
      place: gate.place,
      hint: 'Correct `if` in the definition. It can name `subject`, `metadata` and `needs`.',
    });
  if (evaluated.result) return { result: true };
  return { result: false, reason: `its condition is false: ${gate.if}`, output: emptyOutput(needs) };
}

async function needsContext(call: Call, needs: Needs): Promise<JsonObject> {
  const context: JsonObject = {};
  for (const [key, { verdict, exports }] of needs) {
    const output = exports && (await readValue(call, exports.digest));
    const need: JsonObject = { status: verdict.status, score: verdict.score, output: output ?? null };
    const gate = gateOf(key);
    if (key === gate) context[gate] = need;
    else context[gate] = { ...(context[gate] as JsonObject | undefined), [key.slice(gate.length + 1)]: need };
  }
  return context;
}
