import type { GatelineRecord } from '../records/record.ts';

/** What the agents of a run reported that they cost, in US dollars. `undefined`: none reported anything. */
export function costOf(records: readonly GatelineRecord[], runNumber: number): number | undefined {
  const costs = records.flatMap((one) =>
    one.kind === 'ended' && one.runNumber === runNumber && one.how === 'ran' ? (one.metrics?.costUsd ?? []) : [],
  );
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}
