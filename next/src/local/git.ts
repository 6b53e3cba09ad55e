import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { GatelineError } from '../errors.ts';
import type { Environment } from '../environment.ts';

/**
 * Who decides: git's `user.email`.
 * @param isRoutine whether the decision is part of a command such as `run`: nobody must be named for it
 * @throws GatelineError `usage` if it is not set
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
export function findBranch(root: string, environment: Environment): Promise<string | undefined> {
  return gitText(root, environment, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
}

/** Whether the folder has changes that are not committed. */
export async function hasUncommittedChanges(root: string, environment: Environment): Promise<boolean> {
  return (await gitText(root, environment, ['status', '--porcelain', '--', '.', ':(exclude).state'])) !== undefined;
}

async function gitText(cwd: string, environment: Environment, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', args, { cwd, env: { ...environment } });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
