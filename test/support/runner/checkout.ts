import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './repository.ts';

/** Which commit of which repository, and how much of its history. */
export interface CheckoutRequest {
  /** Folder of a git repository that is not bare. */
  readonly repository: string;
  /** Full id of a commit. */
  readonly commit: string;
  /** Branch to check out as; without one `HEAD` is detached. */
  readonly branch?: string | undefined;
  /** Commits of history; 0 for all. Default 1. */
  readonly depth?: number;
}

/** Checkouts that were made, or are being made. */
const prepared = new Map<string, Promise<string>>();

/**
 * Does what actions/checkout does: a repository of its own in `workspace`, one commit fetched and checked out. Jobs ask
 * for the same one many times: it is made once, inside the repository that it is of, and copied.
 */
export async function checkOut(workspace: string, request: CheckoutRequest): Promise<void> {
  const { repository, commit, branch = '', depth = 1 } = request;
  const name = [commit, branch.replaceAll('/', '-'), depth].join('.');
  const folder = join(repository, '.git', 'gateline-checkouts', name);
  const made = prepared.get(folder) ?? fetchAndCheckOut(folder, request).then(() => folder);
  prepared.set(folder, made);
  await cp(await made, workspace, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

async function fetchAndCheckOut(workspace: string, request: CheckoutRequest): Promise<void> {
  const { repository, commit, branch, depth = 1 } = request;
  await mkdir(workspace, { recursive: true });
  await git(workspace, 'init', '--quiet', '--initial-branch=main');
  await git(workspace, 'remote', 'add', 'origin', `file://${repository}`);
  const ref = branch === undefined ? `+${commit}` : `+${commit}:refs/remotes/origin/${branch}`;
  const shallow = depth === 0 ? [] : [`--depth=${depth}`];
  await git(workspace, 'fetch', '--quiet', '--no-tags', ...shallow, 'origin', ref);
  const target =
    branch === undefined ? ['--detach', commit] : ['--force', '-B', branch, `refs/remotes/origin/${branch}`];
  await git(workspace, 'checkout', '--quiet', ...target);
}

/** Path of a checkout below a workspace. Throws for one outside. */
export function checkoutPath(workspace: string, path: string): string {
  const folder = join(workspace, path);
  if (folder !== workspace && !folder.startsWith(`${workspace}/`)) throw new Error(`${path} is outside the workspace`);
  return folder;
}
