import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { StatusJson } from '../../src/report/json/status-json.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gatelineIn } from './in-process.ts';

const output = `printf '{}' > "$GATELINE_OUTPUT"`;

const DEFINITION = {
  pipeline: 'p',
  defaults: { run: { shell: 'sh' } },
  gates: {
    plan: { run: output, inputs: ['a.txt'], approval: { per: 'commit' } },
    code: { needs: 'plan', run: output, inputs: ['b.txt'] },
    docs: { run: output, inputs: ['c.txt'] },
  },
};

const APPROVE = ['approve', 'plan', '--reason', 'fine', '--actor', 'ann'];

async function start() {
  const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', '.gitignore': '.state/\n' };
  const workspace = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(DEFINITION), ...files });
  const run = promisify(execFile);
  const commit = async (): Promise<void> => {
    await workspace.write('other.txt', String(Math.random()));
    const who = ['-c', 'user.name=Zoe', '-c', 'user.email=zoe@example.com'];
    await run('git', ['add', '-A'], { cwd: workspace.root });
    await run('git', [...who, 'commit', '-qm', 'another'], { cwd: workspace.root });
  };
  /** The status of a run, and those of its gates. */
  const statusOf = async (number: number): Promise<string> => {
    const { out } = await expectOk(gatelineIn(workspace, 'status', '--json', '--run', String(number)));
    const { status, gates } = JSON.parse(out) as StatusJson;
    return `${status}: ${gates.map((gate) => gate.status).join(' ')}`;
  };
  return { workspace, commit, statusOf };
}

describe.runIf(process.platform !== 'win32')('the status of a run with approvals per commit', () => {
  it('is what it was at its end, also if everything was reused', async () => {
    const { workspace, commit, statusOf } = await start();
    await using _ = workspace;
    await gatelineIn(workspace, 'run');
    await expectOk(gatelineIn(workspace, ...APPROVE));
    await expectOk(gatelineIn(workspace, 'run'));
    await expectOk(gatelineIn(workspace, 'run'));
    const done = 'completed: passed passed passed';
    expect([await statusOf(1), await statusOf(2)]).toEqual([done, done]);
    await commit();
    expect([await statusOf(1), await statusOf(2)]).toEqual([done, done]);
    // The next run is about the new commit, which nobody has approved.
    const next = await gatelineIn(workspace, 'run');
    expect(next.out).toContain('run 3');
    expect(await statusOf(3)).toBe('paused: paused blocked passed');
    expect([await statusOf(1), await statusOf(2)]).toEqual([done, done]);
    await expectOk(gatelineIn(workspace, ...APPROVE));
    await expectOk(gatelineIn(workspace, 'run'));
    await commit();
    expect([await statusOf(1), await statusOf(2), await statusOf(3)]).toEqual([done, done, done]);
  });

  it('is not completed by an approval of an earlier commit than the last work was for', async () => {
    const { workspace, commit, statusOf } = await start();
    await using _ = workspace;
    await gatelineIn(workspace, 'run', '--until', 'plan');
    await expectOk(gatelineIn(workspace, ...APPROVE));
    await expectOk(gatelineIn(workspace, 'run', '--until', 'code'));
    await commit();
    await gatelineIn(workspace, 'run', '--until', 'docs');
    expect(await statusOf(1)).toBe('paused: paused blocked passed');
    await commit();
    expect(await statusOf(1)).toBe('paused: paused blocked passed');
  });
});
