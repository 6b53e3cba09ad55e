import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTEMPT_MODES } from '../support/github/attempt-modes.ts';
import type { ActReport } from '../support/act/act-run.ts';
import { ACT } from '../support/act/act-tool.ts';
import { ActWorld, LONG, outputsOf, resultsOf } from './act-world.ts';

const STEPS = { plan: 'a plan', security: 'no holes', style: 'no tabs', tests: 'all green', decide: 'merge it' };

/** The same reviewers as jobs of their own, and as legs of one gate: how each is written as a unit and as a job. */
const SHAPES = [
  { workflow: 'reviewers.yml', unit: (aspect: string) => aspect, job: (aspect: string) => aspect },
  {
    workflow: 'matrix.yml',
    unit: (aspect: string) => `review/${aspect}`,
    // act numbers the legs.
    job: (aspect: string) => `review-${['security', 'style', 'tests'].indexOf(aspect) + 1}`,
  },
] as const;

/** What the gate that needs all three was told, and says itself, sorted. */
function decided(report: ActReport): string[] {
  return (JSON.parse(outputsOf(report.job('decide'))['value']!) as { said: string[] }).said.toSorted();
}

describe.runIf(ACT !== undefined).each(SHAPES)(
  'three parallel reviewers under act ($workflow)',
  { timeout: LONG },
  (shape) => {
    const reviewers = ['security', 'style', 'tests'].map(shape.unit);
    const jobs = ['security', 'style', 'tests'].map(shape.job);
    const green = ['plan', ...jobs, 'decide', 'report'].map((name) => `${name} success`).toSorted();
    let world: ActWorld;

    const decisionOf = (report: ActReport, name: string) => outputsOf(report.job(name))['decision'];

    beforeAll(async () => {
      world = await ActWorld.ofWorkflow(shape.workflow, STEPS);
    }, LONG);
    afterAll(() => world[Symbol.asyncDispose]());

    it('each start once, after the gate that they need, and the gate after them is told what all three said', async () => {
      const report = await world.run(1);
      expect(resultsOf(report)).toEqual(green);
      const starts = (await world.repository.starts()).map(({ gate }) => gate);
      expect(starts[0]).toBe('plan');
      expect(starts.slice(1, 4).toSorted()).toEqual(reviewers);
      expect(starts.slice(4)).toEqual(['decide']);
      expect(decided(report)).toEqual(Object.values(STEPS).toSorted());
      await world.repository.forgetStarts();
    });

    it.each(ATTEMPT_MODES.map((mode, index) => ({ ...mode, attempt: 2 + index })))(
      'are done in another attempt of the run: %j',
      async ({ attempt, backendIds, earlierAttempts }) => {
        Object.assign(world.service.behaviour, { backendIds, earlierAttempts });
        const report = await world.run(1, { attempt });
        expect(resultsOf(report)).toEqual(green);
        expect(await world.started()).toEqual([]);
        expect(['plan', ...jobs, 'decide'].map((name) => decisionOf(report, name))).toEqual(Array(5).fill('keep'));
      },
    );

    it('start again alone, with the gate after them, when only their input changed', async () => {
      await world.say('style', 'no trailing spaces');
      const report = await world.run(2);
      expect(resultsOf(report)).toEqual(green);
      expect(await world.started()).toEqual(['decide', shape.unit('style')]);
      const others = ['plan', shape.job('security'), shape.job('tests')];
      expect(others.map((name) => decisionOf(report, name))).toEqual(['reuse', 'reuse', 'reuse']);
      expect(decided(report)).toEqual(['a plan', 'all green', 'merge it', 'no holes', 'no trailing spaces']);
    });

    it('are not enough when one of them fails: the gate after them does not start, and the report is red', async () => {
      await world.say('tests', 'all red\n40');
      const report = await world.run(3);
      expect(report.ok).toBe(false);
      expect(await world.started()).toEqual([shape.unit('tests')]);
      expect([...report.jobs.keys()]).not.toContain('decide');
      expect(outputsOf(report.job('report'), '1')).toMatchObject({ passed: 'false' });
      expect(report.job('report').summary).toContain('- ❌ `decide` (skipped) left no record');
    });
  },
);
