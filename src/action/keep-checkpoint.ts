import { comparePositions, unitOf, type EndedRecord, type GatelineRecord, type StartedRecord } from '../run/record.ts';
import type { RunState } from '../run/run-state.ts';
import type { ActionInvocation } from './invocation.ts';
import type { Job } from './job.ts';

/** What there may be to keep. */
export interface Ended {
  readonly ended: EndedRecord | undefined;
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
}

/**
 * Keeps a satisfied attempt of this run attempt in the cache, for later runs. Never throws: what goes wrong is a notice.
 * One that was taken from the cache itself is there already.
 */
export async function keepCheckpoint(
  { world, event }: ActionInvocation,
  job: Job,
  { ended, state, records }: Ended,
): Promise<void> {
  const unit = state.units.get(job.key);
  if (ended === undefined || unit?.done !== true || unit.ended === undefined) return;
  if (comparePositions(unit.ended, ended) !== 0) return;
  if (ended.how === 'reused' || ended.verdict.status === 'not-applicable' || ended.runAttempt !== event.runAttempt)
    return;
  const started = records.find(
    (record): record is StartedRecord =>
      record.kind === 'started' && unitOf(record) === job.key && comparePositions(record, ended) === 0,
  );
  for (const notice of await job.store.keepCheckpoint(started, ended)) world.runner.annotate('notice', notice);
}
