import { join } from 'node:path';
import { openWorkspace } from '../src/workspace/git-workspace.ts';
import { DIST } from './bundles.ts';
import { commitAll, createFolder, start, startUnchanged, writeFiles } from './folders.ts';
import { compare, type Figure } from './measure.ts';

const FILES = 20_000;
const ROUNDS = 15;

/** A folder of 20,000 files in which nothing has changed, by the time that `git status` takes there. */
export async function* measureLargeFolder(): AsyncGenerator<Figure> {
  using place = createFolder();
  const folder = join(place.path, 'work');
  const cli = join(DIST, 'cli.js');
  writeFiles(folder, filesOf());
  commitAll(folder);
  const status = { name: 'git status', work: () => start(folder, 'git', 'status', '--porcelain') };
  start(folder, process.execPath, cli, 'run', '--quiet');
  const run = { name: 'run with nothing to do, 20,000 files', work: () => startUnchanged(folder, cli) };
  yield await compare(run, status, ROUNDS, ['ratio', 8]);
  const globs = { stored: ['src/0/**'], hashed: ['src/1/**'], ignore: [] };
  const workspace = await openWorkspace({ root: folder, state: join(folder, '.state'), env: process.env, ...globs });
  const look = { name: 'snapshot, unchanged', work: () => workspace.takeSnapshot() };
  yield await compare(look, status, ROUNDS, ['ratio', 1.5]);
  let edits = 0;
  const edit = (): Promise<unknown> => {
    edits += 1;
    for (let n = 0; n < 20; n += 1) writeFiles(folder, { [`src/${n}/0/0.ts`]: `edit ${edits}` });
    return workspace.takeSnapshot();
  };
  yield await compare({ name: 'snapshot, 20 files changed', work: edit }, status, ROUNDS);
}

/** Gates as people write them first: two read everything, one declares what it reads and makes. */
function filesOf(): Record<string, unknown> {
  const pathOf = (n: number): string => `src/${n % 100}/${Math.floor(n / 100) % 10}/${Math.floor(n / 1_000)}.ts`;
  const textOf = (n: number): string => `export const value = ${n};\n`.repeat(1 + (n % 20));
  const run = `echo '{}' > "$GATELINE_OUTPUT"`;
  const code = { run: `echo 1 > src/0/new.ts; ${run}`, needs: ['plan'], inputs: ['src/1/**'], files: ['src/0/**'] };
  return {
    ...Object.fromEntries(Array.from({ length: FILES }, (_, n) => [pathOf(n), textOf(n)])),
    'gateline.yml': { pipeline: 'large', gates: { plan: { run }, code, review: { run, needs: ['code'] } } },
  };
}
