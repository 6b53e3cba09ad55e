import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import { worstStatus, type UnitState } from '../../run/state/run-state.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Call } from '../call/call.ts';
import { givenSubject } from '../call/given-subject.ts';
import { readJson } from '../call/content.ts';

/** Larger exports are not read for a condition; it fails with a reason instead. */
const CONDITION_LIMIT = 16 * 1024 * 1024;

/**
 * Whether a unit applies: evaluates its `if` with the results of its needs. A unit without `if` always applies.
 * @throws GatelineError `CONDITION_UNDECIDED` if the condition refers to something that does not exist
 */
export async function evaluateIf(
  call: Call,
  unit: Unit,
): Promise<{ readonly choice: boolean; readonly reason: string }> {
  const condition = unit.gate.if;
  if (condition === undefined) return { choice: true, reason: 'it has no condition' };
  const { evaluateCondition } = await import('../../verdict/expression/conditions.ts');
  const needs: JsonObject = {};
  for (const gate of unit.gate.needs) needs[gate] = await viewOfGate(call, gate);
  const result = await evaluateCondition(condition, {
    subject: givenSubject(call.assignment),
    metadata: call.assignment.metadata,
    needs,
  });
  if ('choice' in result) return result;
  throw new GatelineError('CONDITION_UNDECIDED', `gate ${unit.key}: if: ${result.problem}`);
}

/**
 * `needs.<gate>`: status, score and output. A matrix gate also has `legs`, and its `output` contains the legs' outputs
 * by id.
 */
async function viewOfGate(call: Call, gate: string): Promise<JsonObject> {
  const states = [...call.journal.state().units.values()].filter((state) => state.gate === gate);
  const views = await Promise.all(states.map((state) => viewOfUnit(call, state)));
  if (states.length === 1 && states[0]!.leg === '') return views[0]!;
  const legs = Object.fromEntries(states.map((state, index) => [state.leg, views[index]!]));
  const scores = views.map((view) => view['score'] as number);
  return {
    status: worstStatus(states.map((state) => state.status)) ?? 'passed',
    score: scores.length === 0 ? 0 : Math.min(...scores),
    output: Object.fromEntries(states.map((state, index) => [state.leg, views[index]!['output'] ?? null])),
    legs,
  };
}

async function viewOfUnit(call: Call, state: UnitState): Promise<JsonObject> {
  return { status: state.status, score: scoreOf(state.ended), output: await outputOf(call, state.key, state) };
}

async function outputOf(call: Call, key: UnitKey, state: UnitState): Promise<JsonValue> {
  if (state.exports === undefined || state.exports === null) return null;
  return readJson(call.ports.store, state.exports, { limit: CONDITION_LIMIT, what: `exports of ${key}` });
}

function scoreOf(ended: EndedRecord | undefined): number {
  return ended?.verdict.score ?? 0;
}
