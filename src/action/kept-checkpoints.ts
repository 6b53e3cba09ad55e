import { comparePositions, unitOf, type EndedRecord, type GatelineRecord, type StartedRecord } from '../run/record.ts';
import type { CheckpointCache } from '../store/github/cache/checkpoint-cache.ts';
import type { RecordStore } from '../store/record-store.ts';
import { withWrite } from './pending-records.ts';

/** A store whose checkpoints are kept in the cache as well. */
export interface KeptCheckpoints {
  readonly records: RecordStore;
  /** Waits until everything is kept. Never throws; answers notices. */
  settled(): Promise<readonly string[]>;
}

/**
 * Keeps what an agent made in the cache, for later runs, while its record is uploaded: neither waits for the other. An
 * entry whose record never arrives does no harm: whoever finds it judges it as any other.
 */
export function keepCheckpoints(store: RecordStore, cache: Pick<CheckpointCache, 'keep'>): KeptCheckpoints {
  const claims: StartedRecord[] = [];
  const keeping: Promise<readonly string[]>[] = [];
  const claimOf = (ended: EndedRecord): StartedRecord | undefined =>
    claims.find((claim) => unitOf(claim) === unitOf(ended) && comparePositions(claim, ended) === 0);
  const learn = (records: readonly GatelineRecord[]): void => {
    for (const record of records) if (record.kind === 'started') claims.push(record);
  };
  const records = withWrite(store, (record) => {
    learn([record]);
    if (record.kind === 'ended' && isWorthKeeping(record)) keeping.push(cache.keep(claimOf(record), record));
    return store.write(record);
  });
  return {
    records: {
      ...records,
      list: async (pipeline, subject, only) => {
        const listing = await store.list(pipeline, subject, only);
        learn(listing.records);
        return listing;
      },
    },
    settled: async () => (await Promise.all(keeping)).flat(),
  };
}

/** What was reused is kept already, and what failed is nothing to go on from. */
function isWorthKeeping({ how, verdict }: EndedRecord): boolean {
  return how === 'ran' && (verdict.status === 'passed' || verdict.status === 'partial');
}
