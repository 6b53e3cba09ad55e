import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange, FileVersion } from '../run/files.ts';
import type { Repository } from './repository.ts';
import { parseVersion } from './tree.ts';
import type { Snapshot } from './workspace.ts';

const REFS = 'refs/gateline';
/** Blobs that one command reads into memory. */
const BATCH = 100;
/** Unreachable objects younger than a day may belong to a call that is at work. */
const DAY_MS = 24 * 3_600_000;

/** A ref of any name. Capitals too are encoded: some file systems ignore case. */
function refOf(name: string): string {
  const encoded = name.replaceAll(/[^a-z0-9_-]/g, (character) => `=${Buffer.from(character).toString('hex')}`);
  if (encoded.length <= 200) return `${REFS}/${encoded}`;
  return `${REFS}/${encoded.slice(0, 100)}=${createHash('sha256').update(name).digest('hex')}`;
}

export async function keepSnapshot(repository: Repository, name: string, { tree }: Snapshot): Promise<void> {
  await repository.inStore(['update-ref', refOf(name), tree]);
}

/** Names without a ref are no error. */
export async function dropRefs(repository: Repository, names: readonly string[]): Promise<void> {
  const input = names.map((name) => `delete ${refOf(name)}\0\0`).join('');
  if (input !== '') await repository.inStore(['update-ref', '--stdin', '-z'], { input });
}

/** The bytes of stored versions, by version; those that are not stored or no longer there are left out. */
export async function readVersions(
  repository: Repository,
  versions: Iterable<FileVersion>,
): Promise<Map<FileVersion, Buffer>> {
  const stored = [...new Set(versions)].flatMap((version) => {
    const blob = parseVersion(version)?.blob;
    return blob === undefined ? [] : [{ version, blob }];
  });
  const contents = new Map<FileVersion, Buffer>();
  for (let start = 0; start < stored.length; start += BATCH) {
    const batch = stored.slice(start, start + BATCH);
    const out = await repository.inStore(['cat-file', '--batch'], {
      input: batch.map(({ blob }) => `${blob}\n`).join(''),
    });
    let at = 0;
    for (const { version } of batch) {
      // <object> SP blob SP <size> LF <contents> LF, or <object> SP missing LF
      const end = out.indexOf('\n', at);
      const [, type, size] = out.toString('latin1', at, end).split(' ');
      at = end + 1;
      if (type !== 'blob') continue;
      contents.set(version, out.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
  }
  return contents;
}

/** Stores bytes as they would be read back, without filters. */
export async function storeBytes(repository: Repository, bytes: Uint8Array): Promise<string> {
  return (await repository.inStore(['hash-object', '-w', '--stdin'], { input: bytes })).toString().trim();
}

/** Copies blobs that only the user's repository has into our own store. */
export async function storeVersions(repository: Repository, changes: readonly FileChange[]): Promise<void> {
  const versions = changes.flatMap(({ before, after }) => [before, after]);
  const blobs = new Set(versions.flatMap((version) => parseVersion(version)?.blob ?? []));
  const owned = await findObjects(repository, blobs, 'alone');
  const lent = await findObjects(
    repository,
    [...blobs].filter((blob) => !owned.has(blob)),
    'lent',
  );
  if (lent.size > 0) await packObjects(repository, lent);
}

/** Which of these objects are in our own store, or in one of all that we read. */
async function findObjects(
  repository: Repository,
  ids: Iterable<string>,
  where: 'alone' | 'lent',
): Promise<Set<string>> {
  const input = [...ids].map((id) => `${id}\n`).join('');
  if (input === '') return new Set();
  const call = where === 'alone' ? repository.inStoreAlone.bind(repository) : repository.inStore.bind(repository);
  const lines = (await call(['cat-file', '--batch-check'], { input })).toString().trimEnd().split('\n');
  return new Set(lines.filter((line) => !line.endsWith(' missing')).map((line) => line.split(' ', 1)[0]!));
}

/** @returns the beginning of the names of the pack's files */
async function packObjects(repository: Repository, ids: Iterable<string>): Promise<string> {
  const args = ['pack-objects', '-q', '--window=0', join(repository.store, 'objects', 'pack', 'pack')];
  const name = await repository.inStore(args, { input: [...ids].map((id) => `${id}\n`).join('') });
  return `pack-${name.toString().trim()}.`;
}

/**
 * Removes objects from `.state/git` that no kept snapshot and none of these versions names, and indexes that nothing
 * used for a month. `git gc` would not do: it takes a copy of a lent object for superfluous.
 */
export async function collectGarbage(repository: Repository, versions: Iterable<FileVersion>): Promise<void> {
  const { store } = repository;
  const packFolder = join(store, 'objects', 'pack');
  const needed = new Set([...versions].flatMap((version) => parseVersion(version)?.blob ?? []));
  for (const id of await listReachable(repository)) needed.add(id);
  const owned = await findObjects(repository, needed, 'alone');
  const packs = await readdir(packFolder);
  const pack = owned.size === 0 ? undefined : await packObjects(repository, owned);
  const superfluous = packs.filter((name) => pack === undefined || !name.startsWith(pack));
  await Promise.all(superfluous.map((name) => rm(join(packFolder, name), { force: true })));
  await repository.inStoreAlone(['prune-packed', '-q']);
  for (const folder of await readdir(join(store, 'objects'))) {
    if (folder.startsWith('tmp_')) await removeOld(join(store, 'objects', folder), DAY_MS);
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await readdir(join(store, 'objects', folder))) {
      if (!needed.has(folder + name)) await removeOld(join(store, 'objects', folder, name), DAY_MS);
    }
  }
  for (const name of await readdir(store))
    if (name.startsWith('index-')) await removeOld(join(store, name), 30 * DAY_MS);
}

/** Everything that our refs and our index reach. A snapshot that lost its objects to the user's `git gc` is dropped. */
async function listReachable(repository: Repository): Promise<string[]> {
  const lines = (await repository.inStore(['for-each-ref', '--format=%(objectname) %(refname)', REFS])).toString();
  const refs = lines
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ') as [string, string]);
  const roots = await findObjects(repository, new Set(refs.map(([id]) => id)), 'lent');
  const lost = refs.filter(([id]) => !roots.has(id)).map(([, ref]) => `delete ${ref}\0\0`);
  if (lost.length > 0) await repository.inStore(['update-ref', '--stdin', '-z'], { input: lost.join('') });
  const args = ['rev-list', '--objects', '--indexed-objects', '--missing=allow-any', '--no-object-names', '--stdin'];
  const input = [...roots].map((id) => `${id}\n`).join('');
  return (await repository.inStore(args, { input })).toString().split('\n').slice(0, -1);
}

async function removeOld(path: string, ms: number): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (Date.now() - mtimeMs > ms) await rm(path, { recursive: true, force: true });
}
