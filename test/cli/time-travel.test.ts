import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes, type Answer } from './in-process.ts';

/** review fails once in run 1. */
const GATES = gatelineYml({
  edit: { run: writes({ ok: true }), inputs: [] },
  review: {
    needs: 'edit',
    run: `if [ -n "\${GATELINE_FEEDBACK:-}" ]; then echo second; ${writes({ score: 90 })}; else echo first; ${writes({ score: 10 })}; fi`,
    inputs: [],
    retries: 1,
    output: { score: '/score', threshold: 50 },
  },
});

describe.runIf(process.platform !== 'win32')('a run at an earlier moment', () => {
  let workspace: ScratchWorkspace;
  const here = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
  const statusesAt = async (...args: string[]): Promise<Record<string, string>> => {
    const { out } = await here('status', '--json', ...args);
    const { gates } = JSON.parse(out) as { gates: { key: string; status: string }[] };
    return Object.fromEntries(gates.map(({ key, status }) => [key, status]));
  };

  beforeAll(async () => {
    workspace = await ScratchWorkspace.create({ 'gateline.yml': GATES });
    expect((await here('run', '-q')).code).toBe(0);
    expect((await here('run', '-q', '--force', 'edit', '--reason', 'again')).code).toBe(0);
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  it('is the state after a record, named as its file is, or by the beginning of its name', async () => {
    const before = await filesBelow(workspace.path('.state'), []);
    expect(await statusesAt('--at', 'edit._.1.1.1.started')).toEqual({ edit: 'running', review: 'pending' });
    expect(await statusesAt('--at', 'edit._.1.1.1.ended')).toEqual({ edit: 'passed', review: 'ready' });
    expect(await statusesAt('--at', 'review._.1.1.1.e')).toMatchObject({ review: 'partial' });
    expect(await statusesAt('--run', '1', '--at', 'review._.1.1.2.ended')).toEqual({
      edit: 'passed',
      review: 'passed',
    });
    expect(await statusesAt('--at', 'edit._.2.1.0.decided.force')).toEqual({ edit: 'ready', review: 'pending' });
    expect(await filesBelow(workspace.path('.state'), [])).toEqual(before);
  });

  it('is the state at a time', async () => {
    const { out } = await here('show', 'review', 'record', '--run', '1', '--attempt', '1');
    const [, ended] = JSON.parse(out) as { at: string }[];
    const json = JSON.parse((await here('status', '--json', '--at', ended!.at)).out);
    expect(json).toMatchObject({ run: 1, at: ended!.at, gates: [{ status: 'passed' }, { status: 'partial' }] });
    expect((await here('status', '--at', ended!.at)).out).toContain(`As of ${ended!.at}:\nRun 1 of p for main: error.`);
    const early = await here('status', '--at', '2020-01-01');
    expect(early.out).toContain('As of 2020-01-01T00:00:00.000Z:\nThere is no run of p for main yet.');
    expect(await statusesAt('--run', '2', '--at', '2020-01-01T00:00:00Z')).toEqual({
      edit: 'ready',
      review: 'pending',
    });
    expect(JSON.parse((await here('status', '--json')).out)).toMatchObject({ run: 2, at: null });
  });

  it.each([
    [['--at', 'nope'], 'MOMENT_UNKNOWN: --at nope: there is no such record, and it is not a time'],
    [['--at', 'edit._.1.1.1'], 'MOMENT_UNKNOWN: --at edit._.1.1.1: 2 records have names like that'],
    [['--run', '2', '--at', 'review._.1.1.1.ended'], 'MOMENT_UNKNOWN: --at review._.1.1.1.ended'],
    [['--run', '7', '--at', '2020-01-01'], 'RUN_UNKNOWN: there is no run 7 for main'],
  ])('%j is refused', async (args, said) => {
    expect(await here('status', ...args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(said) as string,
    });
  });

  it('has attempts that are shown by their number', async () => {
    const show = (...args: string[]): Promise<Answer> => here('show', 'review', ...args, '--run', '1');
    expect(JSON.parse((await show('output', '--attempt', '1')).out)).toEqual({ score: 10 });
    expect(JSON.parse((await show('output', '--attempt', '2')).out)).toEqual({ score: 90 });
    expect((await show('stdout', '--attempt', '1')).out).toBe('first\n');
    expect(JSON.parse((await show('request', '--attempt', '1')).out)).toMatchObject({ gate: 'review' });
    expect((await show('verdict', '--attempt', '1')).out).toMatch(
      /^review, attempt 1 \(run 1\): partial[\s\S]*gateline show review output --run 1 --attempt 1\n/,
    );
    expect(JSON.parse((await show('verdict', '--json', '--attempt', '1')).out)).toMatchObject({
      status: 'passed',
      attempt: { run: 1, call: 1, attempt: 1 },
      verdict: { status: 'partial', score: 10 },
    });
    expect(JSON.parse((await show('record', '--attempt', '2')).out)).toMatchObject([
      { kind: 'started', n: 2 },
      { kind: 'ended', n: 2 },
    ]);
    expect(await show('learnings', '--attempt', '1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('PART_ABSENT: attempt 1 of gate review has no learnings'),
    });
    expect(await show('output', '--attempt', '3')).toMatchObject({
      code: 2,
      err: expect.stringContaining('ATTEMPT_UNKNOWN: gate review has no attempt 3 in run 1: attempts: 1 to 2'),
    });
    expect((await show('output', '--attempt', 'x')).err).toContain('OPTION_VALUE: --attempt x');
  });

  it('has attempts that are numbered past an adopted output', async () => {
    const fails = { run: 'exit 1', inputs: [] };
    const gates = gatelineYml({ a: fails, b: { needs: 'a', ...fails } });
    await using adopting = await ScratchWorkspace.create({ 'gateline.yml': gates, 'good.json': '{"good":true}' });
    const call = (...args: string[]): Promise<Answer> => gateline(adopting.root, args);
    expect((await call('run', '-q')).code).toBe(1);
    expect((await call('adopt', 'a', '--reason', 'x', '--output', 'good.json')).code).toBe(0);
    expect((await call('show', 'a')).out).toContain('a, attempt 2 (run 1): passed');
    expect((await call('run', '-q', '--force', 'a', '--reason', 'again')).code).toBe(1);
    expect((await call('show', 'a')).out).toContain('a, attempt 3 (run 1): failed');
    expect((await call('show', 'a', '--attempt', '3')).out).toContain('a, attempt 3 (run 1): failed');
    expect((await call('show', 'a', '--attempt', '2')).out).toContain('a, attempt 2 (run 1): passed');
    expect(JSON.parse((await call('show', 'a', 'output', '--attempt', '2')).out)).toEqual({ good: true });
    expect(JSON.parse((await call('show', 'a', 'record', '--attempt', '2')).out)).toMatchObject([{ how: 'adopted' }]);
    expect((await call('show', 'a', 'request', '--attempt', '2')).err).toContain(
      'PART_ABSENT: attempt 2 of gate a has no request: its output was adopted',
    );
    expect((await call('show', 'a', '--attempt', '4')).err).toContain('attempts: 1 to 3');
    expect((await call('diff', 'a', '--attempt', '1..2')).err).toContain(
      'DIFF_UNAVAILABLE: no version of the workspace was kept for attempt 2 of gate a (begun: 3)',
    );
  });
});
