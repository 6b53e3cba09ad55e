import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { gitIn, type GitOptions } from '../git/git.ts';
import { splitNames } from '../files/path-bytes.ts';
import { findRepository } from '../git/repository.ts';
import { makeAgentRepository } from './agent-repository.ts';
import { readRepository } from './repository-copy.ts';

const QUIETLY = ['-c', 'core.hooksPath=/dev/null', '-c', 'submodule.recurse=false'];

/**
 * Makes each submodule that the user has checked out a separate repository in the slot, at the commit in the tree, with
 * the user's objects by reference. A submodule that the user did not check out stays an empty folder.
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
  const repository = await findRepository(from, options);
  if (repository === undefined) return;
  const copy = await readRepository(repository, options.environment);
  await makeAgentRepository({ folder: to, copy, head: commit, objects: [repository.objects], excluded: [] });
  const git = gitIn(to, options);
  await git([...QUIETLY, 'read-tree', '--reset', '-u', commit]);
  const { out } = await git(['ls-files', '-s', '-z']);
  const nested = new Map<string, string>();
  for (const line of splitNames(out)) {
    const [mode, id] = line.split(' ');
    if (mode === '160000' && id !== undefined) nested.set(line.slice(line.indexOf('\t') + 1), id);
  }
  await checkOutSubmodules(from, to, nested, options);
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
