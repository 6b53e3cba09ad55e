import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PERSON = {
  GIT_AUTHOR_NAME: 'Octo',
  GIT_AUTHOR_EMAIL: 'octo@example.com',
  GIT_COMMITTER_NAME: 'Octo',
  GIT_COMMITTER_EMAIL: 'octo@example.com',
};
const ENV = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1', ...PERSON };

/** The output of git in a folder. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: folder, env: ENV, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** By path; null deletes. A text that begins with `#!` is executable. */
export type Files = Readonly<Record<string, string | Uint8Array | null>>;

/** Commits files to a ref of a bare repository, on top of `parent`. Returns the commit. */
export async function commitFiles(
  folder: string,
  ref: string,
  parent: string | undefined,
  files: Files,
  message: string,
): Promise<string> {
  const parts: (string | Uint8Array)[] = [
    `commit ${ref}\ncommitter Octo <octo@example.com> ${Math.floor(Date.now() / 1000)} +0000\n`,
    `data ${Buffer.byteLength(message)}\n${message}\n${parent === undefined ? '' : `from ${parent}\n`}`,
  ];
  for (const [path, content] of Object.entries(files)) {
    if (content === null) parts.push(`D ${path}\n`);
    else {
      const mode = content.toString().startsWith('#!') ? '100755' : '100644';
      parts.push(`M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n`, content, '\n');
    }
  }
  const child = spawn('git', ['fast-import', '--quiet', '--force'], {
    cwd: folder,
    env: ENV,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`git fast-import failed on ${ref}`);
  return git(folder, 'rev-parse', ref);
}

/** Merges without conflicts; the commit is at `ref` then. */
export async function mergeCommits(folder: string, base: string, head: string, ref: string): Promise<void> {
  const tree = await git(folder, 'merge-tree', '--write-tree', base, head);
  const message = `Merge ${head} into ${base}`;
  await git(folder, 'update-ref', ref, await git(folder, 'commit-tree', tree, '-p', base, '-p', head, '-m', message));
}

export interface Checkout {
  /** Bare repository. */
  readonly gitFolder: string;
  readonly sha: string;
  /** A branch is checked out by its name, any other ref detached. */
  readonly ref: string;
  /** Commits of history; 0: all, with all branches. */
  readonly depth: number;
  readonly filter: string;
  readonly sparse: readonly string[];
}

const checkouts = new Map<string, Promise<string>>();

/** Checks out one commit. A checkout is a dozen processes: jobs of a commit get copies of the first one's. */
export async function checkOut(folder: string, checkout: Checkout): Promise<void> {
  if (checkout.depth === 0 || existsSync(join(folder, '.git'))) return fetchAndCheckOut(folder, checkout);
  const key = JSON.stringify(checkout);
  const place = join(checkout.gitFolder, '../checkouts', String(checkouts.size));
  const first = checkouts.get(key) ?? fetchAndCheckOut(place, checkout).then(() => place);
  checkouts.set(key, first);
  cpSync(await first, folder, { recursive: true, verbatimSymlinks: true });
  await git(folder, 'update-index', '-q', '--refresh');
}

/** Fetches and checks out one commit, as actions/checkout does. */
async function fetchAndCheckOut(
  folder: string,
  { gitFolder, sha, ref, depth, filter, sparse }: Checkout,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'remote', 'add', 'origin', `file://${gitFolder}`);
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  const target = branch === undefined ? `refs/remotes/${ref.replace(/^refs\//, '')}` : `refs/remotes/origin/${branch}`;
  const options = [depth > 0 ? [`--depth=${depth}`] : [], filter === '' ? [] : [`--filter=${filter}`]].flat();
  const all = '+refs/heads/*:refs/remotes/origin/*';
  const refs = depth > 0 ? [`+${sha}:${target}`] : branch === undefined ? [all, `+${sha}:${target}`] : [all];
  await git(folder, 'fetch', '--quiet', '--no-tags', ...options, 'origin', ...refs);
  if (sparse.length > 0) await git(folder, 'sparse-checkout', 'set', ...sparse);
  await git(folder, 'checkout', '--quiet', '--force', ...(branch === undefined ? ['--detach'] : ['-B', branch]), sha);
}
