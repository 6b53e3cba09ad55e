import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GatelineError } from '../../errors.ts';
import type { Environment } from '../../environment.ts';

/**
 * The person who decides: git's `user.email`.
 * @param isRoutine the decision is part of a command such as `run`: without an e-mail address the actor is `unknown`
 * @throws GatelineError `usage` if `user.email` is not set and the decision is no routine
 */
export async function findActor(root: string, environment: Environment, isRoutine: boolean): Promise<string> {
  const email = await gitText(root, environment, ['config', 'user.email']);
  if (email) return email;
  if (isRoutine) return 'unknown';
  throw new GatelineError('usage', 'nobody is named as the one who decides', {
    hint: '`--actor NAME` names one, or `git config user.email`',
  });
}

/** The branch that is checked out; undefined: no repository, or no branch. */
export async function findBranch(root: string, environment: Environment): Promise<string | undefined> {
  // The usual case, without starting git.
  const head = await readFile(join(root, '.git', 'HEAD'), 'utf8').catch(() => '');
  const branch = /^ref: refs\/heads\/([^.].*)\n$/.exec(head)?.[1];
  return branch ?? gitText(root, environment, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
}

/** Whether the folder has changes that are not committed. */
export async function hasUncommittedChanges(root: string, environment: Environment): Promise<boolean> {
  return (await gitText(root, environment, ['status', '--porcelain', '--', '.', ':(exclude).state'])) !== undefined;
}

async function gitText(cwd: string, environment: Environment, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', args, {
      cwd,
      env: { ...environment, GIT_OPTIONAL_LOCKS: '0' },
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
