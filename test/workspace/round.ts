import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { TreeDifference } from '../../src/run/files/tree.ts';
import type { Checkout, CheckoutRequest, Snapshot, Workspace } from '../../src/workspace/workspace.ts';
import { filesBelow, type Folder } from './folder.ts';

/** Where the attempts of a test work. */
export type Place = Partial<Omit<CheckoutRequest, 'base'>>;

/** Checks a version out: the user's as it is now, where no other is named. */
export async function checkOut(
  workspace: Workspace,
  place: Place & { readonly base?: string } = {},
): Promise<Checkout> {
  const base = place.base ?? place.tree ?? (await workspace.snapshot([])).tree;
  return workspace.checkOut({ tree: base, attempt: 'one', place: 'tree', files: 'changed', ...place, base });
}

/** What differs, as `path: before → after` by mode: short enough to read in a test. */
export function brief(differences: readonly TreeDifference[]): string[] {
  return differences.map(({ path, before, after }) => `${path}: ${before?.mode ?? '-'} → ${after?.mode ?? '-'}`);
}

/** What an attempt changed so far. */
export async function changed(workspace: Workspace, checkout: Checkout): Promise<string[]> {
  const { tree } = await checkout.capture();
  return brief(await workspace.differences(checkout.from, tree));
}

/** Identifies the folder that an attempt works in, wherever it is: a reused one moves. */
export function folderOf({ root }: Pick<Checkout, 'root'>): number {
  return lstatSync(root).ino;
}

/** Files of a version, as `git show` prints them: what the request holds. */
export async function contentsOf(folder: Folder, workspace: Workspace, tree: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [path, { mode, blob }] of await workspace.files(tree)) {
    const text = mode === '160000' ? blob : git(folder, workspace, ['cat-file', 'blob', blob]);
    found[path] = `${mode === '120000' ? 'link ' : mode === '100755' ? 'x ' : ''}${text}`;
  }
  return found;
}

/** git on the workspace's own objects, beside those of the user. */
function git(folder: Folder, workspace: Workspace, args: readonly string[]): string {
  const store = join(workspace.root, '.state/git');
  const env = { ...folder.environment, GIT_DIR: store, GIT_ALTERNATE_OBJECT_DIRECTORIES: userObjects(folder) };
  return execFileSync('git', args, { env, encoding: 'utf8', stdio: 'pipe' });
}

function userObjects(folder: Folder): string {
  const path = join(folder.root, '.git/objects');
  return existsSync(path) ? path : resolve(folder.root, folder.git('rev-parse', '--git-path', 'objects'));
}

/** Runs git as an agent does: with its variables, and without anything that we set for our own git. */
export function asAgent(folder: Folder, checkout: Checkout): (...args: string[]) => string {
  const env = checkout.environment(folder.environment);
  return (...args) =>
    execFileSync(
      'git',
      ['-c', 'user.name=agent', '-c', 'user.email=agent@b', '-c', 'protocol.file.allow=always', ...args],
      {
        cwd: checkout.root,
        env,
        encoding: 'utf8',
        stdio: 'pipe',
      },
    ).trimEnd();
}

/** Writes below a place, whatever stands in the way. */
export function put(root: string, path: string, text: string, mode = 0o644): void {
  const place = join(root, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  chmodSync(place, mode);
}

/**
 * The promises of every repository, whatever its kind: request and disk are equal, what an attempt does is told exactly,
 * git works there, another attempt finds the same again, and the user's repository and folder stay as they are.
 */
export async function round(
  folder: Folder,
  workspace: Workspace,
  expected: Readonly<Record<string, string>> = filesBelow(workspace.root),
): Promise<Snapshot> {
  const before = { git: folder.repositoryContents(), files: filesBelow(folder.root) };
  const snapshot = await workspace.snapshot([]);
  const checkout = await checkOut(workspace, { tree: snapshot.tree });
  expect(filesBelow(checkout.root)).toEqual(expected);
  expect((await checkout.capture()).tree).toBe(snapshot.tree);

  const agent = asAgent(folder, checkout);
  put(checkout.root, 'agent/new', 'made');
  agent('add', '-A');
  agent('commit', '-qm', 'by the agent');
  put(checkout.root, 'agent/later', 'made', 0o755);
  agent('stash', '-qu');
  agent('stash', 'pop', '-q');
  agent('branch', 'agent');
  agent('config', 'user.name', 'evil');
  agent('status');
  expect(await changed(workspace, checkout)).toEqual(['agent/later: - → 100755', 'agent/new: - → 100644']);
  const used = folderOf(checkout);
  await checkout.release(true);

  const second = await checkOut(workspace, { tree: snapshot.tree, attempt: 'two' });
  expect([folderOf(second), second.root === checkout.root]).toEqual([used, false]);
  expect(filesBelow(second.root)).toEqual(expected);
  rmSync(join(second.root, '.git'), { recursive: true, force: true });
  expect((await second.capture()).tree).toBe(snapshot.tree);
  await second.release(true);

  expect((await workspace.snapshot([])).tree).toBe(snapshot.tree);
  expect({ git: folder.repositoryContents(), files: filesBelow(folder.root) }).toEqual(before);
  return snapshot;
}
