import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { setPlanSchema } from '../../src/report/json/set-json.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { expectOk, gatelineIn, type Answer } from './in-process.ts';
import { failing, FOUR, GATES, MAKE, pipeline, set, setOf, SUBJECT, subjects, workspaceWith } from './set-workspace.ts';

describe('gateline run --set', () => {
  it('runs each subject, blocks only those that need one that failed, and then runs what is missing', async () => {
    await using workspace = await workspaceWith(FOUR);
    const before = await workspace.files();
    failing(workspace, 'bad');
    const first = await set(workspace, ['run', '-q']);
    expect(first.code, first.err).toBe(1);
    expect(first.out).toContain('last: blocked: needs bad, which failed');
    expect(first.out).toMatch(/^base +completed +1 +2\/2 +USD 0\.50 +run 1 is completed$/m);
    expect(first.out).toMatch(/^bad +failed +1 +0\/2 +make failed: agent-error: /m);
    expect(first.out).toContain('4 subjects: 2 completed, 1 failed, 1 blocked.');
    const started = ['bad/make', 'base/check', 'base/make', 'top/check', 'top/make'];
    expect(await workspace.startedGates()).toEqual(started);

    failing(workspace);
    await workspace.forgetStarts();
    const second = await expectOk(set(workspace, ['run', '-q']));
    expect(second.out).toContain('base: completed: run 1 is up to date');
    expect(await workspace.startedGates()).toEqual(['bad/check', 'bad/make', 'last/check', 'last/make']);

    await workspace.forgetStarts();
    const third = await subjects(set(workspace, ['run', '-q', '--json']));
    expect(Object.values(third).map(({ status, run }) => `${status} ${run}`)).toEqual(Array(4).fill('completed 1'));
    expect(third['last']).toMatchObject({
      needs: ['bad', 'top'],
      set: 'third',
      gates: { done: 2, total: 2 },
      costUsd: 0.5,
    });
    expect(await workspace.starts()).toEqual([]);
    expect(await workspace.files()).toEqual(before);
    expect(await workspace.git('status', '--porcelain')).toBe('');
    expect(Object.values(await workspace.slots())).not.toContain('busy');
  });

  it('hands on the files of all subjects upstream, which apply and diff find by their subject', async () => {
    await using workspace = await workspaceWith(FOUR);
    await expectOk(set(workspace, ['run', '-q']));
    const { out } = await expectOk(gatelineIn(workspace, 'diff', '--run', 'last#1'));
    expect(out).toContain('+bad.txt\n+base.txt\n+own.txt\n+top.txt');
    expect(out).not.toContain('b/made/base.txt');
    for (const run of ['base#1', 'top#1', 'bad#1', 'last#1']) await expectOk(gatelineIn(workspace, 'apply', run));
    expect(await workspace.read('made/last.txt')).toBe('bad.txt\nbase.txt\nown.txt\ntop.txt\n');
    expect(await workspace.read('made/base.txt')).toBe('own.txt\n');
  });

  it('gives each subject its task and metadata, over those of the definition', async () => {
    const look = { run: 'cat "$GATELINE_REQUEST" > "$GATELINE_OUTPUT"', inputs: [] };
    const definition = pipeline({ look }, { task: 'all', metadata: { a: 1, b: 1, c: 1 } });
    await using workspace = await workspaceWith(
      setOf({ id: 'one', task: 'own', metadata: { c: { deep: [2] } } }, { id: 'two' }),
      definition,
    );
    await expectOk(set(workspace, ['run', '-q', '-m', 'b=3']));
    const seen = async (id: string): Promise<unknown> =>
      JSON.parse((await expectOk(gatelineIn(workspace, 'show', 'look', 'output', '--subject', id))).out);
    expect(await seen('one')).toMatchObject({
      subject: 'one',
      task: 'own',
      metadata: { a: 1, b: 3, c: { deep: [2] } },
    });
    expect(await seen('two')).toMatchObject({ subject: 'two', task: 'all', metadata: { a: 1, b: 3, c: 1 } });
  });

  it('has at most so many agents at work, over all subjects and gates', async () => {
    const count =
      'touch "$BUSY/$$"; ls "$BUSY" | wc -l >> "$BUSY.log"; sleep 0.2; rm "$BUSY/$$"; echo 1 > "$GATELINE_OUTPUT"';
    const gates = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { run: count, inputs: [] }]));
    await using workspace = await workspaceWith(
      setOf(...['x', 'y', 'z'].map((id) => ({ id }))),
      pipeline(gates, { 'max-parallel': 9 }),
    );
    const BUSY = workspace.beside('busy');
    mkdirSync(BUSY);
    const environment = plainEnvironment(workspace.variables({ BUSY }));
    await expectOk(set(workspace, ['run', '-q', '--max-parallel', '2'], { environment }));
    const counts = readFileSync(`${BUSY}.log`, 'utf8').trim().split('\n').map(Number);
    expect(counts).toHaveLength(9);
    expect(Math.max(...counts)).toBe(2);
  });

  it('goes on with the others while one waits for an approval', async () => {
    const gates = { ...GATES, check: { ...GATES.check, if: "subject == 'base'", approval: 'required' } };
    await using workspace = await workspaceWith(FOUR, pipeline(gates));
    const { code, out } = await set(workspace, ['run', '-q']);
    expect(code).toBe(3);
    expect(out).toMatch(/^base +paused +1 +1\/2 .*check: /m);
    expect(out).toMatch(/^bad +completed/m);
    expect(out).toContain('top: blocked: needs base, which is paused');
    await expectOk(gatelineIn(workspace, 'approve', 'check', '--subject', 'base', '--reason', 'ok'));
    await workspace.forgetStarts();
    await expectOk(set(workspace, ['run', '-q']));
    expect(await workspace.startedGates()).toEqual(['last/make', 'top/make']);
  });

  it('does not start a gate that waits for its turn while a person pauses its run', async () => {
    const isPaused = 'until [ -e "${START_LOG%/*}/paused" ]; do sleep 0.05; done';
    const wait = (id: string): object => ({
      run: `${SUBJECT}; echo "$s/${id} 1 $$" >> "$START_LOG"; ${isPaused}; echo 1 > "$GATELINE_OUTPUT"`,
      inputs: [],
    });
    const gates = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, wait(id)]));
    await using workspace = await workspaceWith(
      setOf({ id: 'x' }, { id: 'y' }),
      pipeline(gates, { 'max-parallel': 9 }),
    );
    let lines = '';
    let first = '';
    let paused: Promise<Answer> | undefined;
    const onWrite = (text: string): void => {
      lines += text;
      first ||= /^([xy]): [abc]: started/m.exec(lines)?.[1] ?? '';
      if (first !== '')
        paused ??= gatelineIn(workspace, 'pause', '--subject', first, '--reason', 'wait').finally(() =>
          writeFileSync(workspace.beside('paused'), ''),
        );
    };
    const { code, out } = await set(workspace, ['run', '-q', '--max-parallel', '1'], { onWrite });
    expect((await paused!).err).toBe('');
    expect(code).toBe(3);
    expect(out).toMatch(first === 'x' ? /^y +completed +1 +3\/3/m : /^x +completed +1 +3\/3/m);
    expect(out).toMatch(/^[xy] +paused +1 +1\/3 .*paused by .*: wait$/m);
    expect((await workspace.startedGates()).filter((gate) => gate.startsWith(`${first}/`))).toHaveLength(1);
    await expectOk(gatelineIn(workspace, 'resume', '--subject', first, '-q'));
    const { out: after } = await expectOk(set(workspace, ['run', '-q']));
    expect(after).toContain('2 subjects: 2 completed.');
  });

  it('refuses two versions of a path only where they meet', async () => {
    const make = { ...GATES.make, run: `${MAKE}\necho "$s" > shared.txt` };
    await using workspace = await workspaceWith(
      setOf({ id: 'a' }, { id: 'b' }, { id: 'c', needs: ['a', 'b'] }, { id: 'd', needs: 'c' }),
      pipeline({ ...GATES, make }),
    );
    const { code, out, err } = await set(workspace, ['run', '-q']);
    expect(code).toBe(2);
    expect(err).toContain(
      'FILES_CONFLICT: subject c: subjects that do not need each other changed the same path differently: shared.txt (a and b)',
    );
    expect(out).toContain('4 subjects: 2 completed, 1 failed, 1 blocked.');
    expect(out).toContain('d: blocked: needs c, which failed');
    await workspace.edit('subjects.json', '"id": "d",', '"id": "d", "set": "last",');
    const last = await set(workspace, ['run', '-q', '--only-set', 'last']);
    expect(last).toMatchObject({ code: 1, err: '' });
    expect(last.out).toContain('d: blocked: needs c, which cannot be used: FILES_CONFLICT: subject c');
  });

  it('stops on Ctrl-C, and the next call continues what was interrupted', async () => {
    const slow = {
      run: `${SUBJECT}; echo "$s/slow 1 $$" >> "$START_LOG"; [ -e "$FAIL" ] || sleep 60; echo 1 > "$GATELINE_OUTPUT"`,
      inputs: [],
    };
    await using workspace = await workspaceWith(FOUR, pipeline({ slow }));
    let interrupt = (): void => undefined;
    const onInterrupt = (listener: () => void): Disposable => {
      interrupt = listener;
      return { [Symbol.dispose]: () => undefined };
    };
    // Not before the agent itself has begun: a call that is over sooner starts it only once.
    const whenAtWork = setInterval(() => {
      const { startLog } = workspace;
      if (!existsSync(startLog) || !readFileSync(startLog, 'utf8').includes('base/slow')) return;
      clearInterval(whenAtWork);
      interrupt();
    }, 20);
    const { code, out } = await set(workspace, ['run', '-q', '--max-parallel', '1'], { onInterrupt });
    expect(code).toBe(130);
    expect(out).toMatch(/^base +interrupted .* the next call continues it$/m);
    expect(out).toMatch(/^bad +ready/m);
    expect(out).toMatch(/^last +blocked +needs top, which is blocked$/m);
    failing(workspace);
    await expectOk(set(workspace, ['run', '-q']));
    expect((await workspace.startedGates()).filter((gate) => gate === 'base/slow')).toHaveLength(2);
  });

  it('begins new runs with --new, and forces a gate of every subject', async () => {
    await using workspace = await workspaceWith(setOf({ id: 'a' }, { id: 'b', needs: 'a' }));
    await expectOk(set(workspace, ['run', '-q']));
    await workspace.forgetStarts();
    const again = await subjects(set(workspace, ['run', '-q', '--json', '--force', 'check', '--reason', 'new model']));
    expect(Object.values(again).map(({ run }) => run)).toEqual([2, 2]);
    expect(await workspace.startedGates()).toEqual(['a/check', 'b/check']);
  });

  it.each([
    [['run', '--subject', 'x'], '--subject cannot be used with --set: the file of the set names the subjects'],
    [['run', '--apply'], '--apply cannot be used with --set: a set leaves your folder as it is'],
    [['run', '--gate', 'make'], '--gate cannot be used with --set'],
    [['run', '--deliver', 'mail'], '--deliver mail: expected branch or patch'],
    [['run', '--max-parallel', '0'], '--max-parallel 0: expected a whole number from 1 to 256'],
    [['status', '--subjects'], '--subjects cannot be used with --set'],
  ])('refuses %j', async (args, said) => {
    await using workspace = await workspaceWith(FOUR);
    const { code, err } = await set(workspace, args);
    expect(code).toBe(2);
    expect(err).toContain(said);
    expect(await workspace.starts()).toEqual([]);
  });

  it("refuses its options without a set, a file that is wrong, and gates in the user's folder", async () => {
    await using workspace = await workspaceWith(
      setOf({ id: 'a', needs: 'b' }),
      pipeline({ ...GATES, check: { ...GATES.check, workspace: 'in-place' } }),
    );
    for (const option of ['--only-set=x', '--max-parallel=2', '--deliver=patch'])
      expect((await gatelineIn(workspace, 'run', option)).err).toContain(
        `${option.split('=')[0]} can only be used with --set`,
      );
    const wrong = await set(workspace, ['run', '--json']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('subjects.json:6:16 NEED_UNKNOWN needs: `b`: no such subject');
    expect(wrong.err).toContain('(at /subjects/0/needs)');
    expect(JSON.parse(wrong.out)).toMatchObject({
      code: 'SET_INVALID',
      problems: [{ place: { line: 6, pointer: '/subjects/0/needs' } }],
    });
    for (const path of ['nothing.json', '.']) {
      const missing = await gatelineIn(workspace, 'run', '--set', path);
      expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('SET_UNREADABLE') });
    }
    await workspace.write('subjects.json', setOf({ id: 'a' }));
    expect((await set(workspace, ['run'])).err).toContain('SET_IN_PLACE: gate check works in your folder');
  });
});

