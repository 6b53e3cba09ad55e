import { z } from 'zod';
import type { Digest } from '../../../json/digest.ts';
import { callFailureOf, parsedAnswer, refusal } from '../../../github/call-failure.ts';
import { systemClock } from '../../../github/clock.ts';
import { bytesOf, send, type HttpRequest } from '../../../github/http.ts';
import type { CacheLimits } from '../../../github/limits.ts';
import { timeUntil } from '../../../github/outage-budget.ts';
import { retry } from '../../../github/retry.ts';
import { followable } from '../../../github/service-address.ts';
import { entryVersion, keyPrefix, originOf, type Compression, type EntryOrigin } from './entry-name.ts';
import { Unusable } from './unusable.ts';

/** The cache service of one job. */
export interface ServiceAccess {
  /** `ACTIONS_RESULTS_URL`; only its origin is used, as in the toolkit. */
  readonly resultsUrl: string;
  /** `ACTIONS_RUNTIME_TOKEN`. */
  readonly runtimeToken: string;
  readonly limits: CacheLimits;
  /** When all work ends, on the system's clock. */
  readonly deadline: number;
}

/** An entry of the service. */
export interface FoundEntry {
  readonly compression: Compression;
  readonly origin: EntryOrigin;
  /** A signed address: its holder can read the entry. */
  readonly url: URL;
}

const METHOD = '/twirp/github.actions.results.api.v1.CacheService/GetCacheEntryDownloadURL';
const MAX_ANSWER_BYTES = 64 * 1024;

/** Twirp sends fields in either spelling, and omits false or empty ones. */
const answerSchema = z.object({
  ok: z.boolean().default(false),
  matched_key: z.string().optional(),
  matchedKey: z.string().optional(),
  signed_download_url: z.string().optional(),
  signedDownloadUrl: z.string().optional(),
});

/**
 * The newest entry for a fingerprint with this compression that the job may read; undefined if there is none.
 * @throws Unusable
 */
export async function lookUp(
  access: ServiceAccess,
  fingerprint: Digest,
  compression: Compression,
): Promise<FoundEntry | undefined> {
  const prefix = keyPrefix(fingerprint);
  const asked = { key: prefix, restore_keys: [prefix], version: entryVersion(compression) };
  const what = 'the lookup';
  const request: HttpRequest = {
    what,
    method: 'POST',
    url: new URL(METHOD, access.resultsUrl).href,
    headers: { authorization: `Bearer ${access.runtimeToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
    maxBytes: MAX_ANSWER_BYTES,
    limit: access.limits.lookupMs,
  };
  const answer = await answered(access, request, (bytes) => parsedAnswer(what, answerSchema, bytes));
  if (!answer.ok) return undefined;
  const key = answer.matched_key ?? answer.matchedKey ?? '';
  const address = answer.signed_download_url ?? answer.signedDownloadUrl ?? '';
  const origin = originOf(key, fingerprint);
  if (origin === undefined) throw new Unusable('the key of the found entry is not valid');
  const url = followable(address, access.resultsUrl);
  if (url === undefined) throw new Unusable('the address of the entry is not an https address');
  return { compression, origin, url };
}

/** The entry's archive as it was uploaded. @throws Unusable */
export function download(access: ServiceAccess, { url }: FoundEntry): Promise<Buffer> {
  const { maxBytes, downloadMs: limit } = access.limits;
  // The address is signed; the token is only for the service.
  const request: HttpRequest = { what: 'the download', method: 'GET', url: url.href, maxBytes, limit };
  return answered(access, request, (bytes) => bytes);
}

/** A complete response with status 200. Retrying is cheaper than the agent that a checkpoint saves. */
async function answered<T>(
  { limits, deadline }: ServiceAccess,
  request: HttpRequest,
  accept: (bytes: Buffer) => T,
): Promise<T> {
  const budget = timeUntil(Math.min(deadline, systemClock.now() + request.limit), systemClock);
  const call = async (): Promise<T> => {
    const answer = await send({ ...request, limit: Math.max(1, budget.left()), idle: request.limit });
    if (answer.status === 200) return accept(await bytesOf(answer.body));
    answer.discard();
    throw refusal(request.what, answer);
  };
  const options = { rules: limits, budget, clock: systemClock, random: Math.random, failureOf: callFailureOf };
  const came = await retry(call, options);
  if (came.ok) return came.value;
  throw new Unusable(came.failure.message);
}
