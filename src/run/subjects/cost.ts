import type { GatelineRecord } from '../records/record.ts';

/** The cost that the agents of a run reported, in US dollars. `undefined`: none reported a cost. */
export function costOf(records: readonly GatelineRecord[], runNumber: number): number | undefined {
  const costs = records.flatMap((one) =>
    one.kind === 'ended' && one.runNumber === runNumber && one.how === 'ran' ? (one.metrics?.costUsd ?? []) : [],
  );
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}
