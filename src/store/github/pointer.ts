import { messageOf } from '../../errors.ts';
import { within } from '../../github/retry.ts';
import { hexOf, type Digest } from '../../json/digest.ts';

/** Where the newest document of a request is said to be. Anybody who may write the cache can say so. */
export interface AttemptPointer {
  readonly runId: number;
  readonly runAttempt: number;
  /** Of the document. */
  readonly digest: Digest;
}

/** Milliseconds: the cache is optional. */
const LIMIT = 10_000;
/**
 * What all entries hold. It is never restored: the key says everything. The client hashes the path as it is written and
 * resolves it from the working directory: this one is the same everywhere, where a file of our own would need
 * `process.chdir` beside whatever else the process does.
 */
const CONTENT = process.platform === 'win32' ? String.raw`C:\Windows\win.ini` : '/dev/null';

const prefixOf = (fingerprint: Digest): string => `gateline-1-${hexOf(fingerprint)}-`;

export function pointerKey(fingerprint: Digest, { runId, runAttempt, digest }: AttemptPointer): string {
  return `${prefixOf(fingerprint)}${runId}-${runAttempt}-${hexOf(digest)}`;
}

/** Undefined for a key of anything else, or of another request. */
export function parsePointerKey(key: string, fingerprint: Digest): AttemptPointer | undefined {
  const match = /^(\d{1,15})-(\d{1,6})-([0-9a-f]{64})(?:-2)?$/.exec(key.slice(prefixOf(fingerprint).length));
  if (!match || !key.startsWith(prefixOf(fingerprint))) return undefined;
  return { runId: Number(match[1]), runAttempt: Number(match[2]), digest: `sha256:${match[3]}` };
}

/**
 * The newest pointer that this job's branch, its base or the default branch has; a failure of the cache is none.
 * @param runId the run that it must name; default: any
 */
export async function findPointer(fingerprint: Digest, runId?: number): Promise<AttemptPointer | undefined> {
  try {
    const { restoreCache } = await import('@actions/cache');
    const prefix = `${prefixOf(fingerprint)}${runId === undefined ? '' : `${runId}-`}`;
    const lookup = restoreCache([CONTENT], prefix, [], { lookupOnly: true });
    const key: unknown = await within(LIMIT, 'The cache', lookup);
    return typeof key === 'string' ? parsePointerKey(key, fingerprint) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Remembers where the document of a request is: else later runs start its agent again. A failed try is repeated once,
 * under another key, since the first stays taken. Returns why it did not; the client prints what the service says.
 */
export async function savePointer(fingerprint: Digest, pointer: AttemptPointer): Promise<string | undefined> {
  let problem: string | undefined;
  for (const suffix of ['', '-2'])
    try {
      const { saveCache } = await import('@actions/cache');
      const key = `${pointerKey(fingerprint, pointer)}${suffix}`;
      const id = await within(LIMIT, 'The cache', saveCache([CONTENT], key));
      if (id !== -1) return undefined;
      problem ??= 'the cache took no entry';
    } catch (error) {
      problem ??= messageOf(error);
    }
  return problem;
}
