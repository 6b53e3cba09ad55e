import { describe, expect, it } from 'vitest';
import type { PlanResult } from '../../src/engine/plan-pipeline.ts';
import type { PlannedUnit } from '../../src/run/plan/plan.ts';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const by = { actor: 'maria', reason: 'because' };
const ASKED = 'maria asked for a new attempt: because';
const CHAIN = pipelineOf({ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } });

const shown = (units: readonly PlannedUnit[]) => units.map(({ key, choice, reason }) => `${key} ${choice}: ${reason}`);
const linesOf = ({ plan }: PlanResult) => shown(plan.units);

/** A world in which `broken` fails. */
function worldWith(broken?: string) {
  return engineWorld(({ unit }) => (unit === broken ? { result: { exitCode: 1 } } : { output: unit }));
}

describe('a plan of gates whose needs run first', () => {
  it('shows that a decision makes them run, as the call itself does: from a gate', async () => {
    const world = worldWith('c');
    await world.run(CHAIN);
    const how = { ...by, strategy: 'from-checkpoint', from: ['a'], lift: true } as const;
    const plan = await world.plan(CHAIN, {}, how);
    expect(linesOf(plan)).toEqual(['a', 'b', 'c'].map((key) => `${key} run: ${ASKED}`));
    expect(shown((await world.run(CHAIN, {}, { resume: how })).planned)).toEqual(linesOf(plan));
  });

  it('shows the same for the needs of a failed gate', async () => {
    const pipeline = pipelineOf({ a: {}, b: { needs: ['a'] }, c: { needs: ['a', 'b'] } });
    const world = worldWith('c');
    await world.run(pipeline);
    const plan = await world.plan(pipeline, {}, { ...by, strategy: 'retry-previous', lift: true });
    expect(linesOf(plan).slice(0, 2)).toEqual([`a run: ${ASKED}`, `b run: ${ASKED}`]);
    expect(plan.plan.units[2]).toMatchObject({ choice: 'depends' });
  });

  it('shows the same for a fork', async () => {
    const world = worldWith();
    await world.run(CHAIN);
    const fork = { subject: 'subject', runNumber: 1, gate: 'b' };
    const plan = await world.plan(CHAIN, {}, { ...by, fork });
    expect(linesOf(plan).slice(1)).toEqual([`b run: ${ASKED}`, `c run: ${ASKED}`]);
  });

  it('shows what it cannot know: a decision that an attempt has answered, and an `if`', async () => {
    const world = worldWith();
    const forced = { ...by, force: ['b'] };
    await world.run(CHAIN, {}, { resume: forced });
    const depends = { choice: 'depends', reason: 'waits for a; reused if its inputs are unchanged' };
    expect((await world.plan(CHAIN, {}, { ...by, force: ['a'] })).plan.units[1]).toMatchObject(depends);
    const conditional = pipelineOf({ a: {}, b: { needs: ['a'], if: 'needs.a.outcome == "passed"' } });
    expect((await world.plan(conditional, {}, { ...by, force: ['a', 'b'] })).plan.units[1]).toMatchObject(depends);
  });
});

describe('a plan does not promise to reuse', () => {
  it.each([
    ['partial', 'attempt 1 was only partial'],
    ['failed', 'attempt 1 failed (agent-error)'],
  ])('an output that was %s', async (how, why) => {
    const contract = { schema: undefined, score: '/score', threshold: 80, partial: 'block', checks: [] } as const;
    const pipeline = pipelineOf({ a: {}, b: { needs: ['a'], contract } });
    const world = engineWorld(({ unit }) =>
      how === 'failed' && unit === 'b' ? { result: { exitCode: 1 } } : { output: { score: 10 } },
    );
    await world.run(pipeline);
    const { plan } = await world.plan(pipeline, {}, { ...by, force: ['a'] });
    const reason = `waits for a; its last attempt is not reused: ${why}`;
    expect(plan.units[1]).toMatchObject({ choice: 'depends', reason });
  });

  it('one that somebody kept as if its inputs were the same', async () => {
    const pipeline = pipelineOf({ a: { inputs: ['a.txt'] }, b: { needs: ['a'] }, c: { needs: ['b'] } });
    const world = engineWorld(({ unit }) => (unit === 'c' ? { result: { exitCode: 1 } } : { output: unit }), {
      'a.txt': '1',
    });
    await world.run(pipeline);
    world.workspace.folder.set('a.txt', '2');
    const keep = { gates: new Set(['a']), ...by };
    await world.run(pipeline, { keep }, { resume: { ...by, strategy: 'from-checkpoint', from: ['b'], lift: true } });
    const kept = 'kept by maria in spite of changes; reused from run 1 (adopted by maria: because)';
    const inRun = await world.plan(pipeline);
    expect(inRun.plan.units[0]).toMatchObject({ choice: 'keep', reason: kept });
    const inNext = await world.plan(pipeline, {}, { ...by, fresh: true });
    expect(inNext.plan.units[0]).toMatchObject({
      choice: 'reuse',
      reason: expect.stringMatching(/^kept by maria in spite of changes; reused from run 1/),
    });
  });
});

describe('the plan of a limited call', () => {
  it('blocks what was not requested, as the call does', async () => {
    const world = worldWith();
    const only = new Set(['a']);
    const plan = await world.plan(CHAIN, { only });
    const ran = await world.run(CHAIN, { only });
    expect(ran.planned[1]!.reason).toBe('not requested; it would run: it has not run for this subject');
    expect(plan.plan.units.map(({ choice }) => choice)).toEqual(ran.planned.map(({ choice }) => choice));
    expect(plan.plan.units[1]).toMatchObject({
      choice: 'blocked',
      reason: 'not requested; waits for a; reused if its inputs are unchanged',
    });
    const forced = await world.plan(CHAIN, { only }, { ...by, strategy: 'from-checkpoint', from: ['a'] });
    expect(linesOf(forced)[1]).toBe(`b blocked: not requested; it would run: ${ASKED}`);
  });

  it('counts gates in the order in which they start', async () => {
    const pipeline = pipelineOf({ a: {}, b: { needs: ['a'] }, c: {} });
    const world = worldWith();
    const plan = await world.plan(pipeline, { maxGates: 2 });
    const ran = await world.run(pipeline, { maxGates: 2 });
    const choices = (units: readonly PlannedUnit[]) =>
      Object.fromEntries(units.map(({ key, choice }) => [key, choice]));
    expect(choices(plan.plan.units)).toEqual(choices(ran.planned));
    expect(choices(plan.plan.units)).toEqual({ a: 'run', b: 'blocked', c: 'run' });
    expect(plan.plan.units[1]!.reason).toMatch(/^2 gates have run, as requested; waits for a/);
    const first = await worldWith().plan(pipeline, { maxGates: 1 });
    expect(first.plan.units[1]!.reason).toMatch(/^1 gate has run, as requested; waits for a/);
    const one = await worldWith().plan(CHAIN, { maxGates: 2 });
    expect(one.plan.units.map(({ choice }) => choice)).toEqual(['run', 'depends', 'blocked']);
  });
});
