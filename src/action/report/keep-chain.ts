import { comparePositions, type EndedRecord } from '../../run/records/record.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobStore } from '../records/job-store.ts';
import type { ReportedRun } from './run-to-report.ts';

/**
 * Saves the last iteration of work that was sent back under the fingerprint that it had before, if all gates that sent it
 * back passed: later runs then reuse it instead of the first iteration. Problems are notices.
 */
export async function keepChain(
  { world, event }: ActionInvocation,
  store: Pick<JobStore, 'supersede'>,
  { state }: ReportedRun,
): Promise<void> {
  if (event.rework === undefined) return;
  for (const { done, ended, begun } of state.units.values()) {
    const rework = ended?.rework;
    if (!done || ended === undefined || ended.how !== 'ran' || rework?.causes === undefined) continue;
    const causes = rework.causes.map((key) => state.units.get(key));
    if (!causes.every((cause) => cause?.done === true && cause.ended?.verdict.status === 'passed')) continue;
    const claim = begun.find((one) => comparePositions(one, ended) === 0);
    const ends = causes.flatMap((cause): EndedRecord[] => (cause?.ended === undefined ? [] : [cause.ended]));
    const kept = claim === undefined ? ([ended, ...ends] as const) : ([claim, ended, ...ends] as const);
    for (const notice of await store.supersede(rework.base, kept)) world.runner.annotate('notice', notice);
  }
}
