import { describe, expect, it } from 'vitest';
import { planJsonSchema } from '../../src/report/json/plan-json.ts';
import { statusJsonSchema } from '../../src/report/json/status-json.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, type Answer, type WorldOptions } from './in-process.ts';

/** A command that notes its start, does something, and reports this cost. */
function spends(cost: number, first = ':'): string {
  const start = 'echo "$GATELINE_GATE $GATELINE_ATTEMPT $$" >> "$START_LOG"';
  return `${start}; ${first}; echo 1 > "$GATELINE_OUTPUT"; echo '{"costUsd": ${cost}}' > "$GATELINE_METRICS"`;
}

/** A definition with that budget. */
function definition(budget: object, gates: Readonly<Record<string, object>>): string {
  const all = Object.entries(gates).map(([id, gate]) => [id, { inputs: [], ...gate }]);
  const gate = { pipeline: 'p', 'max-parallel': 4, defaults: { run: { shell: 'sh' } }, gates: Object.fromEntries(all) };
  return JSON.stringify({ ...gate, budget }, null, 2);
}

function say(workspace: ScratchWorkspace, args: readonly string[], options: WorldOptions = {}): Promise<Answer> {
  return gateline(workspace.root, args, { environment: plainEnvironment(workspace.variables()), ...options });
}

const CHAIN = { a: { run: spends(0.4) }, b: { needs: 'a', run: spends(0.4) }, c: { needs: 'b', run: spends(0.4) } };

describe('a budget for a run', () => {
  it('is shown by each command, and continues the run once it is raised', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition({ gate: 0.4, run: 1 }, CHAIN) });
    const why = 'over budget: USD 1.00 for the run, USD 0.80 spent, USD 0.40 to reserve';
    const run = await say(workspace, ['run', '-q']);
    expect([run.code, await workspace.startedGates()]).toEqual([3, ['a', 'b']]);
    expect(run.out).toContain(`Run 1 of p for main: paused. 2 of 3 gates done; c is blocked: ${why}.`);
    expect(run.out).toContain('Raise the budget, then run `gateline run` again: a and b will be reused.');
    const status = statusJsonSchema.parse(JSON.parse((await say(workspace, ['status', '--json'])).out));
    expect([status.status, status.gates[2]]).toMatchObject(['paused', { key: 'c', status: 'blocked', reason: why }]);
    const plan = planJsonSchema.parse(JSON.parse((await say(workspace, ['plan', '--json'])).out));
    expect(plan.gates.map(({ choice, budget }) => [choice, budget])).toEqual([
      ['keep', null],
      ['keep', null],
      ['blocked', { choice: 'blocked', reserves: { dollars: 0.4 }, from: 'budget' }],
    ]);
    const begun = await say(workspace, ['begin', 'c']);
    expect([begun.code, begun.err]).toEqual([3, expect.stringContaining(`BUDGET_EXCEEDED: gate c: ${why}`)]);
    expect((await say(workspace, ['history'])).out).toMatch(/1 +main +paused/);
    expect((await expectOk(say(workspace, ['doctor']))).out).toContain('is sound.\n');
    await workspace.write('gateline.yml', definition({ gate: 0.4, run: 1.2 }, CHAIN));
    await expectOk(say(workspace, ['run', '-q']));
    expect(await workspace.startedGates()).toEqual(['a', 'b', 'c']);
  });

  it('says what to do where the cost is unknown, and where a gate has failed', async () => {
    const quiet = { a: { run: 'echo 1 > "$GATELINE_OUTPUT"' }, b: { needs: 'a', run: spends(0.4) } };
    const text = definition({ run: 1, 'on-unknown': 'fail' }, quiet);
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': text });
    const unknown = await say(workspace, ['run', '-q']);
    expect(unknown.out).toContain('Let its agent report what it spends, or set `on-unknown: allow`, then run');
    const failing = { a: { run: 'exit 1' }, b: { run: spends(0.4), budget: 2 } };
    await workspace.write('gateline.yml', definition({ run: 1 }, failing));
    const failed = await say(workspace, ['run', '-q', '--new']);
    expect([failed.code, failed.out]).toEqual([1, expect.stringMatching(/^Fix it and run `gateline run` again\./m)]);
  });

  it('reserves for a gate without a budget of its own what it usually spends', async () => {
    const gates = { a: { run: spends(0.4) } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition({ run: 1 }, gates) });
    await expectOk(say(workspace, ['run', '-q', '--subject', 'one']));
    const { out } = await expectOk(
      say(workspace, ['run', '--dry-run', '--force', 'a', '--reason', 'x', '--subject', 'two']),
    );
    expect(out).toContain('note: reserves USD 0.40: the median of earlier runs');
    await workspace.write('gateline.yml', definition({ run: 0.3 }, gates));
    const forced = ['run', '-q', '--subject', 'two', '--force', 'a', '--reason', 'x'];
    expect((await say(workspace, forced)).code).toBe(3);
    expect(await workspace.startedGates()).toEqual(['a']);
  });

  it('counts what a killed engine recorded, and starts no more than fits after it', { timeout: 120_000 }, async () => {
    const chain = { ...CHAIN, b: { needs: 'a', run: spends(0.4, 'test -e "$GO" || sleep 60') } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition({ gate: 0.4, run: 1 }, chain) });
    const env = { GO: workspace.beside('go') };
    const engine = workspace.start(['run', '-q'], { env });
    await expect.poll(() => workspace.startedGates(), { timeout: 60_000 }).toEqual(['a', 'b']);
    engine.process.kill('SIGKILL');
    await engine.ended;
    const again = await workspace.gateline(['run', '-q'], { env: { GO: workspace.root } });
    expect([again.code, await workspace.startedGates()]).toEqual([3, ['a', 'b', 'b']]);
    expect(again.stdout).toContain('c is blocked: over budget');
  });
});

