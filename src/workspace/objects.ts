import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange, FileVersion } from '../run/files.ts';
import { joinLines } from './git.ts';
import { statPath } from './paths.ts';
import type { Repository } from './repository.ts';
import { parseVersion } from './tree.ts';

const REFS = 'refs/gateline';
/** Younger unreachable objects may belong to a call that is at work. */
const DAY_MS = 24 * 3_600_000;

/** The ref for a name. Capitals are encoded too, since some file systems ignore case. */
export function refOf(name: string): string {
  const encoded = name.replaceAll(/[^a-z0-9_-]/gu, (character) => `=${Buffer.from(character).toString('hex')}`);
  if (encoded.length <= 200) return `${REFS}/${encoded}`;
  return `${REFS}/${encoded.slice(0, 100)}=${createHash('sha256').update(name).digest('hex')}`;
}

export async function deleteRefs({ inStore }: Repository, refs: readonly string[]): Promise<void> {
  const input = refs.map((ref) => `delete ${ref}\0\0`).join('');
  if (input !== '') await inStore(['update-ref', '--stdin', '-z'], { input });
}

/** The bytes of versions; those that are not stored, or no longer, are left out. */
export async function readVersions(
  repository: Repository,
  versions: Iterable<FileVersion>,
): Promise<Map<FileVersion, Buffer>> {
  const stored = [...versions].filter((version) => parseVersion(version) !== undefined);
  const contents = new Map<FileVersion, Buffer>();
  const blobs = stored.map((version) => parseVersion(version)!.blob);
  const input = joinLines(blobs, '\n');
  const out = input === '' ? Buffer.of() : await repository.inStore(['cat-file', '--batch'], { input });
  let at = 0;
  for (const version of stored) {
    // <object> SP blob SP <size> LF <contents> LF, or <object> SP missing LF
    const end = out.indexOf('\n', at);
    const [, type, size] = out.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type !== 'blob') continue;
    contents.set(version, out.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return contents;
}

/** Copies blobs that only the user's repository has into our own store. */
export async function storeVersions(repository: Repository, changes: readonly FileChange[]): Promise<void> {
  const versions = changes.flatMap(({ before, after }) => [before, after]);
  const blobs = [...new Set(versions.flatMap((version) => parseVersion(version)?.blob ?? []))];
  const stored = await findObjects(repository.inStoreAlone, blobs);
  const others = blobs.filter((blob) => !stored.has(blob));
  const borrowed = await findObjects(repository.inStore, others);
  if (borrowed.size > 0) await packObjects(repository, borrowed);
}

/** The first of these changes that writes a version that is not stored, or no longer. */
export async function findLost(
  { inStore }: Repository,
  changes: readonly FileChange[],
): Promise<FileChange | undefined> {
  const blobOf = ({ after }: FileChange) => parseVersion(after)?.blob ?? '';
  const writes = changes.filter(({ after }) => after !== null);
  const stored = await findObjects(inStore, new Set(writes.map(blobOf).filter((blob) => blob !== '')));
  return writes.find((change) => !stored.has(blobOf(change)));
}

/** The objects among these that exist. @param run runs git with or without the user's objects */
async function findObjects(run: Repository['inStore'], ids: Iterable<string>): Promise<Set<string>> {
  const input = joinLines(ids, '\n');
  if (input === '') return new Set();
  const lines = splitLines(await run(['cat-file', '--batch-check'], { input }));
  return new Set(lines.filter((line) => !line.endsWith(' missing')).map((line) => line.split(' ', 1)[0]!));
}

/** Packs objects of both repositories into ours. @returns the prefix of the names of the pack's files */
async function packObjects(repository: Repository, ids: Iterable<string>): Promise<string> {
  const args = ['pack-objects', '-q', '--window=0', join(repository.store, 'objects', 'pack', 'pack')];
  return `pack-${String(await repository.inStore(args, { input: joinLines(ids, '\n') })).trim()}.`;
}

/**
 * Removes objects from `.state/git` that no kept snapshot and none of these versions needs, and indexes that were not used
 * for a month. `git gc` would also remove our copies of objects that the user's repository has.
 */
export async function collectGarbage(repository: Repository, versions: Iterable<FileVersion>): Promise<void> {
  const objects = join(repository.store, 'objects');
  const blobs = [...versions].flatMap((version) => parseVersion(version)?.blob ?? []);
  const needed = new Set([...blobs, ...(await listReachable(repository))]);
  const stored = await findObjects(repository.inStoreAlone, needed);
  const earlierPacks = await readdir(join(objects, 'pack'));
  const pack = stored.size === 0 ? ' ' : await packObjects(repository, stored);
  for (const name of earlierPacks) if (!name.startsWith(pack)) await rm(join(objects, 'pack', name), { force: true });
  await repository.inStoreAlone(['prune-packed', '-q']);
  for (const path of await readdir(objects, { recursive: true })) {
    const isLoose = /^[0-9a-f]{2}\/[0-9a-f]+$/.test(path);
    const isGarbage = isLoose ? !needed.has(path.replace('/', '')) : path.includes('tmp_');
    if (isGarbage) await removeOld(join(objects, path), DAY_MS);
  }
  for (const name of await readdir(repository.store)) {
    if (name.startsWith('index-')) await removeOld(join(repository.store, name), 30 * DAY_MS);
  }
}

/** All objects that our refs and our index reach. Drops refs of snapshots that the user's `git gc` removed. */
async function listReachable(repository: Repository): Promise<string[]> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', REFS];
  const refs = splitLines(await repository.inStore(args)).map((line) => line.split(' ') as [string, string]);
  const roots = await findObjects(repository.inStore, new Set(refs.map(([id]) => id)));
  const lost = refs.flatMap(([id, ref]) => (roots.has(id) ? [] : [ref]));
  await deleteRefs(repository, lost);
  const options = ['--objects', '--indexed-objects', '--missing=allow-any', '--no-object-names', '--stdin'];
  return splitLines(await repository.inStore(['rev-list', ...options], { input: joinLines(roots, '\n') }));
}

function splitLines(out: Buffer): string[] {
  return out.toString().split('\n').slice(0, -1);
}

async function removeOld(path: string, ms: number): Promise<void> {
  const stat = statPath(path);
  if (stat !== undefined && Date.now() - Number(stat.mtimeMs) > ms) await rm(path, { recursive: true, force: true });
}
