import { createHash } from 'node:crypto';
import { bodyOf, refusal, send } from './http.ts';
import { CallFailure, limitFor, trying, type ServiceLimits } from './limits.ts';
import { asDigest, type ResultsClient } from './results-client.ts';
import type { Tried } from './uploads.ts';

/** Bytes up to which one request takes a file; larger ones go by GitHub's own client, block by block. */
export const DIRECT_LIMIT = 4 * 1024 * 1024;

/** A small file to be an artifact as it is. */
export interface DirectUpload {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** ISO 8601; absent: the repository's setting. */
  readonly expiresAt?: string;
}

/**
 * Uploads a small file in three requests: its name is taken, its bytes are put (with their MD5, so that what was damaged
 * on the way is refused), and it is made visible. GitHub's own client takes four, and a quarter of a second to load.
 */
export async function uploadDirectly(
  results: ResultsClient,
  { name, bytes, expiresAt }: DirectUpload,
  limits: ServiceLimits,
): Promise<Tried> {
  let address: string;
  try {
    address = await results.create(name, expiresAt);
  } catch (error) {
    return judgeCreate(error);
  }
  try {
    await again(limits, () => putBlob(name, address, bytes, limits));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const id = await again(limits, () => results.finalize(name, bytes.length, digest));
    return { state: 'created', artifact: { name, id, size: bytes.length, ...asDigest(digest), expired: false } };
  } catch (error) {
    return { state: 'failed', why: wordsOf(error) };
  }
}

/**
 * Makes a call until it answers. The name is taken by now: to begin anew would find it taken by nobody, and a claim would be
 * lost. To put the same bytes twice changes nothing; an end that was told twice shows itself when the name is asked for.
 * @throws CallFailure
 */
async function again<T>(limits: ServiceLimits, call: () => Promise<T>): Promise<T> {
  let last: unknown;
  const answer = await trying(limits, { left: limits.tries }, async () => {
    try {
      return await call();
    } catch (error) {
      last = error;
      throw error;
    }
  });
  if (answer.ok) return answer.value;
  throw last;
}

/** https://learn.microsoft.com/rest/api/storageservices/put-blob */
async function putBlob(name: string, url: string, bytes: Uint8Array, limits: ServiceLimits): Promise<void> {
  const what = `the upload of ${name}`;
  const answer = await send({
    what,
    method: 'PUT',
    url,
    headers: {
      'x-ms-blob-type': 'BlockBlob',
      'x-ms-version': '2025-11-05',
      'x-ms-blob-content-type': 'application/json',
      'content-type': 'application/json',
      'content-md5': createHash('md5').update(bytes).digest('base64'),
      'content-length': String(bytes.length),
    },
    body: bytes,
    limit: limitFor(limits.callMs, bytes.length),
    maxBytes: 64 * 1024,
  });
  await bodyOf(answer);
  if (answer.status !== 201) throw refusal(what, answer);
}

/** Only the answer to CreateArtifact says that a name is taken or that nothing of this form is. */
function judgeCreate(error: unknown): Tried {
  if (!(error instanceof CallFailure)) throw error;
  if (error.status === 409) return { state: 'taken' };
  const final = error.status !== undefined && !error.passing;
  return { state: final ? 'refused' : 'failed', why: wordsOf(error) };
}

function wordsOf(error: unknown): string {
  if (error instanceof CallFailure)
    return error.status === undefined ? error.message : `${error.message} (${error.status})`;
  throw error;
}
