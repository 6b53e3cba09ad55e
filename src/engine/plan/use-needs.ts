import type { Gate } from '../../pipeline/pipeline.ts';
import { worksByItself, type Unit } from '../../run/units.ts';
import type { Call } from '../call.ts';
import { isDone, needsOf, prepareStandIns } from '../needs.ts';
import { planUnit, toUnitPlan } from './plan-unit.ts';
import type { Needs } from './request.ts';
import { carryOut } from './use-output.ts';

/** Prepares a call for some gates only: uses the outputs that their needs have, or stand-ins for them. */
export async function prepareNeeds(call: Call): Promise<void> {
  const { only, outputs, pipeline } = call.order;
  if (only === undefined) return;
  const gates = pipeline.gates.filter(({ id }) => only.has(id));
  // On GitHub the needs are outputs that other jobs have judged.
  const missing = outputs === undefined ? await useNeeds(call, gates) : undefined;
  await prepareStandIns(call, (gate) => !only.has(gate));
  const isReady = ({ needs, standIn }: Gate) =>
    needs.every((need) => only.has(need) || isDone(call, need) || (standIn && call.standIns.has(need)));
  if (missing && !gates.every(isReady)) call.notice(missing.message, { hint: missing.hint });
}

/** Uses the outputs of all that gates need, without starting an agent. @returns which unit is not done, and what to do */
export async function useNeeds(
  call: Call,
  gates: readonly Gate[],
): Promise<{ readonly message: string; readonly hint: string } | undefined> {
  const { graph } = call;
  const named = new Set(gates.map(({ id }) => id));
  const open = gates.filter(({ id }) => graph.unitsOf(id)?.some((unit) => needsOf(call, unit) === undefined) ?? true);
  const needed = new Set(open.flatMap(({ id }) => [...graph.ancestors(id)]).filter((id) => !named.has(id)));
  let missing: Unit | undefined;
  let why = '';
  for (const unit of graph.units) {
    if (!needed.has(unit.gate.id)) continue;
    const needs = needsOf(call, unit);
    const reason = needs && (await useHeldOutput(call, unit, needs));
    if (missing !== undefined || reason === undefined) continue;
    missing = unit;
    why = reason;
  }
  return (
    missing && {
      message: `${missing.key} must be done before ${[...named].join(', ')}: ${why}`,
      hint: `\`gateline ${worksByItself(missing.gate) ? `begin ${missing.key}` : `run --until ${missing.gate.id}`}\``,
    }
  );
}

/** Uses the output of a unit, if one holds. @returns why later gates may not use it; undefined: they may */
async function useHeldOutput(call: Call, unit: Unit, needs: Needs): Promise<string | undefined> {
  const plan = await planUnit(call, unit, needs);
  if (plan.choice === 'run') return plan.reason;
  call.observe({ type: 'planned', plan: toUnitPlan(unit, plan) });
  await carryOut(call, unit, plan);
  const outcome = call.outcomes.get(unit.key);
  return outcome?.result === 'done' ? undefined : outcome?.reason;
}
