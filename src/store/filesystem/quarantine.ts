import { copyFile, link, lstat, rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { constants, type BigIntStats } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ReadFault } from '../../run/records/reading.ts';
import { digestOf, hexOf } from '../../json/digest.ts';
import { unlessAbsent } from '../../errors/store-errors.ts';
import { atomicWrite } from './atomic-write.ts';
import { syncFile, syncFolder } from './durable.ts';
import { isSameFile } from './read-file.ts';
import type { StateFolder } from './state-folder.ts';

/** Name of the folder below the root of a state; what is in it is named as in that root. */
export const QUARANTINE = 'quarantine';

/** Format of the file that replaces a record moved to quarantine. */
export const TOMBSTONE_FORMAT = 'gateline-tombstone/1';

/** The file that replaces a record moved to quarantine: its name stays taken, and every listing reports it. */
export const tombstoneSchema = z.object({
  format: z.literal(TOMBSTONE_FORMAT),
  code: z.enum(['TRUNCATED', 'CORRUPT', 'FOREIGN']),
  message: z.string().max(1_000),
  /** Where the bytes are now, relative to the workspace. */
  quarantine: z.string().max(4_096),
});

/** Digits of the digest in the name of a quarantined file: identical bytes are kept once. */
const DIGITS = 12;

/**
 * Keep the bytes of a bad record in `quarantine/`, and put a tombstone in its place. The record's name stays taken at
 * all times, and only the file that was judged is moved.
 *
 * @param judged the file from which the bytes were read
 * @returns the path of the kept bytes; `undefined` when the file has changed in the meantime: read it again
 */
export async function buryRecord(
  state: StateFolder,
  path: string,
  bytes: Uint8Array,
  judged: BigIntStats,
  why: ReadFault,
): Promise<string | undefined> {
  const target = quarantinePath(state, path, hexOf(digestOf(bytes)).slice(0, DIGITS));
  const { temporaryFolder, onDurable } = state;
  await state.folder(dirname(target));
  await state.folder(dirname(path));
  await atomicWrite(target, bytes, { temporaryFolder, onDurable });
  await explain(state, path, target, why);
  const tombstone = { format: TOMBSTONE_FORMAT, code: why.code, message: why.message, quarantine: state.show(target) };
  const now = await unlessAbsent(lstat(path, { bigint: true }));
  if (now === undefined || !isSameFile(now, judged)) return undefined;
  await atomicWrite(path, `${JSON.stringify(tombstone, null, 2)}\n`, { temporaryFolder, onDurable });
  return target;
}

/**
 * Copy altered content to `quarantine/` and leave it in its place, where it is reported until the right bytes replace
 * it. Repeating it with the same bytes has no effect.
 *
 * @param tag suffix of the name in quarantine: digits of the current digest
 * @returns path of the copy
 */
export async function keepAside(state: StateFolder, path: string, tag: string, why: ReadFault): Promise<string> {
  const kept = await keptAside(state, path, tag);
  if (kept !== undefined) return kept;
  const target = quarantinePath(state, path, tag.slice(0, DIGITS));
  await state.folder(dirname(target));
  if ((await lstat(path)).isFile()) await copy(state.temporaryFolder, path, target);
  else await link(path, target);
  await syncFolder(dirname(target));
  state.onDurable(`quarantine ${state.show(target)}`);
  await explain(state, path, target, why);
  return target;
}

/** Where {@link keepAside} keeps these bytes; `undefined`: it does not yet. */
export async function keptAside(state: StateFolder, path: string, tag: string): Promise<string | undefined> {
  const target = quarantinePath(state, path, tag.slice(0, DIGITS));
  return (await unlessAbsent(lstat(target))) === undefined ? undefined : target;
}

/** `runs/a/1/x.json` → `quarantine/runs/a/1/x.json.<tag>`: the name shows its origin. */
function quarantinePath(state: StateFolder, path: string, tag: string): string {
  return `${join(state.root, QUARANTINE, relative(state.root, path))}.${tag}`;
}

/** A copy, not a link: who repairs the file in its place must not change it. */
async function copy(temporaryFolder: string, path: string, target: string): Promise<void> {
  const temporary = join(temporaryFolder, `${randomUUID()}.tmp`);
  await copyFile(path, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await syncFile(temporary);
  await rename(temporary, target);
}

/** A note next to the file, for people. */
async function explain(state: StateFolder, path: string, target: string, why: ReadFault): Promise<void> {
  const note = { was: state.show(path), code: why.code, message: why.message };
  const { temporaryFolder, onDurable } = state;
  await atomicWrite(`${target}.why.json`, `${JSON.stringify(note, null, 2)}\n`, { temporaryFolder, onDurable });
}
