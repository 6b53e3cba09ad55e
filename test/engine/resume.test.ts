import { describe, expect, it } from 'vitest';
import { beginGate } from '../../src/engine/begin.ts';
import { decide, decideRun } from '../../src/engine/decide.ts';
import type { RunResult } from '../../src/engine/run-pipeline.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import type { Strategy } from '../../src/run/plan/strategy.ts';
import { engineWorld, Killed } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const CHAIN = pipelineOf({ a: { inputs: ['a.txt'] }, b: { needs: ['a'] }, c: { needs: ['b'] } });
const by = { actor: 'maria', reason: 'because' };

/** A world whose gates in `broken` fail, and whose outputs change with `word`. */
function resumable(broken: string[] = []) {
  const state = { broken: new Set(broken), word: 'one' };
  const world = engineWorld(
    ({ unit }) => (state.broken.has(unit) ? { result: { exitCode: 1 } } : { output: `${unit} ${state.word}` }),
    { 'a.txt': '1' },
  );
  const assignment = { pipeline: CHAIN, subject: 'subject', metadata: {}, input: null } as const;
  return {
    world,
    state,
    assignment,
    /** What the call started. */
    resume: async (strategy: Strategy, from: string[] = [], more = {}): Promise<string[]> => {
      const before = world.starts.length;
      await world.run(CHAIN, more, { resume: { ...by, strategy, from, lift: true } });
      return world.starts.slice(before).map((start) => start.split('#')[0]!);
    },
  };
}

const statuses = ({ state }: RunResult) => [...state.units.values()].map(({ status }) => status);

describe('strategies', () => {
  it('retry-current: runs what failed', async () => {
    const { world, state, resume } = resumable(['b']);
    await world.run(CHAIN);
    state.broken.clear();
    expect(await resume('retry-current')).toEqual(['b', 'c']);
  });

  it('retry-previous: runs what the failed gates need, and then those', async () => {
    const { world, state, resume } = resumable(['c']);
    await world.run(CHAIN);
    state.broken.clear();
    expect(await resume('retry-previous')).toEqual(['b', 'c']);
  });

  it.each(['failed', 'waiting'])('retry-previous: runs a %s gate again that needs nothing', async (which) => {
    const approval = which === 'waiting' ? { by: [], notAuthor: false, perCommit: false } : undefined;
    const pipeline = pipelineOf({ a: { approval }, b: { needs: ['a'] } });
    const world = engineWorld(() => (which === 'failed' ? { result: { exitCode: 1 } } : { output: 'a' }));
    await world.run(pipeline);
    const resume = { ...by, strategy: 'retry-previous', lift: true } as const;
    const { plan } = await world.plan(pipeline, {}, resume);
    expect(plan.units[0]).toMatchObject({ choice: 'run', reason: 'maria asked for a new attempt: because' });
    await world.run(pipeline, {}, { resume });
    expect(world.starts).toEqual(['a#1', 'a#1']);
  });

  it('skip-current: goes on without what failed', async () => {
    const { world, resume } = resumable(['b']);
    await world.run(CHAIN);
    expect(await resume('skip-current')).toEqual(['c']);
    expect((await world.plan(CHAIN)).plan.runNumber).toBe(2);
  });

  it('from-checkpoint: runs a gate and everything after it, although no output changes', async () => {
    const { world, resume } = resumable(['c']);
    await world.run(CHAIN);
    expect(await resume('from-checkpoint', ['b'])).toEqual(['b', 'c']);
  });

  it('accept only output made after the decision, whatever is stored', async () => {
    const { world, state, resume } = resumable(['c']);
    await world.run(CHAIN);
    state.broken.add('b');
    expect(await resume('from-checkpoint', ['b'])).toEqual(['b']);
    expect(statuses(await world.run(CHAIN))).toEqual(['passed', 'failed', 'blocked']);
  });

  it.each(['from', 'force'] as const)(
    'given again after a kill, --%s goes on: what has ended since is not started again',
    async (how) => {
      const asked = how === 'from' ? { strategy: 'from-checkpoint' as const, from: ['a'] } : { force: ['a', 'b', 'c'] };
      for (let dieAfter = 1; ; dieAfter += 1) {
        const { world } = resumable(['c']);
        await world.run(CHAIN);
        world.starts.length = 0;
        const again = { resume: { ...by, lift: true, ...asked } };
        const result = await world.run(CHAIN, {}, { dieAfter, ...again }).catch((error: unknown) => error);
        if (!(result instanceof Killed)) break;
        const written = [...world.medium.records.values()]
          .map(({ bytes }) => JSON.parse(bytes.toString()) as GatelineRecord)
          .filter(({ runAttempt }) => runAttempt === 2);
        const ended = written.filter(({ kind }) => kind === 'ended').map(({ gate }) => gate);
        const isBegun = written.length > 0;
        world.starts.length = world.events.length = 0;
        await world.run(CHAIN, {}, again);
        const isUsedUp = ended.includes('c');
        const expected = ['a', 'b', 'c'].filter((gate) => isUsedUp || !ended.includes(gate));
        expect(
          world.starts.map((start) => start[0]),
          `after ${dieAfter}`,
        ).toEqual(expected);
        const goesOn = world.events.filter(
          (event) => event.type === 'notice' && event.message.startsWith('continues the earlier --f'),
        );
        expect(goesOn, `after ${dieAfter}`).toHaveLength(isBegun && !isUsedUp ? 1 : 0);
      }
    },
  );

  it('given again with another reason start anew', async () => {
    const { world } = resumable(['c']);
    await world.run(CHAIN);
    const from = { ...by, lift: true, strategy: 'from-checkpoint', from: ['a'] } as const;
    await world.run(CHAIN, { only: new Set(['a']) }, { resume: from });
    world.starts.length = 0;
    await world.run(CHAIN, {}, { resume: { ...from, reason: 'other' } });
    expect(world.starts).toEqual(['a#1', 'b#1', 'c#1']);
  });

  it('are refused when nothing failed, when there is no run, and when the run is over', async () => {
    const { world, state, resume } = resumable();
    await expect(resume('retry-current')).rejects.toMatchObject({ code: 'RUN_NOT_OPEN' });
    await world.run(CHAIN, { only: new Set(['a']) });
    await expect(resume('retry-previous')).rejects.toMatchObject({ code: 'STRATEGY_NOTHING' });
    await expect(resume('skip-current')).rejects.toMatchObject({ code: 'STRATEGY_NOTHING' });
    await expect(resume('from-checkpoint', ['nope'])).rejects.toMatchObject({ code: 'GATE_UNKNOWN' });
    expect(await resume('retry-current')).toEqual(['b', 'c']);
    state.word = 'two';
    await expect(resume('retry-current')).rejects.toMatchObject({ code: 'RUN_COMPLETED' });
  });

  it('keep: adopts what comes before although its inputs changed, with who and why', async () => {
    const { world, resume } = resumable(['c']);
    await world.run(CHAIN);
    world.workspace.folder.set('a.txt', '2');
    const keep = { gates: new Set(['a']), ...by };
    const plan = await world.plan(CHAIN, { keep });
    expect(plan.plan.units[0]).toMatchObject({ choice: 'adopt', reason: expect.stringContaining('kept by maria') });
    expect(await resume('from-checkpoint', ['b'], { keep })).toEqual(['b', 'c']);
    const { state } = await world.run(CHAIN, { only: new Set() });
    expect(state.units.get('a')).toMatchObject({ status: 'passed', reason: 'adopted by maria: because' });
  });
});

