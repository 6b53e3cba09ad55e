import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes, type Answer } from './in-process.ts';

const PASSES = `printf '{"ok": true}' > "$GATELINE_OUTPUT"; printf '{"costUsd": 0.25, "inputTokens": 100, "model": "m-1", "tools": ["bash"]}' > "$GATELINE_METRICS"`;

interface Line {
  readonly [name: string]: unknown;
}

async function linesOf(workspace: ScratchWorkspace, file = 'history.jsonl'): Promise<Line[]> {
  const text = await readFile(workspace.path(`.state/${file}`), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

describe('gateline history', () => {
  it('lists what runs came to, the newest first, and keeps one entry a run', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: 'exit 1', inputs: [] } }),
    });
    const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
    expect((await say('run', '-q', '--task', 'checkout')).code).toBe(1);
    const [failed] = await linesOf(workspace);
    expect(failed).toMatchObject({
      format: 'gateline-history/2',
      pipeline: 'p',
      run: 1,
      attempt: 1,
      status: 'error',
      gates: 2,
      passed: 1,
      failed: 1,
      cost: 0.25,
      tokens: 100,
      failure: { gate: 'b', kind: 'agent-error' },
      task: 'checkout',
      workflowFile: 'gateline.yml',
      models: ['m-1'],
      tools: ['bash'],
    });
    await workspace.write(
      'gateline.yml',
      gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: writes(1), inputs: [] } }),
    );
    await expectOk(say('run', '-q', '--task', 'checkout'));
    expect((await linesOf(workspace)).map(({ run, attempt, status }) => [run, attempt, status])).toEqual([
      [1, 1, 'error'],
      [1, 2, 'completed'],
    ]);
    await expectOk(say('run', '-q'));
    const { out } = await expectOk(say('history'));
    expect(
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => /^ *(\d+) .*(completed|error)/.exec(line)?.slice(1)),
    ).toEqual([
      ['2', 'completed'],
      ['1', 'completed'],
    ]);
    const json = JSON.parse((await expectOk(say('history', '--json', '--status', 'completed'))).out) as {
      entries: Line[];
    };
    expect(json.entries.map(({ run, reused = 0 }) => [run, reused])).toEqual([
      [2, 0],
      [1, 0],
    ]);
    expect(await readdir(workspace.path('.state/history/open'))).toEqual([]);
  });
});

