import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { gateline, gatelineYml, writes } from '../cli/in-process.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { someOf } from '../support/test-size.ts';
import { atATime, DYING, numbersTo } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };

const gate = (changes: string, more: object = {}): object => ({
  run: `${changes}\n${writes(1)}`,
  inputs: [],
  files: 'changed',
  ...more,
});
const FILES = {
  'gateline.yml': gatelineYml({
    first: gate('echo first > shared.txt; echo first > brief.txt; echo first > back.txt'),
    second: gate('echo second > shared.txt; rm brief.txt; echo mine > back.txt; echo second > late.txt', {
      needs: 'first',
    }),
  }),
  'shared.txt': 'mine\n',
  'back.txt': 'mine\n',
};

async function expectOk(workspace: ScratchWorkspace, ...args: string[]): Promise<string> {
  const { code, out, err } = await gateline(workspace.root, args, {
    environment: plainEnvironment(workspace.variables()),
  });
  expect(code, out + err).toBe(0);
  return out;
}

const texts = async (workspace: ScratchWorkspace): Promise<Record<string, string>> => {
  const files = await workspace.files();
  const paths = Object.keys(files).filter((path) => path !== 'gateline.yml');
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await workspace.read(path)])));
};

describe.runIf(process.platform !== 'win32')('rollback to a gate, killed by SIGKILL', () => {
  it(
    'after any durable step ends in the same state when it is repeated, and forgets what is the user’s again',
    LONG,
    async () => {
      await using ran = await ScratchWorkspace.create(FILES);
      const found = await texts(ran);
      await expectOk(ran, 'run', '-q', '--apply');
      const killed = (workspace: ScratchWorkspace, k: number) =>
        workspace.gateline(['rollback', '--to', 'first'], {
          script: DYING,
          env: { DIE_AFTER: String(k), OPERATIONS: workspace.beside('operations') },
        });
      await using whole = await ran.copy();
      const done = await killed(whole, 1_000_000);
      expect(done, done.stderr).toMatchObject({ code: 0 });
      const restored = { 'back.txt': 'first\n', 'brief.txt': 'first\n', 'shared.txt': 'first\n' };
      expect(await texts(whole)).toEqual(restored);
      const operations = (await readFile(whole.beside('operations'), 'utf8')).trim().split('\n');
      expect(operations.filter((what) => /^put (?:back|brief|late|shared)\.txt$/.test(what))).toHaveLength(4);
      const partly = operations.indexOf('put late.txt') + 1;
      const points = [...new Set([...someOf(numbersTo(operations.length), 4), partly])];
      await atATime(2, points, async (k) => {
        await using workspace = await ran.copy();
        expect((await killed(workspace, k)).signal).toBe('SIGKILL');
        if (k === partly) {
          // What somebody decides meanwhile must not be taken for the end of the rollback.
          const environment = plainEnvironment(workspace.variables());
          const paused = await gateline(workspace.root, ['pause', '--reason', 'test'], { environment });
          expect(paused.err).toContain('ROLLBACK_UNFINISHED');
          const refused = await gateline(workspace.root, ['run'], { environment });
          expect(refused.err).toContain("`gateline rollback --to first --run 'main#1'` completes it.");
        }
        await expectOk(workspace, 'rollback', '--to', 'first');
        expect(await texts(workspace), `killed after ${k} operations`).toEqual(restored);
        await expectOk(workspace, 'rollback', '--all');
        expect(await texts(workspace), `killed after ${k} operations`).toEqual(found);
        await workspace.write('late.txt', 'mine\n');
        expect(await expectOk(workspace, 'rollback', '--all', '--force')).toContain(
          'Run 1 of main is rolled back already',
        );
        expect(await workspace.read('late.txt')).toBe('mine\n');
      });
      console.log(`rollback to a gate: killed after ${points.length} of ${operations.length} operations`);
    },
  );
});