describe('a run', () => {
  it('that is paused starts nothing until somebody resumes it', async () => {
    const { world, assignment, resume } = resumable();
    await world.run(CHAIN, { only: new Set(['a']) });
    await decideRun(world.ports(), assignment, { decision: 'pause', ...by });
    const paused = await world.run(CHAIN);
    expect(paused.state).toMatchObject({ status: 'paused', decided: { paused: { actor: 'maria' } } });
    expect(world.starts).toEqual(['a#1']);
    expect((await world.plan(CHAIN)).plan.units[1]!.reason).toContain('paused by maria: because');
    await expect(beginGate(world.ports(), assignment, 'b', () => undefined)).rejects.toMatchObject({
      code: 'GATE_BLOCKED',
      message: 'gate b: run 1 is paused by maria: because',
    });
    expect(await resume('retry-current')).toEqual(['b', 'c']);
  });

  it('that is closed is over: the next call begins another one, which reuses what stands', async () => {
    const { world, state, assignment } = resumable(['b']);
    await world.run(CHAIN);
    const closed = await decideRun(world.ports(), assignment, { decision: 'close', ...by });
    expect(closed.journal.state()).toMatchObject({ status: 'error', decided: { closed: { reason: 'because' } } });
    await expect(decideRun(world.ports(), assignment, { decision: 'close', ...by })).rejects.toMatchObject({
      code: 'RUN_NOT_OPEN',
    });
    state.broken.clear();
    const next = await world.run(CHAIN);
    expect(next.call).toMatchObject({ runNumber: 2, continues: false });
    expect(next.state.units.get('a')).toMatchObject({ reused: true });
  });

  it('can be begun anew while one is open, which closes that one', async () => {
    const { world } = resumable(['b']);
    await world.run(CHAIN);
    const fresh = await world.run(CHAIN, {}, { resume: { ...by, fresh: true } });
    expect(fresh.call).toEqual({ runNumber: 2, runAttempt: 1, continues: false });
    const { plan } = await world.plan(CHAIN);
    expect(plan).toMatchObject({ runNumber: 2, continues: true });
  });

  it('stays pinned until it is unpinned, also when it is completed', async () => {
    const { world, assignment } = resumable();
    await world.run(CHAIN);
    const pinned = await decideRun(world.ports(), assignment, { decision: 'pin', ...by });
    expect(pinned.journal.state()).toMatchObject({ status: 'completed', decided: { pinned: { actor: 'maria' } } });
    const unpinned = await decideRun(world.ports(), assignment, { decision: 'unpin', ...by });
    expect(unpinned.journal.state().decided.pinned).toBeUndefined();
  });

  it('stops after as many gates as asked', async () => {
    const { world } = resumable();
    const result = await world.run(CHAIN, { maxGates: 2 });
    expect(world.starts).toEqual(['a#1', 'b#1']);
    expect(result.planned.at(-1)).toMatchObject({ choice: 'blocked', reason: expect.stringContaining('2 gates') });
  });
});