describe('gateline stats', () => {
  it('shows what earlier runs and their gates took, and days in the time zone of the definition', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': JSON.stringify({
        ...(JSON.parse(
          gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: writes(1), inputs: [] } }),
        ) as object),
        timezone: 'Pacific/Kiritimati',
      }),
    });
    const at = (time: string, ...args: string[]): Promise<Answer> =>
      gateline(workspace.root, args, { now: () => new Date(time) });
    for (const [subject, time] of [
      ['x', '2026-11-04T09:59:00.000Z'],
      ['y', '2026-11-04T10:00:00.000Z'],
    ] as const)
      await expectOk(at(time, 'run', '-q', '-s', subject));
    const now = '2026-11-06T00:00:00.000Z';
    const json = JSON.parse((await expectOk(at(now, 'stats', '--json'))).out) as object;
    expect(json).toMatchObject({
      format: 'gateline-stats/1',
      runs: { runs: 2, successRate: 1, durations: { values: 2, p50: null } },
      gates: [
        { pipeline: 'p', key: 'a', ran: 2, firstPassRate: 1, spent: { costUsd: 0.5 }, flaky: 0 },
        { key: 'b', ran: 2 },
      ],
    });
    const { out } = await expectOk(at(now, 'stats'));
    expect(out).toContain('2 runs: 2 completed\nsuccess rate: 100 %');
    expect(out).toMatch(/^a +2 +100 % +100 %/m);
    const daily = JSON.parse((await expectOk(at(now, 'stats', '--daily', '--json'))).out) as {
      days: { date: string }[];
    };
    expect(daily).toMatchObject({ format: 'gateline-daily/1', timezone: 'Pacific/Kiritimati' });
    expect(daily.days.map(({ date }) => date)).toEqual(['2026-11-05', '2026-11-04']);
    const since = (await expectOk(at(now, 'history', '--json', '--since', '2026-11-05'))).out;
    expect((JSON.parse(since) as { entries: Line[] }).entries.map(({ subject }) => subject)).toEqual(['y']);
    const until = (await expectOk(at(now, 'history', '--csv', '--until', '2026-11-04'))).out;
    expect(
      until
        .split('\r\n')
        .slice(1, -1)
        .map((row) => row.split(',')[1]),
    ).toEqual(['x']);
    const file = workspace.path('.state/history.jsonl');
    expect((await expectOk(gateline('/', ['history', '--from', file, '--csv']))).out.split('\r\n')).toHaveLength(4);
  });

  it('reads a branch of the clone as it was fetched last, and leaves out what it cannot read', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: PASSES, inputs: [] } }),
    });
    const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
    for (const subject of ['x', 'y']) await expectOk(say('run', '-q', '-s', subject));
    const [x, y] = (await linesOf(workspace)).map((line) => JSON.stringify(line));
    const month = (await readdir(workspace.path('.state/history'))).find((name) => name.endsWith('.jsonl'));
    const gates = await readFile(workspace.path(`.state/history/${month}`), 'utf8');
    const branch = async (place: string, files: Record<string, string>): Promise<void> => {
      await workspace.git('checkout', '-q', '--orphan', 'made');
      await workspace.git('rm', '-q', '-r', '--cached', '.');
      for (const [name, text] of Object.entries(files)) await workspace.write(name, text);
      await workspace.git('add', '-f', ...Object.keys(files));
      await workspace.git('commit', '-q', '-m', 'days');
      await workspace.git('update-ref', place, 'HEAD');
      await workspace.git('checkout', '-q', '-f', 'main');
      await workspace.git('branch', '-q', '-D', 'made');
    };
    const missing = await say('history', '--from', 'branch');
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('git fetch origin gateline-history:')]);
    await branch('refs/heads/gateline-history', { '2026-01-01.jsonl': `${x}\n` });
    const subjectsIn = async (...args: string[]): Promise<unknown[]> => {
      const { out } = await expectOk(say('history', '--json', ...args));
      return (JSON.parse(out) as { entries: Line[] }).entries.map(({ subject }) => subject);
    };
    expect(await subjectsIn('--from', 'branch')).toEqual(['x']);
    await branch('refs/remotes/origin/gateline-history', {
      '2026-01-02.jsonl': `${gates}${y}\n`,
      '2026-01-01.jsonl': `${x}\n{"half`,
      'notes.jsonl': `${JSON.stringify({ subject: 'z' })}\n`,
    });
    expect(await subjectsIn('--from', 'branch')).toEqual(['y', 'x']);
    expect(await subjectsIn('--from', 'branch:gateline-history', '--gate', 'a')).toEqual(['y', 'x']);
    const shown = await expectOk(say('history', '--from', 'branch'));
    expect(shown.err).toContain('note: 1 line of the history cannot be read and is left out');
    expect((await expectOk(say('stats', '--from', 'branch'))).out).toContain('2 runs: 2 completed\n');
    await rm(workspace.path('gateline.yml'));
    expect(await subjectsIn('--from', 'branch', '--limit', '1')).toEqual(['y']);
    expect((await say('history', '--from', 'branch:none')).err).toContain('this clone has no branch none');
  });

  it.each([
    [['history', '--status', 'great'], /--status great: expected initializing, executing/],
    [['history', '--gate', 'a', '--status', 'error'], /--status error: expected pending/],
    [['history', '--since', '2026-02-30'], /expected a day, a time/],
    [['history', '--limit', '0'], /expected a whole number from 1/],
    [['history', '--json', '--csv'], /choose one/],
    [['history', '--from', 'nowhere.jsonl'], /nowhere.jsonl does not exist/],
    [['stats', '--daily', '--gate', 'a'], /about runs, not about gates/],
  ])('refuses %j', async (args, message) => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ a: { run: PASSES } }) });
    const { code, err } = await gateline(workspace.root, args);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('gateline history --rebuild', () => {
  it('makes the entries of runs that have records again, and keeps the others', async () => {
    const definition = gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: writes(1), inputs: [] } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition });
    const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
    for (const subject of ['x', 'y']) await expectOk(say('run', '-q', '-s', subject));
    await expectOk(say('run', '-q', '-s', 'x'));
    await expectOk(say('run', '-q', '-s', 'x', '-f', 'gateline.yml'));
    const before = await linesOf(workspace);
    expect(before).toHaveLength(4);
    // The records of y are gone, and so is the history of x; then the definition changes.
    await rm(workspace.path('.state/runs/y'), { recursive: true });
    const text = await readFile(workspace.path('.state/history.jsonl'), 'utf8');
    const lines = text.split('\n').filter((line) => line.includes('"subject":"y"'));
    await writeFile(workspace.path('.state/history.jsonl'), `${lines.join('\n')}\n{"half`);
    await workspace.write('gateline.yml', gatelineYml({ a: { run: PASSES }, c: { needs: 'a', run: writes(2) } }));
    const { err } = await expectOk(say('history', '--rebuild'));
    expect(err).toContain('note: 3 runs from records, 1 kept as they were');
    const plain = (list: readonly Line[]): Line[] =>
      list
        .map(({ commit: _, workflowFile: __, ...line }) => line)
        .toSorted((a, b) => (String(a['ended']) < String(b['ended']) ? -1 : 1));
    expect(plain(await linesOf(workspace))).toEqual(plain(before));
    const month = (await readdir(workspace.path('.state/history'))).find((name) => name.endsWith('.jsonl'));
    const gates = await linesOf(workspace, `history/${month}`);
    expect(gates.map(({ subject, run }) => `${String(subject)} ${String(run)}`).toSorted()).toEqual([
      'x 1',
      'x 2',
      'x 3',
      'y 1',
    ]);
    await expectOk(say('history', '--rebuild'));
    expect(plain(await linesOf(workspace))).toEqual(plain(before));
  });
});

