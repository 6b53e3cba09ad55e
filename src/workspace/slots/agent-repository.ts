import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { quotedForGit } from '../files/path-bytes.ts';
import type { Repository } from '../git/repository.ts';
import { textOf, type RepositoryCopy } from './repository-copy.ts';

/** A repository for an agent, without an index yet. */
export interface AgentRepository {
  /** Absolute path of its work tree. */
  readonly folder: string;
  readonly copy: RepositoryCopy;
  /** Commit checked out there; `undefined`: none yet. */
  readonly head: string | undefined;
  /** Object folders that it reads. */
  readonly objects: readonly string[];
  /** Paths that its `git status` ignores, from the top. */
  readonly excluded: readonly string[];
}

/**
 * Turns a folder into a separate repository: a user's commit as detached HEAD, a copy of branches, tags and settings,
 * and the user's objects by reference. Commits, stashes and settings of an agent stay there.
 * @returns the path of its git folder
 */
export async function makeAgentRepository({ folder, copy, head, objects, excluded }: AgentRepository): Promise<string> {
  const { repository } = copy;
  const path = join(folder, '.git');
  for (const place of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    await mkdir(join(path, place), { recursive: true });
  }
  const alternates = objects.flatMap((one) => [quotedForGit(one), Buffer.from('\n')]);
  await Promise.all([
    writeFile(join(path, 'HEAD'), `${head ?? `ref: ${copy.branch ?? 'refs/heads/main'}`}\n`),
    writeFile(join(path, 'objects', 'info', 'alternates'), Buffer.concat(alternates)),
    writeFile(join(path, 'packed-refs'), copy.packedRefs),
    writeFile(join(path, 'config'), copy.config),
    writeExclude(repository, path, excluded),
    copyWhereThere(join(repository.commonDir, 'info', 'attributes'), join(path, 'info', 'attributes')),
    copyWhereThere(join(repository.commonDir, 'shallow'), join(path, 'shallow')),
  ]);
  return path;
}

async function writeExclude({ commonDir }: Repository, path: string, excluded: readonly string[]): Promise<void> {
  const own = await textOf(join(commonDir, 'info', 'exclude'));
  const lines = excluded.map((one) => `/${one.replaceAll(/[\\*?[\]! ]/g, '\\$&')}\n`).join('');
  await writeFile(join(path, 'info', 'exclude'), `${own}${own === '' || own.endsWith('\n') ? '' : '\n'}${lines}`);
}

async function copyWhereThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}
