import { messageOf } from '../../errors.ts';
import { within } from '../../github/retry.ts';
import { hexOf, type Digest } from '../../json/digest.ts';
import type { JobRef } from './document.ts';

/** Where the newest document of a request is said to be. Anybody who may write the cache can say so. */
export interface AttemptPointer {
  readonly runId: number;
  readonly runAttempt: number;
  /** Of the document. */
  readonly digest: Digest;
}

/** The cache is optional: a look at it, or an entry in it, may take 10 s. */
const LIMIT_MS = 10_000;

/**
 * The content of all entries, which is never restored: the key says everything. The client hashes the path as it is
 * written and looks for it from the working directory, so it must be one text that exists on every machine: an empty
 * file of our own would need `process.chdir` beside whatever else the process does.
 */
const CONTENT = process.platform === 'win32' ? String.raw`C:\Windows\win.ini` : '/dev/null';

const KEY = /^gateline-1-([0-9a-f]{64})-(\d{1,16})-(\d{1,6})-([0-9a-f]{64})$/;

/** `gateline-1-<fingerprint>-<run>-<run attempt>-<digest of the document>`. */
export function pointerKey(fingerprint: Digest, { runId, runAttempt, digest }: AttemptPointer): string {
  return `gateline-1-${hexOf(fingerprint)}-${runId}-${runAttempt}-${hexOf(digest)}`;
}

/** Undefined for a key of anything else, or of another request. */
export function parsePointerKey(key: string, fingerprint: Digest): AttemptPointer | undefined {
  const [, request, runId, runAttempt, digest] = KEY.exec(key) ?? [];
  if (digest === undefined || request !== hexOf(fingerprint)) return undefined;
  return { runId: Number(runId), runAttempt: Number(runAttempt), digest: `sha256:${digest}` };
}

/**
 * The newest pointer in the scopes that this job reads: of its own branch, its base and the default branch. A failure of
 * the cache looks like an absent pointer.
 */
export async function findPointer(fingerprint: Digest): Promise<AttemptPointer | undefined> {
  try {
    const { restoreCache } = await import('@actions/cache');
    const prefix = `gateline-1-${hexOf(fingerprint)}-`;
    const lookup = restoreCache([CONTENT], prefix, [], { lookupOnly: true });
    const key: unknown = await within(LIMIT_MS, 'The cache', lookup);
    return typeof key === 'string' ? parsePointerKey(key, fingerprint) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Remembers where the document of a request is.
 * @returns why it did not; the client prints reasons of the service itself
 */
export async function savePointer(
  fingerprint: Digest,
  { runId, runAttempt }: Pick<JobRef, 'runId' | 'runAttempt'>,
  digest: Digest,
): Promise<string | undefined> {
  try {
    const { saveCache } = await import('@actions/cache');
    const id = await within(
      LIMIT_MS,
      'The cache',
      saveCache([CONTENT], pointerKey(fingerprint, { runId, runAttempt, digest })),
    );
    return id === -1 ? 'the cache took no entry' : undefined;
  } catch (error) {
    return messageOf(error);
  }
}
