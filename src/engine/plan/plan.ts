import type { UnitPlan } from '../../run/events.ts';
import { gateOf, type Unit } from '../../run/units.ts';
import { requireDocuments } from '../attempt/memory.ts';
import { isDone, needsOf } from '../needs.ts';
import { Call } from '../call.ts';
import { planUnitAt, toUnitPlan } from './plan-unit.ts';
import { explainMissingEntities } from '../entities/gate-entities.ts';
import type { Order, Ports } from '../ports.ts';
import { setOutcome } from '../outcome.ts';
import { warnAboutInputs, warnAboutVariables } from '../warnings.ts';

/**
 * What a call of `run` would do with each unit, and why. Writes nothing, and needs no lock.
 * @param isWorkedOn whether an engine works in the folder
 */
export async function planPipeline(ports: Ports, order: Order, isWorkedOn: boolean): Promise<readonly UnitPlan[]> {
  const call = await Call.open(ports, order);
  await requireDocuments(call);
  let snapshot = await call.takeSnapshot();
  const plans: UnitPlan[] = [];
  const open = new Map([...call.state.openAttempts.values()].map((started) => [started.unit, started]));
  const { only } = order;
  const needed = new Set([...(only ?? [])].flatMap((id) => [id, ...call.graph.ancestors(id)]));
  for (const gate of order.pipeline.gates) {
    if (only && !needed.has(gate.id)) continue;
    const units = call.graph.unitsOf(gate.id);
    if (units === undefined) {
      plans.push({ unit: gate.id, choice: 'depends', reason: 'its legs come from a gate that is not done' });
      continue;
    }
    for (const unit of units) {
      const needs = needsOf(call, unit);
      const started = open.get(unit.key);
      if (started && (isWorkedOn || !started.process)) {
        plans.push({ unit: unit.key, choice: 'busy', reason: `an agent works on it since ${started.at}` });
        continue;
      }
      if (needs === undefined) {
        plans.push(blockedPlan(call, unit, plans));
        continue;
      }
      const plan = await planUnitAt(call, unit, needs, snapshot);
      const obstacle = plan.choice === 'run' ? await explainMissingEntities(call, unit, plans) : undefined;
      const limit = plan.choice === 'run' ? call.costObstacle() : undefined;
      if (obstacle) plans.push({ unit: unit.key, choice: 'blocked', reason: obstacle });
      else plans.push(limit ? { unit: unit.key, choice: 'wait', reason: limit } : toUnitPlan(unit, plan));
      if (plan.choice !== 'not-applicable') await warnAboutInputs(call, plan.work);
      if (plan.choice === 'not-applicable')
        call.outcomes.set(unit.key, { ...plan.output, result: 'done', reason: plan.reason });
      if (plan.choice !== 'use') continue;
      const outcome = await setOutcome(call, unit, plan.checkpoint, needs);
      if (outcome.result !== 'done')
        plans[plans.length - 1] = {
          unit: unit.key,
          choice: outcome.result === 'waiting' ? 'wait' : 'blocked',
          reason: outcome.reason,
        };
      if (plan.changes.length > 0) snapshot = await ports.workspace.applyTo(snapshot, plan.changes);
    }
  }
  const shown = plans.filter(({ unit }) => only?.has(gateOf(unit)) ?? true);
  const coming = new Set(
    shown.filter(({ choice }) => choice === 'run' || choice === 'depends').map(({ unit }) => gateOf(unit)),
  );
  for (const gate of order.pipeline.gates) if (coming.has(gate.id)) warnAboutVariables(call, gate);
  return shown;
}

/** The plan of a unit whose needs are not done. */
function blockedPlan(call: Call, { key, gate }: Unit, plans: readonly UnitPlan[]): UnitPlan {
  const { only, standIns } = call.order;
  const undone = gate.needs.filter((need) => !isDone(call, need));
  const others = undone.filter((need) => only && !only.has(need));
  const [standIn] = gate.standIn ? others.map((need) => standIns?.get(need)) : [];
  if (standIn) return { unit: key, choice: 'depends', reason: `in place of ${others[0]}: ${standIn.reason}` };
  const stopped = plans
    .filter(({ choice }) => choice === 'blocked' || choice === 'wait')
    .map(({ unit }) => gateOf(unit));
  return others.length > 0 || undone.some((need) => stopped.includes(need))
    ? { unit: key, choice: 'blocked', reason: `${undone.join(', ')} must be done first` }
    : { unit: key, choice: 'depends', reason: `it depends on what ${undone.join(', ')} makes` };
}
