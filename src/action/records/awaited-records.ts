import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import { unreadIn, type RecordListing } from '../../run/records/reading.ts';
import { comparePositions, unitOf, type EndedRecord } from '../../run/records/record.ts';
import type { RecordStore, Selection } from '../../store/record-store.ts';
import type { WaitLimits } from '../inputs/time-limits.ts';

/** Which records to wait for. */
export interface AwaitedRecords {
  readonly runNumber: number;
  readonly runAttempt: number;
  /** The subject that the needed jobs worked on: records of others are not waited for. */
  readonly subject: string;
  /** Digests of outputs by gate, as needed jobs reported them. */
  readonly digests: ReadonlyMap<string, Digest>;
  /** If a file defines the pipeline: jobs may also report digests of other things than gates. */
  readonly pipeline: Pick<Pipeline, 'gates'> | undefined;
  readonly limits: WaitLimits;
  /** Ends the wait early. */
  readonly signal: AbortSignal;
  /** Called once, when a wait begins. */
  readonly onWait: (gates: readonly string[]) => void;
}

/**
 * Repeats the listing, for a bounded time, while it does not show the record of an output that a needed job reported:
 * that job is over, so the record exists, and a listing may be slightly behind. After that time the listing is used as
 * it is.
 */
export function awaitingList(store: Pick<RecordStore, 'list'>, awaited: AwaitedRecords): RecordStore['list'] {
  const { limits, signal, onWait } = awaited;
  let until: number | undefined;
  return async (pipeline, subject, selection) => {
    for (let looks = 0; ; looks += 1) {
      const listing = await store.list(pipeline, subject, selection);
      const missing = subject === awaited.subject ? notShown(listing, awaited, selection) : [];
      if (missing.length === 0 || signal.aborted) return listing;
      if (until === undefined) onWait(missing);
      until ??= performance.now() + limits.shownMs;
      const left = until - performance.now();
      if (left <= 0) return listing;
      const pause = Math.min(left, limits.longestPauseMs, limits.pauseMs * 2 ** looks);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  };
}

/**
 * Gates whose output was reported but whose record is not listed. A record that exists but cannot be read is not waited
 * for. A failure of an earlier run attempt is not the reported record, even with the same output.
 */
function notShown(
  { records, problems }: RecordListing,
  { digests, pipeline, runNumber, runAttempt }: AwaitedRecords,
  { only }: Selection = { only: () => true },
): string[] {
  const known = records.filter((record) => record.runNumber === runNumber);
  const unread = unreadIn(problems).filter((record) => record.runNumber === runNumber);
  const isClaimed = (ended: EndedRecord): boolean =>
    [...known, ...unread].some(
      (one) => one.kind === 'started' && unitOf(one) === unitOf(ended) && comparePositions(one, ended) === 0,
    );
  const isOutdated = ({ verdict, ...one }: EndedRecord): boolean =>
    verdict.status === 'failed' && one.runAttempt < runAttempt;
  const ends = known.filter((one) => one.kind === 'ended').filter((one) => !isOutdated(one) && isClaimed(one));
  const isShown = (gate: string, digest: Digest): boolean =>
    unread.some((one) => one.kind === 'ended' && one.gate === gate) ||
    ends.some((one) => one.gate === gate && one.value?.digest === digest);
  return [...digests].flatMap(([gate, digest]) => {
    const defined = pipeline?.gates.find(({ id }) => id === gate);
    const legs = pipeline === undefined ? [''] : (defined?.legs.map(({ id }) => id) ?? []);
    return legs.some((leg) => only({ gate, leg })) && !isShown(gate, digest) ? [gate] : [];
  });
}
