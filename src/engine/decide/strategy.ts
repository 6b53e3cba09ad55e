import { GatelineError } from '../../errors.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { gateOf, type Unit } from '../../run/units.ts';
import { Call } from '../call.ts';
import { decidedHead } from './decide.ts';
import type { Decider, Order, Ports } from '../ports.ts';

/** How a run that stopped is continued. `retry-current` decides nothing: `run` alone does it. */
export type Strategy = 'retry-current' | 'retry-previous' | 'skip-current' | { readonly fromCheckpoint: string };

/** A decision that a strategy makes. */
export interface StrategyDecision {
  readonly decision: 'skip' | 'force';
  readonly unit: UnitKey;
  readonly reason: string;
}

/** Records the decisions of a strategy for the newest run. The next call of `run` carries them out. */
export async function applyStrategy(
  ports: Ports,
  order: Order,
  strategy: Strategy,
  by: Decider,
): Promise<readonly StrategyDecision[]> {
  const call = await Call.open(ports, order);
  call.restoreLegs();
  const decisions = decisionsOf(call, strategy);
  for (const { decision, unit, reason } of decisions)
    await call.write({ ...decidedHead(call, { ...by, reason: by.reason || reason }), decision, unit });
  return decisions;
}

function decisionsOf(call: Call, strategy: Strategy): StrategyDecision[] {
  const { graph } = call;
  if (strategy === 'retry-current') return [];
  if (typeof strategy === 'object') {
    const { fromCheckpoint: id } = strategy;
    graph.requireGate(id);
    const units = graph.units.filter(({ gate }) => gate.id === id || graph.ancestors(gate.id).has(id));
    return units.map(({ key }) => ({ decision: 'force', unit: key, reason: `from ${id} on` }));
  }
  const failed = failedUnits(call);
  if (failed.length === 0)
    throw new GatelineError('usage', `no gate of the newest run of ${call.order.subject} has failed`);
  if (strategy === 'skip-current')
    return failed.map(({ key }) => ({ decision: 'skip', unit: key, reason: 'skip-current' }));
  const previous = new Set(failed.flatMap(({ gate }) => gate.needs));
  const units = graph.units.filter(({ gate }) => previous.has(gate.id));
  return units.map(({ key }) => ({
    decision: 'force',
    unit: key,
    reason: `retry what comes before ${failed.map((unit) => unit.key).join(', ')}`,
  }));
}

/** Units whose last attempt in the newest run failed, and whose needs did not. */
function failedUnits({ state, graph }: Call): Unit[] {
  const run = state.current;
  if (run === undefined || run.finalStatus) return [];
  return [...run.attempts].flatMap(([key, attempts]) => {
    const ended = attempts.at(-1)?.ended;
    const failed = ended?.how === 'lost' || ended?.verdict.status === 'failed' || ended?.verdict.status === 'partial';
    const unit = graph.unit(key) ?? graph.unitsOf(gateOf(key))?.[0];
    return failed && unit ? [unit] : [];
  });
}