describe('gateline plan --set and status --set', () => {
  it('plan each subject as far as it can be known, and change nothing', async () => {
    await using workspace = await workspaceWith(FOUR);
    const { out } = await expectOk(set(workspace, ['plan', '--json']));
    const planned = setPlanSchema.parse(JSON.parse(out)).subjects;
    expect(
      planned.map(({ id, status, reason, plan }) => [id, status, reason, plan?.gates.map(({ choice }) => choice)]),
    ).toEqual([
      ['base', 'ready', '', ['run', 'depends']],
      ['bad', 'ready', '', ['run', 'depends']],
      ['top', 'pending', 'waits for base', undefined],
      ['last', 'pending', 'waits for bad and top', undefined],
    ]);
    expect(existsSync(workspace.path('.state'))).toBe(false);
    await expectOk(set(workspace, ['run', '-q']));
    await workspace.edit('subjects.json', '"last"', '"other"');
    const dry = await expectOk(set(workspace, ['run', '--dry-run']));
    expect(dry.out).toContain('base: completed: run 1 is up to date');
    expect(dry.out).toContain('p for other: starts run 1. 2 gates: 1 to run, 1 not known yet.');
    await workspace.write('base.txt', 'changed\n');
    const changed = await expectOk(set(workspace, ['plan']));
    expect(changed.out).toContain('file base.txt changed');
    expect(changed.out).toContain('top: pending: waits for base');
  });

  it('show the newest run of each subject without looking at files', async () => {
    await using workspace = await workspaceWith(FOUR);
    const none = await subjects(set(workspace, ['status', '--json']));
    expect(none['base']).toMatchObject({ status: 'ready', run: 0 });
    failing(workspace, 'bad');
    await set(workspace, ['run', '-q']);
    const { out } = await expectOk(set(workspace, ['status']));
    expect(out).toMatch(/^bad +failed +1 +0\/2 +make failed: agent-error/m);
    expect(out).toMatch(/^last +blocked +0\/2 +needs bad, which failed$/m);
    expect((await expectOk(set(workspace, ['status', '--only-set', 'third']))).out).toContain('1 subject: 1 blocked.');
  });
});
