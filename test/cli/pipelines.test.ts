import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { agent, ENVELOPE, pipeline, Project, type Begun } from './support.ts';

const create = (gates: Record<string, object>, more: object = {}, files: Record<string, string> = {}) =>
  new Project({ 'spec.md': 'A', ...files, 'gateline.yml': pipeline(gates, more) });
const sorted = (text: string) => text.split(' ').toSorted().join(' ');

describe('legs', () => {
  it('run side by side, are one need, and continue one by one', async () => {
    // `b` fails until the file `fixed` is there.
    const run = `[ "$GATELINE_LEG" != b ] || [ -e "$HOME/fixed" ] || exit 4; ${agent({ ok: true })}`;
    const project = create({
      test: { run, strategy: { matrix: { name: ['a', 'b', 'c'] }, 'fail-fast': false } },
      report: { needs: 'test', run: `cp "$GATELINE_REQUEST" "$HOME/request"; ${agent()}` },
    });
    expect(sorted(await project.run())).toBe(sorted('1: test/a test/c'));
    expect(await project.statuses()).toBe('test/a passed, test/b failed, test/c passed, report blocked');
    await project.expect('show test', 2, 'error: test has legs: name one of them\nhint: test/a, test/b, test/c\n');
    await project.expect('show test/x', 2, 'error: gate test has no leg x\nhint: test/a, test/b, test/c\n');
    project.write('../fixed', '');
    expect(await project.run()).toBe('0: test/b report');
    const ok = { output: { ok: true } };
    expect(project.readJson('../request')).toMatchObject({ needs: { test: { legs: { a: ok, b: ok, c: ok } } } });
    expect(sorted(await project.run('--force', 'test'))).toBe(sorted('0: test/a test/b test/c'));
    expect(await project.run('--force', 'test/c')).toBe('0: test/c');
  });

  it('from data depend on the output that lists them', async () => {
    const gates = (items: JsonValue) => ({
      list: { run: agent({ items }) },
      work: {
        needs: 'list',
        run: `[ "$GATELINE_LEG" != y ] || [ -e fixed ] || exit 4; ${agent()}`,
        strategy: { matrix: '${{ needs.list.output.items }}' },
      },
      last: { needs: 'work', run: `cp "$GATELINE_REQUEST" "$HOME/request"; ${agent()}` },
    });
    const project = create(gates(['x', 'y', 'z']), { 'max-parallel': 1 });
    expect(await project.why('work')).toBe('depends: its legs come from a gate that is not done');
    expect(await project.run('--force', 'work')).toBe('1: list work/x');
    expect(await project.statuses()).toBe('list passed, work/x passed, work/y failed, work/z blocked, last blocked');
    expect(await project.run('--strategy', 'skip-current')).toBe('0: work/z last');
    expect(await project.run()).toBe('0: ');
    project.write('gateline.yml', pipeline(gates([])));
    expect(await project.run()).toBe('0: list last');
    expect(await project.statuses()).toBe('list passed, last passed');
    expect(project.readJson('../request')['needs']).toEqual({ work: { legs: {} } });
    project.write('gateline.yml', pipeline(gates('x')));
    const problem = 'list failed: schema: /items: legs are made from it, but it is not a list\n';
    const next = 'Next: Fix list: write a list of at most 256 items, then run again: `gateline run`\n';
    await project.expect('run', 1, 'Run 3 of p for main: error', problem, next);
    expect(await project.statuses()).toBe('list failed, work blocked, last blocked');
    project.write('gateline.yml', pipeline(gates(Array.from({ length: 257 }, (_, index) => index))));
    await project.expect(
      'run',
      1,
      'list failed: schema: /items: legs are made from it, but 257 legs are more than 256',
    );
  });

  it('of an empty list are done when the needs of their gate are', async () => {
    const project = create({
      list: { run: agent([]) },
      edit: { run: `echo x > a.txt; ${agent()}`, files: ['a.txt'] },
      work: { needs: ['list', 'edit'], strategy: { matrix: '${{ needs.list.output }}' } },
      last: { needs: 'work' },
    });
    expect(await project.run()).toBe('0: list edit last');
    expect(await project.run()).toBe('0: ');
    // What that handed on is handed on.
    project.write('a.txt', 'y');
    expect(await project.run()).toBe('0: last');
    await project.expect('keep last', 0);
    expect(await project.run()).toBe('0: ');
    await project.expect('force work', 2, 'error: work has no legs: nothing to force');
    await project.expect('keep work/x', 2, 'error: gate work has no leg x', 'hint: `gateline status` shows them');
  });

  it('that were begun are completed although the list has changed meanwhile', async () => {
    const list = { run: 'cp list.json "$GATELINE_OUTPUT"', inputs: ['list.json'] };
    const work = { needs: 'list', run: undefined, strategy: { matrix: '${{ needs.list.output }}' } };
    const project = create({ list, work });
    project.write('list.json', '["x"]');
    await project.run();
    const { token, env } = await project.json<Begun>('begin', 'work/x');
    project.write('list.json', '["y"]');
    await project.run();
    project.write(env['GATELINE_OUTPUT']!, '{}');
    await project.expect(['complete', token], 0);
    project.write('list.json', '["x"]');
    await project.expect('run', 0, '2 of 2 gates done');
  });

  it('that agents work on by themselves begin and complete', async () => {
    const leg = { run: undefined, files: ['*.txt'], strategy: { matrix: '${{ needs.list.output }}' } };
    const project = create({ list: { run: agent(['x', 'y']) }, work: { needs: 'list', ...leg } });
    await project.run();
    for (const name of ['x', 'y']) {
      const { token, env } = await project.json<Begun>('begin', `work/${name}`);
      expect(env).toMatchObject({ GATELINE_LEG: name });
      project.write(`${name}.txt`, name);
      project.write(env['GATELINE_OUTPUT']!, '{}');
      await project.expect(['complete', token], 0);
    }
    await project.expect('run', 0, '3 of 3 gates done');
    expect(await project.run()).toBe('0: ');
  });
});

