import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes, type Answer } from './in-process.ts';

const GATES = gatelineYml({
  a: { run: writes(1), inputs: [] },
  b: { needs: 'a', run: writes(2), inputs: [] },
});

const HOW = ['-q', '--reason', 'test', '--actor', 'maria'];

describe.runIf(process.platform !== 'win32')('fork', () => {
  it('begins a run from a gate of an earlier one, and says so', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': GATES });
    const here = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
    await here('run', '-q');
    const plan = await here('fork', '1', '--from', 'b', '--dry-run', ...HOW);
    expect(plan).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^0 +a +reuse .*\n1 +b +run .*maria/m) as string,
    });
    expect((await here('status')).out).toContain('Run 1 of p for main: completed.');
    const forked = await here('fork', 'main#1', '--from', 'b', ...HOW);
    expect(forked.code).toBe(0);
    expect(forked.out).toContain('a: reuse: ');
    expect(forked.out).toContain('Run 2 of p for main, forked from main run 1 at b: completed.');
    expect(JSON.parse((await here('status', '--json')).out)).toMatchObject({
      run: 2,
      decisions: { forked: { actor: 'maria', reason: 'test' } },
      forkedFrom: { subject: 'main', run: 1, gate: 'b' },
    });
  });

  it('to another subject reuses what the default subject is not part of', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': GATES });
    const here = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
    await here('run', '-q');
    await workspace.git('checkout', '-q', '-b', 'try');
    const onBranch = await here('fork', 'main#1', '--subject', 'try', '--from', 'b', '--json', ...HOW);
    expect(JSON.parse(onBranch.out)).toMatchObject({
      subject: 'try',
      run: 1,
      forkedFrom: { subject: 'main', run: 1, gate: 'b' },
      gates: [{ reused: true }, { reused: false, status: 'passed' }],
    });
    const given = await here('fork', '1', '--subject', 'named', '--json', ...HOW);
    expect(JSON.parse(given.out)).toMatchObject({
      subject: 'named',
      forkedFrom: { subject: 'try', run: 1, gate: null },
      gates: [{ reused: false }, { reused: false }],
    });
  });

  it.each([
    [['fork', '1', '--from', 'b'], 'REASON_MISSING'],
    [['fork', 'x', ...HOW], 'OPTION_VALUE: RUN x: expected a run number, or SUBJECT#NUMBER'],
    [['fork', '4', ...HOW], 'RUN_UNKNOWN: there is no run 4 for main'],
    [['fork', ...HOW], 'ARGUMENT_MISSING'],
    [['resume', '--strategy', 'from-checkpoint'], 'start from: --from GATE\n  Gates: a, b.'],
    [['resume', '--from'], 'OPTION_VALUE: --from needs the gate to start from: --from GATE\n  Gates: a, b.'],
    [['resume', '--from', '--dry-run'], '\n  Gates: a, b.'],
    [['resume', '--from='], '\n  Gates: a, b.'],
  ])('%j is refused', async (args, said) => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': GATES });
    expect(await gateline(workspace.root, args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(said) as string,
    });
  });
});
