import {
  type Dirent,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { GatelineError, isSystemError } from '../errors.ts';
import { openWorkspace, type GitWorkspace } from './git-workspace.ts';
import { isBehindFile, statPath } from './paths.ts';
import type { Repository } from './repository.ts';
import { listTopmostIgnored } from './ignored-files.ts';
import { UNSTORED } from './unstored.ts';
import type { Snapshot } from './workspace.ts';

/** Folders of installed packages, which a clone gets by hard links if the folder ignores them. */
const PACKAGE_FOLDERS = new Set(['node_modules', '.venv', 'venv']);

/**
 * Makes a clone at `path`, if none is there, and sets it to the files of the folder as they are now, uncommitted ones
 * included. Its repository is new each time: HEAD and branches are those of the folder's. Files that the folder ignores
 * stay, but for packages, which are the folder's.
 *
 * @param path absolute, and always the same: agents keep trust and sessions by path
 * @returns the clone, which shares `.state/git` with the folder, and whether it was made now
 * @throws GatelineError `platform`: files cannot be written
 */
export async function cloneWorkspace(
  source: GitWorkspace,
  path: string,
): Promise<{ readonly clone: GitWorkspace; readonly isNew: boolean }> {
  const { repository } = source;
  const snapshot = await source.takeSnapshot();
  const root = join(path, repository.prefix);
  const isNew = statPath(path) === undefined;
  await mkdir(root, { recursive: true });
  if (repository.user !== undefined) await renewRepository(repository, repository.user.top, path);
  if (isNew) await writeFiles(repository, snapshot, path);
  // With a subfolder the rest of the repository is there too, as it is committed.
  const isPart = isNew && repository.prefix !== '';
  if (repository.user !== undefined)
    await repository.asUser(['reset', '-q', ...(isPart ? ['--hard'] : [])], { cwd: path });
  const clone = await openWorkspace({ ...source.options, root, lender: source.root, seedIndex: false });
  await setFiles(source, clone, snapshot);
  await linkPackages(repository, root);
  return { clone, isNew };
}

/** Removes a clone with all that was made in it. */
export async function removeClone(path: string): Promise<void> {
  await Promise.all([path, temporaryClone(path)].map((folder) => rm(folder, { recursive: true, force: true })));
}

function temporaryClone(path: string): string {
  return `${path}.tmp`;
}

/** Commits, branches, settings and hooks that an earlier agent made in the clone go with its repository. */
async function renewRepository(repository: Repository, top: string, path: string): Promise<void> {
  const temporary = temporaryClone(path);
  await rm(temporary, { recursive: true, force: true });
  const args = ['clone', '-q', '--shared', '--no-checkout', '--template=', '--origin', 'origin', '--', top, temporary];
  await repository.asUser(args, { env: { GIT_ALLOW_PROTOCOL: 'file' } });
  await rm(join(path, '.git'), { recursive: true, force: true });
  await rename(join(temporary, '.git'), join(path, '.git'));
  await rm(temporary, { recursive: true });
}

/** Writes all files at once, by the user's filters, where nothing is yet. */
async function writeFiles(repository: Repository, { tree }: Snapshot, path: string): Promise<void> {
  const env = { GIT_INDEX_FILE: repository.temporaryPath() };
  try {
    const prefix = repository.prefix === '' ? [] : [`--prefix=${repository.prefix}`];
    await repository.inStore(['read-tree', ...prefix, tree], { env });
    await repository.atTop(['checkout-index', '-a', '-q', '-f', `--prefix=${path}/`], { env });
  } finally {
    await rm(env.GIT_INDEX_FILE, { force: true });
  }
}

/** Files that git does not store are copied. */
async function setFiles(source: GitWorkspace, clone: GitWorkspace, snapshot: Snapshot): Promise<void> {
  const changes = await clone.diff(await clone.takeSnapshot(), snapshot);
  const left = new Set(await clone.put(changes));
  for (const { path, after } of changes) {
    if (after?.startsWith(UNSTORED) !== true || isBehindFile(clone.root, path)) continue;
    await mkdir(dirname(join(clone.root, path)), { recursive: true });
    await rm(join(clone.root, path), { force: true });
    await copyFile(join(source.root, path), join(clone.root, path), constants.COPYFILE_FICLONE);
    left.delete(path);
  }
  for (const path of Object.keys(snapshot.unstored)) left.delete(path);
  if (left.size === 0) return;
  throw new GatelineError('platform', `${[...left].slice(0, 5).join(', ')} cannot be written in ${clone.root}.`, {
    hint: `Nothing else may write there. Remove ${clone.root}: it is made again.`,
  });
}

async function linkPackages(repository: Repository, root: string): Promise<void> {
  for (const path of await listTopmostIgnored(repository, ['.'])) {
    if (!PACKAGE_FOLDERS.has(basename(path)) || isBehindFile(root, path)) continue;
    const [from, to] = [join(repository.root, path), join(root, path)];
    if (statPath(from)?.isDirectory() !== true || timesOf(from) === timesOf(to)) continue;
    await rm(to, { recursive: true, force: true });
    linkFolder(from, to);
  }
}

/** Times of the folders that installing something changes, to the millisecond. */
function timesOf(folder: string): string {
  const libraries = readFolder(join(folder, 'lib')).map(({ name }) => join(folder, 'lib', name, 'site-packages'));
  return [folder, ...libraries].map((path) => statPath(path)?.mtimeMs ?? '-').join();
}

/** Files become hard links, and keep links as they are; where that is not possible, copies. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readFolder(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isFile()) {
      try {
        linkSync(source, target);
      } catch {
        // Another file system, or one without hard links.
        copyFileSync(source, target, constants.COPYFILE_FICLONE);
      }
    }
  }
  const { atime, mtime } = statSync(from);
  utimesSync(to, atime, mtime);
}

function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return [];
    throw error;
  }
}
