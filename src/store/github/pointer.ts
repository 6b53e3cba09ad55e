import { messageOf } from '../../errors.ts';
import { within } from '../../github/retry.ts';
import { hexOf, type Digest } from '../../json/digest.ts';

/** Claims where the newest document of a request is. Anybody who can write the cache can make one. */
export interface AttemptPointer {
  readonly runId: number;
  readonly runAttempt: number;
  /** Of the document. */
  readonly digest: Digest;
}

/** How long to wait for the cache, which is optional. */
const LIMIT_MS = 10_000;
/**
 * The content of all entries, which is never restored: the key is the pointer. The client hashes the path as written and
 * resolves it from the working directory. This path is the same everywhere; a file of our own would need `process.chdir`.
 */
const CONTENT = process.platform === 'win32' ? String.raw`C:\Windows\win.ini` : '/dev/null';

const prefixOf = (fingerprint: Digest): string => `gateline-1-${hexOf(fingerprint)}-`;

export function pointerKey(fingerprint: Digest, { runId, runAttempt, digest }: AttemptPointer): string {
  return `${prefixOf(fingerprint)}${runId}-${runAttempt}-${hexOf(digest)}`;
}

/** Undefined: not the key of a pointer for this request. */
export function parsePointerKey(key: string, fingerprint: Digest): AttemptPointer | undefined {
  const match = /^(\d{1,15})-(\d{1,6})-([0-9a-f]{64})(?:-2)?$/.exec(key.slice(prefixOf(fingerprint).length));
  if (!match || !key.startsWith(prefixOf(fingerprint))) return undefined;
  return { runId: Number(match[1]), runAttempt: Number(match[2]), digest: `sha256:${match[3]}` };
}

/**
 * The newest pointer in the caches of this job's branch, its base and the default branch; undefined also if the cache
 * fails.
 * @param runId only pointers to this run. Default: any
 */
export async function findPointer(fingerprint: Digest, runId?: number): Promise<AttemptPointer | undefined> {
  try {
    const { restoreCache } = await import('@actions/cache');
    const prefix = `${prefixOf(fingerprint)}${runId === undefined ? '' : `${runId}-`}`;
    const lookup = restoreCache([CONTENT], prefix, [], { lookupOnly: true });
    const key: unknown = await within(LIMIT_MS, 'The cache', lookup);
    return typeof key === 'string' ? parsePointerKey(key, fingerprint) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Saves where the document of a request is: without it, later runs start the agent again. A failed try is repeated once
 * under another key, since the first key stays taken.
 * @returns why it was not saved; undefined: it was. The client prints the response of the service
 */
export async function savePointer(fingerprint: Digest, pointer: AttemptPointer): Promise<string | undefined> {
  let problem: string | undefined;
  for (const suffix of ['', '-2'])
    try {
      const { saveCache } = await import('@actions/cache');
      const key = `${pointerKey(fingerprint, pointer)}${suffix}`;
      const id = await within(LIMIT_MS, 'The cache', saveCache([CONTENT], key));
      if (id !== -1) return undefined;
      problem ??= 'the cache took no entry';
    } catch (error) {
      problem ??= messageOf(error);
    }
  return problem;
}