describe('a budget for a day', () => {
  const gates = { a: { run: spends(0.4), budget: 0.4 } };
  const DAY = definition({ day: 1 }, gates);
  const force = ['--force', 'a', '--reason', 'again'];

  it('is one for the runs of all subjects, and ends with the day in the time zone of the pipeline', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': JSON.stringify({ ...(JSON.parse(DAY) as object), timezone: 'Europe/Berlin' }),
    });
    // In Berlin it is midnight at 23:00.
    const at = (time: string): WorldOptions => ({ now: () => new Date(`2026-01-05T${time}.000Z`) });
    const run = async (subject: string, time: string): Promise<number> =>
      (await say(workspace, ['run', '-q', '--subject', subject, ...force], at(time))).code;
    expect(await run('one', '10:00:00')).toBe(0);
    expect(await run('two', '11:00:00')).toBe(0);
    const third = await say(workspace, ['run', '-q', '--subject', 'three', ...force], at('22:59:00'));
    expect(third.code).toBe(3);
    expect(third.out).toContain('over budget: USD 1.00 for the day, USD 0.80 spent, USD 0.40 to reserve');
    expect(await run('three', '23:01:00')).toBe(0);
    expect(await workspace.startedGates()).toEqual(['a', 'a', 'a']);
  });

  it('counts an agent that another process has begun, and one that was begun for a run that is open', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition({ day: 1 }, gates) });
    await expectOk(say(workspace, ['begin', 'a', '--tree', '--subject', 'one']));
    await expectOk(say(workspace, ['run', '-q', '--subject', 'two']));
    const third = await say(workspace, ['run', '-q', '--subject', 'three', ...force]);
    expect(third.code).toBe(3);
    expect(third.out).toContain('USD 0.40 spent, USD 0.40 reserved by gates that run, USD 0.40 to reserve');
    expect(await workspace.startedGates()).toEqual(['a']);
  });

  it('is one for the subjects of a set that run side by side', async () => {
    const subjects = ['one', 'two', 'three', 'four'].map((id) => ({ id }));
    const each = { a: { run: spends(0.4, 'sleep 0.3'), budget: 0.4, reuse: 'never' } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': definition({ day: 1 }, each),
      'set.json': JSON.stringify({ format: 'gateline-set/1', subjects }),
    });
    const { code, out } = await say(workspace, ['run', '-q', '--set', 'set.json']);
    expect([code, await workspace.startedGates()]).toEqual([3, ['a', 'a']]);
    expect(out).toMatch(/paused +1 +0\/1 +a: over budget: USD 1.00 for the day/);
    await workspace.write('gateline.yml', definition({ day: 1.6 }, each));
    await expectOk(say(workspace, ['run', '-q', '--set', 'set.json']));
    expect(await workspace.startedGates()).toEqual(['a', 'a', 'a', 'a']);
  });
  it('lets a subject of a set go on when others have spent less than they reserved', async () => {
    const subjects = ['one', 'two', 'three', 'four'].map((id) => ({ id }));
    const a = { run: spends(0.1, 'sleep 0.3'), budget: 0.4, reuse: 'never' };
    const gates = { a, b: { ...a, needs: 'a' } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': definition({ day: 1 }, gates),
      'set.json': JSON.stringify({ format: 'gateline-set/1', subjects }),
    });
    // Of eight agents with 0.10 each, the eighth would need 0.40 besides 0.70.
    const { code, out } = await say(workspace, ['run', '-q', '--set', 'set.json']);
    expect([code, (await workspace.startedGates()).length], out).toEqual([3, 7]);
    expect(out).toContain('4 subjects: 3 completed, 1 paused.');
    expect(out).toMatch(/b: over budget: USD 1.00 for the day, USD 0.70 spent, USD 0.40 to reserve/);
  });
});