describe('an adopted output', () => {
  it('is bound to the request: a change runs the gate again', async () => {
    const { world, state, assignment } = resumable(['a']);
    await world.run(CHAIN);
    await decide(world.ports(), assignment, { decision: 'adopt', gates: ['a'], output: 'mine', ...by });
    expect(statuses(await world.run(CHAIN))).toEqual(['passed', 'passed', 'passed']);
    state.broken.clear();
    world.workspace.folder.set('a.txt', '2');
    world.starts.length = 0;
    await world.run(CHAIN);
    expect(world.starts[0]).toBe('a#1');
  });
});

describe('an output of another subject', () => {
  /** Two subjects that nobody gave; the output of the second one is to be reused, or not. */
  async function shared() {
    const pipeline = pipelineOf({ a: {} });
    const world = engineWorld(({ unit }) => ({ output: unit }), {}, { acrossSubjects: true });
    const run = (subject: string, options = {}) => world.run(pipeline, { subject, isDefaultSubject: true }, options);
    const assignment = { pipeline, subject: 'ours', isDefaultSubject: true, metadata: {}, input: null };
    await run('ours');
    await run('other', { resume: { ...by, force: ['a'] } });
    world.starts.length = 0;
    return { world, run, assignment };
  }

  it('is not reused after a force that no attempt followed, in later runs either', async () => {
    const { world, run, assignment } = await shared();
    await decide(world.ports(), assignment, { decision: 'force', gates: ['a'], ...by });
    await decideRun(world.ports(), assignment, { decision: 'close', ...by });
    await run('ours');
    expect(world.starts).toEqual(['a#1']);
  });

  it('is not our own from before a force, which the other subject reused', async () => {
    let score = 50;
    const world = engineWorld(() => ({ output: { score } }), {}, { acrossSubjects: true });
    const contract = { schema: undefined, score: '/score', threshold: 80, partial: 'block', checks: [] } as const;
    const pipeline = pipelineOf({ a: { contract } });
    const run = (subject: string, options = {}) => world.run(pipeline, { subject, isDefaultSubject: true }, options);
    await run('other');
    score = 90;
    await run('ours');
    expect((await run('other')).planned).toMatchObject([{ choice: 'reuse' }]);
    score = 50;
    await run('ours', { resume: { ...by, fresh: true, force: ['a'] } });
    world.starts.length = 0;
    const { planned } = await run('ours', { resume: { ...by, fresh: true } });
    expect(planned[0]).toMatchObject({ choice: 'run' });
    expect(world.starts).toEqual(['a#1']);
  });

  it('that a person kept holds as long as one that was made then', async () => {
    const hour = 3_600_000;
    const world = engineWorld(({ unit }) => ({ output: unit }), { own: '1' }, { acrossSubjects: true });
    const pipeline = pipelineOf({ first: {}, a: { inputs: ['own'], maxAge: 1.5 * hour } });
    const assignment = { subject: 'ours', isDefaultSubject: true };
    await world.run(pipeline, { ...assignment, subject: 'other' });
    await world.run(pipeline, assignment);
    world.workspace.folder.set('own', '2');
    world.clock = new Date(world.clock.getTime() + 2 * hour);
    const keep = { gates: new Set(['a']), actor: 'me', reason: 'good enough' };
    const kept = await world.run(pipeline, { ...assignment, keep }, { resume: { ...by, fresh: true } });
    expect(kept.planned.map(({ choice }) => choice)).toEqual(['reuse', 'adopt']);
    for (let runs = 0; runs < 2; runs += 1) {
      world.clock = new Date(world.clock.getTime() + hour / 2);
      const { planned, state } = await world.run(pipeline, assignment, { resume: { ...by, fresh: true } });
      expect(planned.map(({ choice }) => choice)).toEqual(['reuse', 'reuse']);
      const adopted = { actor: 'me', reason: 'good enough' };
      expect(state.units.get('a')!.ended!.source).toEqual({ runNumber: 2, runAttempt: 1, n: 1, adopted });
    }
  });

  it('is not reused when an approval that followed a reject has expired', async () => {
    const { world, run, assignment } = await shared();
    const until = new Date(world.clock.getTime() + 60_000).toISOString();
    await decide(world.ports(), assignment, { decision: 'reject', gates: ['a'], ...by });
    await decide(world.ports(), assignment, { decision: 'approve', gates: ['a'], ...by, until });
    world.clock = new Date(world.clock.getTime() + 120_000);
    await run('ours');
    expect(world.starts).toEqual(['a#1']);
  });
});
