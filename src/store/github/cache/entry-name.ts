import { createHash } from 'node:crypto';
import { hexOf, type Digest } from '../../../json/digest.ts';

/**
 * The path passed to the toolkit. It is hashed as written, so it must be the same text on every runner; the saving
 * process decides where it leads (docs/adr/0009).
 */
export const ENTRY_PATH = 'gateline-checkpoint';

/** Folder that {@link ENTRY_PATH} is in, as named in the archive. */
export const ARCHIVE_FOLDER = 'save';

/** The file with the records. All others are contents, named by the hex digits of their digest. */
export const DOCUMENT_NAME = 'checkpoint.json';

/** The origin of an entry: its run and attempt. */
export interface EntryOrigin {
  /** `GITHUB_RUN_ID`: decimal digits. */
  readonly runId: string;
  /** `GITHUB_RUN_ATTEMPT`, from 1. */
  readonly runAttempt: number;
  /** Later entries of one run attempt have a higher one; absent: the first. */
  readonly revision?: number | undefined;
}

/** Prefix of the keys of all entries for a fingerprint; 74 characters. */
export function keyPrefix(fingerprint: Digest): string {
  return `gateline-${hexOf(fingerprint)}-`;
}

/**
 * The key under which this run stores its checkpoint: one for each run attempt, so that a bad entry can be superseded.
 */
export function entryKey(fingerprint: Digest, { runId, runAttempt, revision }: EntryOrigin): string {
  return `${keyPrefix(fingerprint)}${runId}.${runAttempt}${revision === undefined ? '' : `.${revision}`}`;
}

/** Run and attempt of a key that {@link entryKey} made for this fingerprint; undefined for any other key. */
export function originOf(key: string, fingerprint: Digest): EntryOrigin | undefined {
  const prefix = keyPrefix(fingerprint);
  const match = key.startsWith(prefix)
    ? /^([0-9]{1,20})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?$/.exec(key.slice(prefix.length))
    : null;
  if (match === null) return undefined;
  const [, runId, runAttempt, revision] = match;
  return {
    runId: runId!,
    runAttempt: Number(runAttempt),
    ...(revision !== undefined && { revision: Number(revision) }),
  };
}

/** Positive when `a` was made by a later run or attempt. */
export function compareOrigins(a: EntryOrigin, b: EntryOrigin): number {
  const runs = BigInt(a.runId) - BigInt(b.runId);
  if (runs !== 0n) return Number(runs > 0n) - Number(runs < 0n);
  return a.runAttempt - b.runAttempt || (a.revision ?? 0) - (b.revision ?? 0);
}

/** How an entry is compressed, in the toolkit's terms. */
export const COMPRESSIONS = ['zstd-without-long', 'gzip'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** The toolkit changes this when older archives can no longer be read. */
const VERSION_SALT = '1.0';

/**
 * The version that the toolkit gives to our entries with this compression, on every system (`enableCrossOsArchive`).
 * Source: `getCacheVersion` of @actions/cache, checked by test/store/github/cache/contract.test.ts.
 */
export function entryVersion(compression: Compression): string {
  return createHash('sha256').update([ENTRY_PATH, compression, VERSION_SALT].join('|')).digest('hex');
}
