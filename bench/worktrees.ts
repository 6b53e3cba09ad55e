import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openWorkspace } from '../src/workspace/open-workspace.ts';
import type { Workspace } from '../src/workspace/workspace.ts';
import { compare, type Figure } from './measure.ts';

const run = promisify(execFile);

/** Files of a large repository, and of each folder in it. */
const FILES = 50_000;
const PER_FOLDER = 20;
/** Files that differ between consecutive versions. */
const DIFFERENT = 20;
const ROUNDS = 9;

/** The cost of work trees in a large repository, compared with `git status` there. */
export async function worktrees(): Promise<Figure[]> {
  const place = mkdtempSync(join(realpathSync(tmpdir()), 'gateline-worktrees-'));
  try {
    const repository = makeRepository(place);
    return await measure(place, repository);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function measure(place: string, root: string): Promise<Figure[]> {
  const environment = environmentIn(place);
  const open = (): Promise<Workspace> =>
    openWorkspace(root, { environment, store: join(place, 'store'), trees: join(place, 'trees') });
  const status = {
    name: 'git status',
    work: () => run('git', ['status', '--porcelain'], { cwd: root, env: environment }),
  };
  const workspace = await open();
  const { tree: first } = await workspace.snapshot([]);
  edit(root, 'second');
  const { tree: second } = await workspace.snapshot([]);
  const figures = [
    await compare('open, and take a version: nothing changed', async () => (await open()).snapshot([]), status, ROUNDS),
    await compare('take a version: nothing changed', () => workspace.snapshot([]), status, ROUNDS),
  ];
  let round = 0;
  const switchTo = async (): Promise<void> => {
    round += 1;
    const tree = round % 2 === 0 ? first : second;
    const attempt = String(round);
    const checkout = await workspace.checkOut({ base: tree, tree, attempt, place: 'tree', files: 'changed' });
    await checkout.release(true);
  };
  // Twice: the first switch writes every file.
  for (let n = 0; n < 2; n += 1) await switchTo();
  figures.push(
    await compare(`bring a work tree from one version to another: ${DIFFERENT} files`, switchTo, status, ROUNDS),
  );
  const request = { base: first, tree: first, attempt: 'captured', place: 'tree', files: 'changed' } as const;
  const checkout = await workspace.checkOut(request);
  figures.push(await compare('capture: nothing changed', () => checkout.capture(), status, ROUNDS));
  const editAndCapture = async (): Promise<void> => {
    round += 1;
    edit(checkout.root, `round ${round}`);
    await checkout.capture();
  };
  figures.push(await compare(`capture: ${DIFFERENT} files changed`, editAndCapture, status, ROUNDS));
  return figures;
}

function makeRepository(place: string): string {
  const root = join(place, 'repository');
  mkdirSync(join(place, 'home'));
  for (let folder = 0; folder < FILES / PER_FOLDER; folder += 1) {
    const path = folderOf(root, folder);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < PER_FOLDER; file += 1) {
      writeFileSync(
        join(path, `file${file}.ts`),
        `export const file = ${folder * PER_FOLDER + file};\n`.repeat(1 + (file % 20)),
      );
    }
  }
  const env = {
    ...environmentIn(place),
    GIT_AUTHOR_DATE: '2030-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2030-01-01T00:00:00Z',
  };
  const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: root, env, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '-qm', 'all');
  git('status');
  return root;
}

function folderOf(root: string, folder: number): string {
  return join(root, `part${folder % 25}`, `module${folder}`, 'src');
}

/** Edits files all over the repository. */
function edit(root: string, text: string): void {
  for (let n = 0; n < DIFFERENT; n += 1) {
    const folder = Math.floor((n * FILES) / PER_FOLDER / DIFFERENT);
    writeFileSync(join(folderOf(root, folder), 'file0.ts'), `${text}: ${n}\n`);
  }
}

function environmentIn(place: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: join(place, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
}