describe('groups', () => {
  it('are shown together; the gates of a sequential one never work side by side', async () => {
    const busy = { run: `[ ! -e "$HOME/busy" ] || exit 1; : > "$HOME/busy"; ${agent()}; rm "$HOME/busy"` };
    const project = create(
      { a: busy, b: busy, c: busy },
      { groups: { checks: { gates: ['a', 'b', 'c'], mode: 'sequential' } }, 'max-parallel': 3 },
    );
    const { out } = await project.gateline('run');
    expect(out).toMatch(/ +checks +passed\n0 +└ a +passed.*\n1 +└ b +passed.*\n2 +└ c +passed/);
  });
});

describe('on-fail', () => {
  /** `fix` counts its work in n.txt; `review` wants 3. */
  const loop = (max: number) => ({
    plan: {},
    fix: {
      needs: 'plan',
      run: `echo x >> n.txt; cp "$GATELINE_REQUEST" "$HOME/fix.json"; ${agent()}`,
      files: ['n.txt'],
    },
    review: {
      needs: 'fix',
      run: `agent "{\\"lines\\": $(wc -l < n.txt), \\"say\\": \\"more\\"}"`,
      output: { checks: 'output.lines >= 3' },
      'on-fail': { goto: 'fix', 'max-iterations': max },
    },
    last: { needs: 'review' },
  });

  it('sends the work back with what was wrong, until it is good', async () => {
    const project = create(loop(5));
    await project.expect('run', 0, 'fix: iteration 2, sent back by review\n');
    expect(project.ran()).toBe('plan fix review fix review fix review last');
    const from = [{ gate: 'review', output: { lines: 2, say: 'more' }, verdict: { kind: 'check' } }];
    expect(project.readJson('../fix.json')).toMatchObject({ attempt: 3, rework: { iteration: 3, from } });
    expect(await project.unit('fix')).toMatchObject({ iteration: 3, status: 'passed' });
    expect(await project.run()).toBe('0: ');
  });

  it('ends after its iterations, and goes on where they ended', async () => {
    const project = create(loop(2));
    expect(await project.run()).toBe('1: plan fix review fix review');
    const more = ', then run again (`gateline run --max-iterations 3` sends it back once more): `gateline run`';
    await project.expect('status', 0, /review failed: check: .* \(sent back 1 of 1 time\)\n/, more);
    expect(await project.run('--max-iterations', '3')).toBe('0: fix review last');
  });

  it('reviews once more what a rework did not change, and says so', async () => {
    const project = create({ ...loop(3), fix: { needs: 'plan', run: agent() } });
    project.write('n.txt', 'x\n');
    const why = 'its output for these inputs failed, and does not send the work back again';
    await project.expect('run', 1, `review: attempt 2 starts: ${why}\n`);
  });
});

