import { tokenMatches, type ClaimToken } from '../../engine/attempt/claim-token.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import { outageError } from '../../store/github/artifacts/outage-error.ts';
import type { JobStore } from './job-store.ts';

/**
 * The claim that a token names and the attempts before it, from this runner, without a request to GitHub. If the claim
 * or a content that it refers to is missing or altered here, the run's artifacts are listed.
 * @throws GatelineError `ARTIFACTS_OUTAGE` if it is not in an incomplete listing
 */
export async function claimListing(store: JobStore, pipeline: string, token: ClaimToken): Promise<RecordListing> {
  const kept = await store.claims.find(token);
  if (kept !== undefined && (await isWhole(store, kept.claim))) {
    return { records: [...kept.earlier, kept.claim], problems: [] };
  }
  const key = unitKey(token.gate, token.leg);
  const only = ({ gate, leg }: { readonly gate: string; readonly leg: string }): boolean => unitKey(gate, leg) === key;
  const listing = await store.records.list(pipeline, token.subject, { only });
  const claim = listing.records.find(
    (record): record is StartedRecord => record.kind === 'started' && tokenMatches(token, record),
  );
  if (claim !== undefined) store.claims.add(claim);
  const unread = listing.problems.find(({ code }) => code === 'OUTAGE' || code === 'LISTING_LIMIT');
  if (claim === undefined && unread !== undefined) {
    throw outageError(`The claim of gate ${token.gate} is not on this runner and cannot be read: ${unread.message}`);
  }
  return listing;
}

/** Whether the request and the contract are also on this runner. */
async function isWhole({ records }: JobStore, { request, contract }: StartedRecord): Promise<boolean> {
  const reads = await Promise.all([request, contract].map((digest) => records.check(digest)));
  return reads.every(({ state }) => state === 'present');
}
