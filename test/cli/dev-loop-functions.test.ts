import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

const set = JSON.stringify({
  format: 'gateline-set/1',
  subjects: [
    { id: 'login', task: 'Users can log in', set: 'mvp' },
    { id: 'profile', task: 'Users see their profile', set: 'later' },
  ],
});

describe('what dev-loop is used with', () => {
  it('coordinates a set: the PRD that runs is `running`, and only that of the active set', async () => {
    const run = `cp .devloop/execution-state.json "$GATELINE_OUTPUT"`;
    const gates = { make: { run, inputs: [] }, after: { run: writes(1), needs: 'make', inputs: [] } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates, { mirror: ['dev-loop'] }),
      'prds.json': set,
    });
    const active = ['--set', 'prds.json', '--only-set', 'mvp', '--max-parallel', '3'];
    expect((await expectOk(here(workspace, 'run', ...active, '--dry-run'))).out).not.toContain('profile');
    await expectOk(here(workspace, 'run', '--quiet', ...active));
    const shown = (await expectOk(here(workspace, 'show', 'make', 'output', '--subject', 'login'))).out;
    expect(JSON.parse(shown)).toMatchObject({ prds: { login: { status: 'running', run: 1 } } });
    expect(JSON.parse(await workspace.read('.devloop/execution-state.json'))).toMatchObject({
      activePrdSetId: 'mvp',
      prds: { login: { status: 'done', set: 'mvp', run: 1 } },
    });
  });

  it('lists all tasks with their status and number of runs, and cancels one', async () => {
    const run = `grep -q good login.txt && ${writes(1)}`;
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ make: { run, inputs: ['login.txt'] } }),
      'login.txt': 'bad',
      'prds.json': set,
    });
    const tasks = async (): Promise<object[]> => {
      const { out } = await expectOk(here(workspace, 'tasks', 'prds.json', '--json'));
      return (JSON.parse(out) as { readonly tasks: object[] }).tasks;
    };
    expect(await tasks()).toMatchObject([
      { id: 'login', status: 'pending', runs: 0 },
      { id: 'profile', status: 'pending', runs: 0 },
    ]);
    expect((await here(workspace, 'loop', 'prds.json', '--quiet', '--max-iterations', '1')).code).toBe(1);
    await expectOk(here(workspace, 'close', 'login', '--reason', 'not wanted'));
    expect(await tasks()).toMatchObject([{ id: 'login', status: 'cancelled', runs: 1 }, { id: 'profile' }]);
  });
});
