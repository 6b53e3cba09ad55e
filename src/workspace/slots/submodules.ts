import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { gitIn, type Git, type GitOptions } from '../git.ts';

/**
 * Makes each submodule that the user has checked out a repository of its own in the slot, at the commit that the tree names, with
 * the user's objects by reference. One that the user did not check out stays an empty folder, as it is there.
 * @param top the user's work tree
 * @param folder the slot's tree
 * @param submodules path from the top and commit of each
 */
export async function checkOutSubmodules(
  top: string,
  folder: string,
  submodules: ReadonlyMap<string, string>,
  options: GitOptions,
): Promise<void> {
  for (const [path, commit] of submodules) {
    const [from, to] = [join(top, path), join(folder, path)];
    await rm(to, { recursive: true, force: true });
    await mkdir(to, { recursive: true });
    if (!(await isThere(join(from, '.git')))) continue;
    await checkOut(from, to, commit, options);
  }
}

async function checkOut(from: string, to: string, commit: string, options: GitOptions): Promise<void> {
  const user = gitIn(from, options);
  const asked = await user(['rev-parse', '--show-object-format', '--git-path', 'objects']);
  const [format = 'sha1', objects = ''] = asked.out.toString('utf8').split('\n');
  const git = gitIn(to, options);
  await git(['init', '-q', '--template=', `--object-format=${format}`]);
  await mkdir(join(to, '.git', 'objects', 'info'), { recursive: true });
  await writeFile(join(to, '.git', 'objects', 'info', 'alternates'), `${resolve(from, objects)}\n`);
  await git(['update-ref', '--no-deref', 'HEAD', commit]);
  await git(['-c', 'core.hooksPath=/dev/null', 'read-tree', '--reset', '-u', commit]);
  await nested(from, to, git, options);
}

async function nested(from: string, to: string, git: Git, options: GitOptions): Promise<void> {
  const { out } = await git(['ls-files', '-s', '-z']);
  for (const line of out.toString('utf8').split('\0')) {
    if (!line.startsWith('160000 ')) continue;
    const path = line.slice(line.indexOf('\t') + 1);
    const commit = line.split(' ')[1]!;
    if (await isThere(join(from, path, '.git'))) await checkOut(join(from, path), join(to, path), commit, options);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return false;
    throw error;
  }
}