describe('strategies', () => {
  const failing = (more: object = {}) =>
    create({
      one: {},
      two: { needs: 'one', run: 'echo "$GATELINE_GATE" >> "$RUNS"; exit 7', ...more },
      three: { needs: 'two' },
    });

  it.each([
    [['--strategy', 'retry-current'], '1: two'],
    [['--strategy', 'retry-previous'], '1: one two'],
    [['--strategy', 'skip-current', '-r', 'flaky'], '0: three'],
    [['--strategy', 'from-checkpoint', '--from', 'one'], '1: one two'],
    [['--strategy', 'from-checkpoint', '--from', 'two'], '1: two'],
    [['--until', 'one'], '0: '],
    [['--gate', 'three'], '1: '],
    [['--new'], '1: two'],
  ])('%j continues a run that failed', async (words, ran) => {
    const project = failing();
    expect(await project.run()).toBe('1: one two');
    expect(await project.run(...words)).toBe(ran);
    if (words.includes('flaky')) {
      await project.expect('status', 0, 'dev@example.com skipped it: flaky');
      await project.expect('run --strategy retry-previous', 2, 'no gate of the newest run of main has failed');
    }
  });

  it('--gate runs on what holds of its needs, and says which is missing', async () => {
    const project = create({ one: {}, two: { needs: 'one' }, three: { needs: 'two', inputs: ['a.txt'] } });
    project.write('a.txt', 'A');
    expect(await project.run('--until', 'one')).toBe('0: one');
    const missing = 'two must be done before three: it has no output yet (`gateline run --until two`)';
    expect(await project.choices('--gate', 'three')).toBe('three blocked');
    await project.expect('run --gate three', 1, missing);
    expect(await project.run()).toBe('0: two three');
    project.write('a.txt', 'B');
    expect(await project.choices('--gate', 'three')).toBe('three run');
    expect(await project.run('--gate', 'three')).toBe('0: three');
    expect(await project.run()).toBe('0: ');
  });

  it('retries run the agent again in one call, with what was wrong as feedback', async () => {
    const project = failing({
      run: `cp "\${GATELINE_FEEDBACK:-/dev/null}" "$HOME/feedback$GATELINE_ATTEMPT"; ${agent({ n: 1 })}`,
      output: { checks: 'output.n == 2' },
      retries: 1,
    });
    expect(await project.run()).toBe('1: one two two');
    expect(project.readJson('../feedback2')).toMatchObject({ kind: 'check', issues: [{ rule: 'output.n == 2' }] });
    expect(await project.unit('two')).toMatchObject({ attempts: [{ n: 1 }, { n: 2 }] });
  });
});

describe('what may keep a gate from running', () => {
  it('a condition that is false: not applicable, and later gates run', async () => {
    const project = create({
      one: { run: agent({ risk: 'low' }) },
      two: { needs: 'one', if: "needs.one.output.risk == 'high'" },
      three: { needs: 'two' },
    });
    expect(await project.run()).toBe('0: one three');
    expect(await project.unit('two')).toMatchObject({ status: 'not-applicable', done: true });
    expect(await project.run()).toBe('0: ');
    project.edit('gateline.yml', 'low', 'high');
    expect(await project.run()).toBe('0: one two three');
  });

  it('max-cost: no gate starts once the run has cost that much', async () => {
    const cost = (usd: number) => `echo '{"costUsd": ${usd}, "inputTokens": 10}' > "$GATELINE_METRICS"; ${agent()}`;
    const project = create(
      {
        one: { run: cost(0.5) },
        two: { needs: 'one', run: cost(0.75) },
        three: { needs: 'two', run: cost(1) },
      },
      { 'max-cost': 1 },
    );
    const note =
      'note: three does not start: the run has cost $1.25, and `max-cost` is $1 (raise it, or begin another run';
    await project.expect('run', 1, note, '$1.25, 20 tokens');
    expect(project.ran()).toBe('one two');
    expect(await project.choices()).toBe('one use, two use, three wait');
  });

  it('stand-in: the state file of a need, else the input of the caller, takes its place', async () => {
    const project = create({
      data: { run: agent({ rows: 1 }) },
      design: {
        needs: 'data',
        run: `cp "$GATELINE_REQUEST" "$HOME/request"; ${agent()}`,
        'stand-in': true,
      },
    });
    project.write('input.json', '{"needs": {"data": {"rows": 7}}, "userStory": "As a user"}');
    expect(await project.run('--gate', 'design')).toBe('1: ');
    expect(await project.choices('--gate', 'design')).toBe('design blocked');
    expect(await project.choices('--gate', 'design', '--input', 'input.json')).toBe('design depends');
    expect(await project.run('--gate', 'design', '--input', 'input.json')).toBe('0: design');
    expect(project.readJson('../request')).toMatchObject({
      metadata: { userStory: 'As a user' },
      needs: { data: { output: { rows: 7 } } },
    });
    project.write('.state/main-gate0-output.json', JSON.stringify({ ...ENVELOPE, output: { rows: 8 } }));
    expect(await project.run('--gate', 'design')).toBe('0: design');
    expect(project.readJson('../request')).toMatchObject({ needs: { data: { output: { rows: 8 } } } });
    expect(await project.run()).toBe('0: data design');
  });
});
