import type { EndedRecord, StartedRecord } from '../../run/records/record.ts';
import type { CheckpointCache } from '../../store/github/cache/checkpoint-cache.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { withWrite } from './with-write.ts';

/** A store whose checkpoints are also stored in the cache. */
export interface KeptCheckpoints {
  readonly records: RecordStore;
  /** Waits until everything is stored. Never throws; returns notices. */
  settled(): Promise<readonly string[]>;
}

/**
 * Stores an agent's result in the cache, for later runs, while its record is uploaded: neither waits for the other. An
 * entry whose record never arrives does no harm: any reader judges it like any other.
 * @param claimOf the claim of an attempt that is ending
 */
export function keepCheckpoints(
  store: RecordStore,
  cache: Pick<CheckpointCache, 'keep'>,
  claimOf: (ended: EndedRecord) => StartedRecord | undefined,
): KeptCheckpoints {
  const keeping: Promise<readonly string[]>[] = [];
  const records = withWrite(store, (record) => {
    if (record.kind === 'ended' && isWorthKeeping(record)) keeping.push(cache.keep(claimOf(record), record));
    return store.write(record);
  });
  return { records, settled: async () => (await Promise.all(keeping)).flat() };
}

/** A reused result is already stored, and a failed one cannot be reused. */
function isWorthKeeping({ how, verdict }: EndedRecord): boolean {
  return how === 'ran' && (verdict.status === 'passed' || verdict.status === 'partial');
}
