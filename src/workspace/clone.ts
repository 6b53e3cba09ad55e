import fs from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { GatelineError } from '../errors.ts';
import type { FileVersion } from '../run/files.ts';
import { type GitWorkspace, openWorkspace } from './git-workspace.ts';
import { listTopmostIgnored } from './ignored-files.ts';
import { isBehindFile, statPath } from './paths.ts';
import type { Repository } from './repository.ts';
import { UNSTORED } from './unstored.ts';
import type { Snapshot } from './workspace.ts';

/** Folders of installed packages. They are copied into a clone if the folder ignores them. */
const PACKAGE_FOLDERS = new Set(['node_modules', '.venv', 'venv']);

/**
 * Makes a clone at `path` if there is none, and sets its files to those of the folder as they are now, uncommitted ones
 * included. Its repository is made anew each time, with HEAD and branches of the folder's. Ignored files of the clone stay,
 * but packages are copied from the folder.
 *
 * @param path absolute, and the same in each call: agents keep trust and sessions by path
 * @returns the clone, which shares `.state/git` with the folder, and whether it was made now
 * @throws GatelineError `platform`: files cannot be written
 */
export async function cloneWorkspace(
  source: GitWorkspace,
  path: string,
): Promise<{ readonly clone: GitWorkspace; readonly isNew: boolean }> {
  const { repository } = source;
  const { user, prefix, asUser } = repository;
  const snapshot = await source.takeSnapshot();
  const root = join(path, prefix);
  const isNew = statPath(root) === undefined;
  await mkdir(root, { recursive: true });
  if (user !== undefined) await renewRepository(repository, user.top, path);
  // git writes the committed files faster than `put`, which writes the others, and those that git could not write.
  const args = ['reset', '-q', ...(isNew ? ['--hard'] : [])];
  if (user !== undefined) await asUser(args, { cwd: path, codes: [0, 1, 128] });
  const clone = await openWorkspace({ ...source.options, root, lender: source.root, seedIndex: false });
  await setFiles(source, clone, snapshot);
  await copyPackages(repository, root);
  return { clone, isNew };
}

/** Replaces the repository of the clone, and with it commits, branches, settings and hooks of earlier agents. */
async function renewRepository({ asUser }: Repository, top: string, path: string): Promise<void> {
  // No other clone has this name: theirs never begin with a dot.
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  await rm(temporary, { recursive: true, force: true });
  const args = ['clone', '-q', '--shared', '--no-checkout', '--template=', '--origin', 'origin', '--', top, temporary];
  await asUser(args, { env: { GIT_ALLOW_PROTOCOL: 'file' } });
  await rm(join(path, '.git'), { recursive: true, force: true });
  await rename(join(temporary, '.git'), join(path, '.git'));
  await rm(temporary, { recursive: true });
}

/** Makes the files of the clone those of the snapshot. Files that git does not store are copied. */
async function setFiles(source: GitWorkspace, clone: GitWorkspace, snapshot: Snapshot): Promise<void> {
  const changes = await clone.diff(await clone.takeSnapshot(), snapshot);
  const isUnstored = (version: FileVersion | null) => version?.startsWith(UNSTORED) === true;
  // The clone's own copies: `put` cannot compare what git does not store.
  for (const { path, before } of changes)
    if (isUnstored(before) && !isBehindFile(clone.root, path)) await rm(join(clone.root, path), { force: true });
  const puts = changes.map((change) => (isUnstored(change.before) ? { ...change, before: null } : change));
  const left = new Set(await clone.put(puts));
  for (const { path, after } of changes) {
    if (!isUnstored(after) || isBehindFile(clone.root, path)) continue;
    const target = join(clone.root, path);
    await mkdir(dirname(target), { recursive: true });
    await rm(target, { force: true });
    await copyFile(join(source.root, path), target, fs.constants.COPYFILE_FICLONE);
  }
  for (const path of Object.keys(snapshot.unstored)) left.delete(path);
  if (left.size === 0) return;
  throw new GatelineError('platform', `${[...left].slice(0, 5).join(', ')} cannot be written in ${clone.root}.`, {
    hint: `Nothing else may write there. Remove ${clone.root}: it is made again.`,
  });
}

/**
 * Copies packages, again only after something was installed in the folder. Not as hard links: an agent that changes a file
 * in place would change the user's.
 */
async function copyPackages(repository: Repository, root: string): Promise<void> {
  for (const path of await listTopmostIgnored(repository, ['.'])) {
    const [from, to] = [join(repository.root, path), join(root, path)];
    const isFolder = PACKAGE_FOLDERS.has(basename(path)) && statPath(from)?.isDirectory() === true;
    if (!isFolder || isBehindFile(root, path)) continue;
    const lib = join(from, 'lib');
    const versions = fs.existsSync(lib) ? fs.readdirSync(lib) : [];
    const folders = [from, ...versions.map((version) => join(lib, version, 'site-packages'))];
    const times = folders.map((folder) => statPath(folder)?.mtimeNs ?? '-').join();
    const mark = join(to, '.gateline-copied');
    if (fs.existsSync(mark) && (await readFile(mark, 'utf8')) === times) continue;
    await rm(to, { recursive: true, force: true });
    // Several times as fast as `cp` of fs/promises. It may block: nothing else happens meanwhile.
    fs.cpSync(from, to, COPY_OPTIONS);
    await writeFile(mark, times);
  }
}

/** Copy-on-write where the file system can do it. Links are copied as links, sockets and pipes not at all. */
const COPY_OPTIONS: fs.CopySyncOptions = {
  recursive: true,
  mode: fs.constants.COPYFILE_FICLONE,
  // Caches of compilers compare times.
  preserveTimestamps: true,
  verbatimSymlinks: true,
  filter: (path) => {
    const entry = fs.lstatSync(path);
    return entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
  },
};
