import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileChange, FileVersion } from '../run/files.ts';
import { assertPath, foldersOf, isBehindFile, isReadable, statBelow, statPath } from './paths.ts';
import type { Repository } from './repository.ts';
import { fillIndex, parseVersion, versionOfLink } from './tree.ts';

/** The file at a path on the disk. `null`: no file; undefined: unreadable, or neither a file nor a link. */
type DiskFile = { readonly version: FileVersion | null | undefined; readonly stamp: string };

/**
 * Writes `after` over `before`; a file that is not `before` on the disk is left. Deletions come first, so that a folder
 * can take the place of a file. Nothing is written through a link.
 *
 * @returns the paths that were left: another version is there, `after` is not stored, or it cannot be written
 * @throws GatelineError `platform`: a path that Gateline never records; a filter that fails
 */
export async function putChanges(repository: Repository, changes: readonly FileChange[]): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  for (const { path } of changes) assertPath(path);
  const disk = await readDisk(repository, changes);
  const due = changes.filter(({ path, after }) => disk.get(path)!.version !== after);
  const isAllowed = ({ path, before, after }: FileChange): boolean =>
    disk.get(path)!.version === before && (after === null || parseVersion(after) !== undefined);
  const left = due.filter((change) => !isAllowed(change)).map(({ path }) => path);
  const allowed = due.filter(isAllowed).sort((a, b) => Number(a.after !== null) - Number(b.after !== null));
  const stage = repository.temporaryPath();
  try {
    await stageFiles(repository, stage, allowed);
    for (const { path, after } of allowed) {
      const source = join(stage, 'files', repository.prefix, path);
      const isDone = await putFile(repository.root, path, disk.get(path)!.stamp, after === null ? undefined : source);
      if (!isDone) left.push(path);
    }
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  return left;
}

/** Puts a copy of `source` at the path, or deletes the file there, if the file still has this stamp. */
async function putFile(root: string, path: string, stamp: string, source: string | undefined): Promise<boolean> {
  const target = join(root, path);
  if (isBehindFile(root, path) || stampOf(target) !== stamp) return false;
  // Beside the target: `.state` may be on another file system.
  const temporary = join(dirname(target), `.gateline-${randomBytes(8).toString('hex')}.tmp`);
  try {
    if (source === undefined) {
      await unlink(target);
      await removeEmptyFolders(root, path);
      return true;
    }
    const staged = statPath(source);
    if (staged === undefined) return false;
    await mkdir(dirname(target), { recursive: true });
    if (staged.isSymbolicLink()) await symlink(await readlink(source, 'buffer'), temporary);
    else await copyFile(source, temporary, constants.COPYFILE_EXCL);
    if (stampOf(target) !== stamp) return false;
    // An empty folder may be replaced: git does not know it.
    await rmdir(target).catch(() => undefined);
    await rename(temporary, target);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  } finally {
    if (source !== undefined) await rm(temporary, { force: true });
  }
}

/** Lets git write the files, through the filters of their paths, into a folder of ours. Lost blobs are left out. */
async function stageFiles(repository: Repository, stage: string, changes: readonly FileChange[]): Promise<void> {
  const writes = changes.filter(({ after }) => after !== null);
  if (writes.length === 0) return;
  await mkdir(stage);
  const env = { GIT_INDEX_FILE: join(stage, 'index') };
  await fillIndex(repository, writes, env, repository.prefix);
  await repository.atTop(['checkout-index', '-a', '-q', `--prefix=${join(stage, 'files')}/`], { env, codes: [0, 1] });
}

async function readDisk(repository: Repository, changes: readonly FileChange[]): Promise<Map<string, DiskFile>> {
  const files = new Map<string, DiskFile>();
  const plain: { readonly path: string; readonly mode: string; readonly stamp: string }[] = [];
  for (const { path } of changes) {
    const target = join(repository.root, path);
    const stat = statBelow(repository.root, path);
    const stamp = stampOf(target);
    if (stat === undefined || stat.isDirectory()) files.set(path, { version: null, stamp: '' });
    else if (stat.isSymbolicLink()) {
      const link = await readlink(target, 'buffer');
      files.set(path, { version: versionOfLink(link, repository.format), stamp });
    } else if (!stat.isFile() || !isReadable(target)) files.set(path, { version: undefined, stamp });
    else plain.push({ path, mode: (stat.mode & 0o100n) === 0n ? '100644' : '100755', stamp });
  }
  const input = plain.map(({ path }) => `${quoteName(repository.prefix + path)}\n`).join('');
  const args = ['hash-object', '--stdin-paths'];
  const ids = input === '' ? [] : (await repository.atTop(args, { input })).toString().trimEnd().split('\n');
  plain.forEach(({ path, mode, stamp }, index) => files.set(path, { version: `${mode} ${ids[index]}`, stamp }));
  return files;
}

/** A name in C style, as git quotes it, for a command that reads one name per line. */
function quoteName(name: string): string {
  const escaped = name.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
  return `"${escaped.replaceAll('\r', String.raw`\r`)}"`;
}

/** A text that changes with the file. Empty: no file, or a folder. */
function stampOf(target: string): string {
  const stat = statPath(target);
  if (stat === undefined || stat.isDirectory()) return '';
  return [stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}

async function removeEmptyFolders(root: string, path: string): Promise<void> {
  try {
    for (const folder of foldersOf(path).reverse()) await rmdir(join(root, folder));
  } catch {
    // The folder is not empty, or in use.
  }
}
