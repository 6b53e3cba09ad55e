import type { Gate } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import { observePipeline, type Observed } from '../../run/state/observed-pipeline.ts';
import { RUN_GATE } from '../../run/records/record.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import type { RecordStore, Selection } from '../../store/record-store.ts';
import type { Contract } from '../../verdict/contract.ts';
import { readContract } from '../records/read-contract.ts';

/** The run to observe. */
export interface ObservedRun {
  readonly pipeline: string;
  readonly subject: string;
  readonly runNumber: number;
  /** The gate that this step describes, if any. */
  readonly own?: Gate;
  /** Ids of further gates that must exist. */
  readonly expected?: readonly string[];
}

/** The pipeline that the jobs of a run form together if no file defines it, and the records it is built from. */
export async function observeRun(
  store: Pick<RecordStore, 'list' | 'get'>,
  { pipeline, subject, runNumber, own, expected = [] }: ObservedRun,
): Promise<Observed & { readonly listing: RecordListing }> {
  const listing = await store.list(pipeline, subject, own && upstreamOf(own));
  const records = listing.records.filter((record) => record.runNumber === runNumber);
  const named = records.flatMap((record) => (record.kind === 'started' ? [record.contract] : []));
  const contracts = await readContracts(store, new Set(named));
  const unread = listing.problems.flatMap(({ names }) => (names?.runNumber === runNumber ? [names] : []));
  return { ...observePipeline({ pipeline, own, records, contracts, unread, expected }), listing };
}

/**
 * The records that a described gate builds on, and those of its own leg: only records show which gates come before its
 * needs.
 */
function upstreamOf({ id, legs, needs }: Gate): Selection {
  const [own, needed] = [legs[0]!.id, new Set(needs)];
  return {
    only: ({ gate, leg }) => (gate === id ? leg === own : gate === RUN_GATE || needed.has(gate)),
    upstream: true,
  };
}

/** Contracts that can be read and are valid. Missing ones are reported when their output is judged. */
async function readContracts(
  store: Pick<RecordStore, 'get'>,
  digests: ReadonlySet<Digest>,
): Promise<Map<Digest, Contract>> {
  const read = await Promise.all(
    [...digests].map(async (digest) => [digest, await readContract(store, digest)] as const),
  );
  return new Map(read.flatMap(([digest, contract]) => (contract === undefined ? [] : [[digest, contract]])));
}
