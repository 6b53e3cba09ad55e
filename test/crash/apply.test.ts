import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { bySize, numbersFrom, SEED, spread } from '../support/test-size.ts';
import { atATime, DYING, killPoints, numbersTo } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };
const NEVER = 1_000_000;
const COUNT = 60;

/** Big enough that a file that is not written whole would be seen. */
const filler = 'x'.repeat(20_000);
const names = Array.from({ length: COUNT }, (_, at) => `src/file-${at}.txt`);

const PIPELINE = `
pipeline: many
subject: many
defaults: { run: { shell: sh } }
gates:
  make:
    inputs: []
    files: changed
    run: |
      for file in src/file-*.txt; do sed -i 's/^old/new/' "$file"; done
      rm src/file-1.txt src/file-2.txt
      mkdir made && for at in 1 2 3 4 5; do cp src/file-3.txt made/$at.txt; done
      rm -r swap && echo 'new swap' > swap
      echo 1 > "$GATELINE_OUTPUT"
`;

let ran: ScratchWorkspace;
let before: Record<string, string>;
let after: Record<string, string>;
let operations: readonly string[];

beforeAll(async () => {
  ran = await ScratchWorkspace.create({
    'gateline.yml': PIPELINE,
    'swap/a.txt': 'old swap\n',
    'swap/b.txt': 'old swap\n',
    ...Object.fromEntries(names.map((name) => [name, `old ${name} ${filler}\n`])),
  });
  const run = await ran.gateline(['run', '-q']);
  expect(run, run.stderr).toMatchObject({ code: 0 });
  before = await ran.files();
  await using whole = await ran.copy();
  const log = whole.beside('operations');
  const applied = await apply(whole, { DIE_AFTER: String(NEVER), OPERATIONS: log });
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  after = await whole.files();
  operations = (await readFile(log, 'utf8')).trim().split('\n');
}, LONG.timeout);
afterAll(() => ran[Symbol.asyncDispose]());

const apply = (workspace: ScratchWorkspace, env: Record<string, string>) =>
  workspace.gateline(['apply'], { script: DYING, env });

/** Every file is what it was, or what it is to be; and what was replaced lies among the copies, whole. */
async function expectNothingLost(workspace: ScratchWorkspace): Promise<void> {
  const now = await workspace.files();
  for (const [path, state] of Object.entries(now)) expect([before[path], after[path]], path).toContain(state);
  const applied = workspace.path('.state/applied');
  const folders = existsSync(applied) ? readdirSync(applied).filter((name) => !name.includes('.new.')) : [];
  for (const [path, state] of Object.entries(before)) {
    if (now[path] === state) continue;
    const copies = await Promise.all(folders.map((folder) => readIfThere(join(applied, folder, 'files', path))));
    expect(copies, path).toContain(await ran.read(path));
  }
}

/** Does it again: that completes it. */
async function goOn(workspace: ScratchWorkspace): Promise<void> {
  const again = await workspace.gateline(['apply']);
  expect(again, again.stderr).toMatchObject({ code: 0 });
  expect(await workspace.files()).toEqual(after);
  await expectNothingLost(workspace);
  const applied = workspace.path('.state/applied');
  expect(readdirSync(applied).filter((name) => name.includes('.new.'))).toEqual([]);
}

/** Operations after which it is killed: every kind of them, and of the many files that are put alike every fourth; all in a soak. */
function pointsOf(what: readonly string[]): number[] {
  // The first three are not: one is the first of all, and two are removed.
  const alike = names.slice(3).map((name) => `put ${name}`);
  const some = new Set(killPoints(alike.length, 4).map((at) => alike[at - 1]!));
  return numbersTo(what.length).filter((k) => !alike.includes(what[k - 1]!) || some.has(what[k - 1]!));
}

describe.runIf(process.platform !== 'win32')('apply, killed by SIGKILL', () => {
  it('changes every file in one step, and says which', () => {
    const puts = operations.filter((what) => what.startsWith('put ') && !what.startsWith('put all'));
    expect(puts).toHaveLength(COUNT + 5 + 3);
    expect(operations.indexOf('put swap')).toBeGreaterThan(operations.indexOf('put swap/b.txt'));
  });

  it('after a change of the folder leaves whole files, and goes on from there', LONG, async () => {
    const points = spread(pointsOf(operations), bySize({ sample: 3, full: 20, soak: Infinity }));
    await atATime(2, points, async (k) => {
      await using workspace = await ran.copy();
      const killed = await apply(workspace, { DIE_AFTER: String(k), OPERATIONS: workspace.beside('operations') });
      expect(killed.signal).toBe('SIGKILL');
      await expectNothingLost(workspace);
      await goOn(workspace);
    });
    console.log(
      `apply: killed after ${points.length} of ${operations.length} operations, each went on to the same end`,
    );
  });

  it('at any moment, several times in turn, does so too', LONG, async () => {
    const random = numbersFrom(SEED);
    const chains = Array.from({ length: bySize({ sample: 1, full: 6, soak: 40 }) }, () =>
      Array.from({ length: 3 }, () => ({ operations: Math.floor(random() * 40), delay: random() * 5 })),
    );
    await atATime(2, chains, async (chain) => {
      await using workspace = await ran.copy();
      for (const [at, moment] of chain.entries()) {
        const log = workspace.beside(`operations-${at}`);
        const command = workspace.start(['apply'], {
          script: DYING,
          env: { DIE_AFTER: String(NEVER), OPERATIONS: log },
        });
        const { process } = command;
        const isOn = (): boolean => process.exitCode === null && process.signalCode === null;
        while (isOn() && (await readIfThere(log)).split('\n').length <= moment.operations) await sleep(1);
        await sleep(moment.delay);
        process.kill('SIGKILL');
        await command.ended;
        await expectNothingLost(workspace);
      }
      await goOn(workspace);
    });
  });
});
