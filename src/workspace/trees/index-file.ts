import { constants } from 'node:fs';
import { open, rm, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { BYTES_OF_ID, type ObjectFormat } from '../files/blob.ts';
import { lookBelow } from '../files/look.ts';
import { bytesOfName, splitNames } from '../files/path-bytes.ts';
import type { IndexedFolder, ObjectStore } from '../objects/object-store.ts';

/**
 * Identifies a state of an index file: the checksum that git writes at its end, or size and time if git is configured
 * to omit the checksum (`index.skipHash`). `undefined`: there is no index.
 * @throws GatelineError `WORKSPACE_UNREADABLE` when something else is in its place
 */
export async function indexState(path: string, format: ObjectFormat): Promise<string | undefined> {
  const file = await openIndex(path);
  if (file === undefined) return undefined;
  await using opened = file;
  const { size, mtimeMs, ino } = await opened.stat();
  const length = BYTES_OF_ID[format];
  const { buffer } = await opened.read(Buffer.alloc(length), 0, length, Math.max(0, size - length));
  return buffer.some((byte) => byte !== 0) ? buffer.toString('hex') : `${ino}.${size}.${mtimeMs}`;
}

/**
 * Copies an index with its modification time: git treats a file as unchanged if its entry is older than the index, so a
 * newer copy would hide an edit made within the same second in which the original was written.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const file = await openIndex(from);
  await rm(`${to}.lock`, { force: true });
  if (file === undefined) return rm(to, { force: true });
  await using opened = file;
  const { mtimeMs } = await opened.stat();
  await writeFile(to, await opened.readFile(), { mode: 0o600 });
  // Rounded down to be safe: more entries are compared by content.
  const seconds = Math.floor(mtimeMs / 1_000);
  await utimes(to, seconds, seconds);
}

/** Opened without waiting for the writer of a pipe, which an agent may have put there. */
async function openIndex(path: string): Promise<FileHandle | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
  throw new GatelineError('WORKSPACE_UNREADABLE', `${path} is not a plain file.`, {
    hint: 'Something replaced the index of git. Remove it and run `git reset` there.',
  });
}

/**
 * Paths of an index, and those that git does not look at: `assume-unchanged`, and `skip-worktree` (set by sparse
 * checkouts). The raw entries are read: in a sparse checkout git would leave out those that are on disk anyway.
 */
export async function unlookedEntries(
  store: ObjectStore,
  where: IndexedFolder,
): Promise<{ readonly paths: string[]; readonly assumed: string[]; readonly skipped: string[] }> {
  const { out } = await store.git(['-c', 'core.sparseCheckout=false', 'ls-files', '-v', '-z'], where);
  const paths: string[] = [];
  const assumed: string[] = [];
  const skipped: string[] = [];
  for (const line of splitNames(out)) {
    const [tag, path] = [line[0]!, line.slice(2)];
    paths.push(path);
    if (tag !== tag.toUpperCase()) assumed.push(path);
    if (tag.toUpperCase() === 'S') skipped.push(path);
  }
  return { paths, assumed, skipped };
}

/**
 * Makes git look at skipped entries that are now on disk. Newer versions of git do so automatically in sparse
 * checkouts.
 */
export async function unskipPresent(store: ObjectStore, where: IndexedFolder): Promise<void> {
  const look = lookBelow(where.folder);
  const present = (await unlookedEntries(store, where)).skipped.filter((path) => look(path) !== undefined);
  if (present.length === 0) return;
  await store.git(['update-index', '--no-skip-worktree', '-z', '--stdin'], where, { input: listOfNames(present) });
}

/** A NUL-terminated list of names, as git reads it. */
export function listOfNames(names: Iterable<string>): Buffer {
  const nul = Buffer.from([0]);
  return Buffer.concat([...names].flatMap((name) => [bytesOfName(name), nul]));
}
