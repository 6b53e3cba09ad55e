import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Digest } from '../../../json/digest.ts';
import { parseJson } from '../../../json/parse-json.ts';
import { followable } from '../../../github/service-address.ts';
import { entryVersion, keyPrefix, originOf, type Compression, type EntryOrigin } from './entry-name.ts';
import type { HttpAnswer, HttpClient } from './http-call.ts';
import type { CacheLimits } from './limits.ts';
import { Unusable } from './unusable.ts';

/** The cache service of one job. */
export interface ServiceAccess {
  /** `ACTIONS_RESULTS_URL`; only its origin counts, as for the toolkit. */
  readonly resultsUrl: string;
  /** `ACTIONS_RUNTIME_TOKEN`. */
  readonly runtimeToken: string;
  readonly http: HttpClient;
  readonly limits: CacheLimits;
  /** Ends everything early. */
  readonly signal: AbortSignal;
}

/** An entry that the service has. */
export interface FoundEntry {
  readonly compression: Compression;
  readonly origin: EntryOrigin;
  /** A signed address: whoever has it may read the entry. */
  readonly url: URL;
}

const METHOD = '/twirp/github.actions.results.api.v1.CacheService/GetCacheEntryDownloadURL';
const MAX_ANSWER_BYTES = 64 * 1024;
const TRIES = 3;

/** Twirp tells fields in either spelling, and leaves out what is false or empty. */
const answerSchema = z.object({
  ok: z.boolean().default(false),
  matched_key: z.string().optional(),
  matchedKey: z.string().optional(),
  signed_download_url: z.string().optional(),
  signedDownloadUrl: z.string().optional(),
});

/**
 * The newest entry for a fingerprint with this compression that the job may read; undefined when there is none.
 * @throws Unusable
 */
export async function lookUp(
  access: ServiceAccess,
  fingerprint: Digest,
  compression: Compression,
): Promise<FoundEntry | undefined> {
  const prefix = keyPrefix(fingerprint);
  const asked = { key: prefix, restore_keys: [prefix], version: entryVersion(compression) };
  const { body } = await tried(access, () =>
    access.http({
      method: 'POST',
      url: new URL(METHOD, access.resultsUrl),
      headers: { authorization: `Bearer ${access.runtimeToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: access.limits.lookupMs,
      signal: access.signal,
    }),
  );
  const answer = answerSchema.safeParse(jsonIn(body));
  if (!answer.success) throw new Unusable('the answer to the lookup is not valid');
  if (!answer.data.ok) return undefined;
  const key = answer.data.matched_key ?? answer.data.matchedKey ?? '';
  const address = answer.data.signed_download_url ?? answer.data.signedDownloadUrl ?? '';
  const origin = originOf(key, fingerprint);
  if (origin === undefined) throw new Unusable('the key of the found entry is not valid');
  const url = followable(address, access.resultsUrl);
  if (url === undefined) throw new Unusable('the address of the entry is not an https address');
  return { compression, origin, url };
}

/** The entry's archive as it was uploaded. @throws Unusable */
export async function download(access: ServiceAccess, entry: FoundEntry): Promise<Buffer> {
  // The address is signed; the token is for the service only.
  const { body } = await tried(access, () =>
    access.http({
      method: 'GET',
      url: entry.url,
      headers: {},
      maxBytes: access.limits.maxBytes,
      timeoutMs: access.limits.downloadMs,
      signal: access.signal,
    }),
  );
  return body;
}

/** Makes a call again where that may help: the agent that a checkpoint saves costs more than a second. */
async function tried({ limits, signal }: ServiceAccess, call: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  for (let number = 1; ; number++) {
    try {
      const answer = await call();
      if (answer.status === 200) return answer;
      throw refusal(answer.status);
    } catch (error) {
      if (!(error instanceof Unusable && error.transient) || number === TRIES || signal.aborted) throw error;
    }
    await sleep(limits.retryMs * 5 ** (number - 1));
  }
}

function refusal(status: number): Unusable {
  if (status === 401 || status === 403) return new Unusable(`this job may not read it (status ${status})`);
  if (status === 429) return new Unusable('there were too many requests (status 429)');
  return new Unusable(`the service answered with status ${status}`, { transient: status >= 500 });
}

function jsonIn(body: Buffer): unknown {
  const parsed = parseJson(body, { maxDepth: 20 });
  return parsed.ok ? parsed.value : undefined;
}
