import type { EndedRecord, StartedRecord } from '../../run/records/record.ts';
import type { CheckpointCache } from '../../store/github/cache/checkpoint-cache.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { withWrite } from './with-write.ts';

/** A store whose checkpoints are kept in the cache as well. */
export interface KeptCheckpoints {
  readonly records: RecordStore;
  /** Waits until everything is kept. Never throws; answers notices. */
  settled(): Promise<readonly string[]>;
}

/**
 * Keeps what an agent made in the cache, for later runs, while its record is uploaded: neither waits for the other. An
 * entry whose record never arrives does no harm: whoever finds it judges it as any other.
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

/** What was reused is kept already, and what failed is nothing to go on from. */
function isWorthKeeping({ how, verdict }: EndedRecord): boolean {
  return how === 'ran' && (verdict.status === 'passed' || verdict.status === 'partial');
}
