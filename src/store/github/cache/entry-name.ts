import { createHash } from 'node:crypto';
import { hexOf, type Digest } from '../../../json/digest.ts';

/**
 * What is handed to the toolkit as the path to save. It is hashed as it is written, so it must be one text on every
 * runner; where it leads is decided by the process that saves (docs/adr/0009).
 */
export const ENTRY_PATH = 'gateline-checkpoint';

/** Folder that {@link ENTRY_PATH} is in, as the archive names it. */
export const ARCHIVE_FOLDER = 'save';

/** The file with the records. All others are contents, named by the hex digits of their digest. */
export const DOCUMENT_NAME = 'checkpoint.json';

/** Where a run's entry comes from: its run and attempt. */
export interface EntryOrigin {
  /** `GITHUB_RUN_ID`: decimal digits. */
  readonly runId: string;
  /** `GITHUB_RUN_ATTEMPT`, from 1. */
  readonly runAttempt: number;
}

/** What the keys of all entries for a fingerprint begin with; 74 characters. */
export function keyPrefix(fingerprint: Digest): string {
  return `gateline-${hexOf(fingerprint)}-`;
}

/** The key under which this run keeps its checkpoint: one for each run attempt, so that a bad entry can be superseded. */
export function entryKey(fingerprint: Digest, { runId, runAttempt }: EntryOrigin): string {
  return `${keyPrefix(fingerprint)}${runId}.${runAttempt}`;
}

/** Run and attempt of a key that {@link entryKey} made for this fingerprint; undefined for any other key. */
export function originOf(key: string, fingerprint: Digest): EntryOrigin | undefined {
  const prefix = keyPrefix(fingerprint);
  const match = key.startsWith(prefix) ? /^([0-9]{1,20})\.([0-9]{1,9})$/.exec(key.slice(prefix.length)) : null;
  return match === null ? undefined : { runId: match[1]!, runAttempt: Number(match[2]) };
}

/** Positive when `a` was made by a later run or attempt. */
export function compareOrigins(a: EntryOrigin, b: EntryOrigin): number {
  const runs = BigInt(a.runId) - BigInt(b.runId);
  return runs === 0n ? a.runAttempt - b.runAttempt : Number(runs > 0n) - Number(runs < 0n);
}

/** How an entry is compressed, as the toolkit calls it. */
export const COMPRESSIONS = ['zstd-without-long', 'gzip'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** Changed by the toolkit when archives of before can no longer be read. */
const VERSION_SALT = '1.0';

/**
 * The version that the toolkit gives to our entries with this compression, on every system (`enableCrossOsArchive`).
 * Source: `getCacheVersion` of @actions/cache, held by test/store/github/cache/contract.test.ts.
 */
export function entryVersion(compression: Compression): string {
  return createHash('sha256').update([ENTRY_PATH, compression, VERSION_SALT].join('|')).digest('hex');
}