describe('gateline diff --runs', () => {
  it('shows how the gates of two runs differ', async () => {
    const definition = (value: unknown): string =>
      gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: writes(value), inputs: [] } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition({ n: 1, same: true }) });
    const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
    await expectOk(say('run', '-q'));
    await workspace.write('gateline.yml', definition({ n: 2, same: true }));
    await expectOk(say('run', '-q'));
    const { out } = await expectOk(say('diff', '--runs', '1..2'));
    expect(out).toMatch(/^run 1 of main: completed/);
    expect(out).toMatch(/^a +passed → passed \(reused\) .* same +same$/m);
    expect(out).toMatch(/^b +passed .* changed +1 place changed$/m);
    const json = JSON.parse((await expectOk(say('diff', '--runs', '1..2', 'b', '--json'))).out) as object;
    expect(json).toMatchObject({
      format: 'gateline-runs-diff/1',
      before: { run: 1 },
      after: { run: 2 },
      gates: [{ key: 'b', sameRequest: false, output: [{ pointer: '/n', change: 'changed', before: 1, after: 2 }] }],
    });
    expect(await say('diff', '--runs', '1..9')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no run 9') as string,
    });
    expect(await say('diff', '--runs', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('expected RUN..RUN') as string,
    });
    expect(await say('diff', '--runs', '1..2', 'z')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no gate z') as string,
    });
  });
});

it('gateline plan estimates the time from earlier runs, if it is worth a line', async () => {
  const definition = gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: writes(1), inputs: [] } });
  await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition });
  const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
  await expectOk(say('run', '-q'));
  const forced = ['plan', '--metadata', 'x=1'];
  expect((await expectOk(say(...forced))).out).not.toContain('Estimated');
  const month = (await readdir(workspace.path('.state/history'))).find((name) => name.endsWith('.jsonl'));
  const path = workspace.path(`.state/history/${month}`);
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/"ms":\d+/g, '"ms":90000'));
  expect((await expectOk(say(...forced))).out).toContain('Estimated time: 3m 00s, from the medians of earlier runs.');
  expect((await expectOk(say('plan'))).out).not.toContain('Estimated');
});
