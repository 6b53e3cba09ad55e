import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ATTEMPT_MODES } from '../support/github/attempt-modes.ts';
import type { ActReport } from '../support/act/act-run.ts';
import { ACT } from '../support/act/act-tool.ts';
import { ActWorld, decisions, errorsOf, leaveOnly, LONG, outputsOf, resultsOf } from './act-world.ts';

const GATES = ['design', 'code', 'review', 'verify', 'release'];
const IN_ORDER = GATES.toSorted();
const GREEN = [...GATES, 'report'].map((name) => `${name} success`).toSorted();
const STEPS = { design: 'a plan', code: 'its code', review: 'a review', verify: 'the proof', release: 'the release' };
const FIRST_RUN = 41;

/** What the last gate says: everything that was said before it, and its own. */
function saidAtTheEnd(report: ActReport): unknown {
  return (JSON.parse(outputsOf(report.job('release'))['value']!) as { said: unknown }).said;
}

/** Digests as the jobs hand them on to those that need them. */
function digests(report: ActReport): Array<string | undefined> {
  return GATES.map((name) => {
    const job = report.job(name);
    const done = job.steps.find(({ id, stage }) => id === 'done' && stage === 'main');
    return (done ?? { outputs: outputsOf(job) }).outputs['digest'];
  });
}

describe.runIf(ACT !== undefined)(
  'a chain of five gates under act, one of them around an action',
  { timeout: LONG },
  () => {
    let world: ActWorld;
    let first: ActReport;
    let startedFirst: readonly string[];
    let goBack: () => Promise<void>;

    beforeAll(async () => {
      world = await ActWorld.ofWorkflow('chain.yml', STEPS);
      first = await world.run(FIRST_RUN);
      startedFirst = await world.started();
      goBack = await world.remember();
    }, LONG);
    afterAll(() => world[Symbol.asyncDispose]());
    beforeEach(() => goBack());

    it('is green the first time: each agent starts once and sees what was said before it', () => {
      expect(resultsOf(first)).toEqual(GREEN);
      expect(first.ok).toBe(true);
      expect(startedFirst).toEqual(IN_ORDER);
      expect(decisions(first, GATES)).toEqual(GATES.map(() => 'run'));
      expect(saidAtTheEnd(first)).toEqual(Object.values(STEPS));
      for (const digest of digests(first)) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(outputsOf(first.job('report'), '1')).toMatchObject({ passed: 'true', 'run-status': 'completed' });
      expect([...first.jobs.values()].flatMap(errorsOf)).toEqual([]);
    });

    it('has the whole report in the job summary: table, graph and timeline', () => {
      const { summary } = first.job('report');
      expect(summary).toContain('**5 of 5 gates done**');
      for (const [number, gate] of GATES.entries())
        expect(summary).toMatch(
          new RegExp(String.raw`^\| ${number} \| \`${gate}\` \| ✅\spassed \| ran \| 100 \|`, 'm'),
        );
      const [, graph = ''] = /^```mermaid\n([\s\S]*?)\n```$/m.exec(summary) ?? [];
      expect(graph).toMatch(/^flowchart LR$/m);
      const boxes = [...graph.matchAll(/^ {2}(n\d)\["(\w+)<br\/>✅ passed"\]:::good$/gm)].map(([, , gate]) => gate);
      expect(boxes).toEqual(GATES);
      const arrows = [...graph.matchAll(/^ {2}(n\d) --> (n\d)$/gm)].map(([, from, to]) => `${from} ${to}`);
      expect(arrows).toEqual(['n0 n1', 'n1 n2', 'n2 n3', 'n3 n4']);
      expect(summary).toContain('<details><summary>Timeline</summary>');
    });

    it('has each gate in the summary of its job', () => {
      for (const gate of GATES) expect(first.job(gate).summary).toContain(`## ✅ Gate \`${gate}\`: passed\n`);
      const [design] = digests(first);
      expect(first.job('code').summary).toContain(`| \`design\` |`);
      expect(first.job('code').summary).toContain(design!.slice('sha256:'.length, 'sha256:'.length + 12));
      expect(first.job('code').summary).toContain('- added `made/code.txt`');
    });

    it.each([
      ...ATTEMPT_MODES.map((mode) => ['artifacts', 'keep', mode] as const),
      ...ATTEMPT_MODES.slice(0, 1).map((mode) => ['cache', 'reuse', mode] as const),
    ])(
      'starts no agent in a second attempt that knows the first by its %s alone: %s, %j',
      async (witness, decision, { backendIds, earlierAttempts }) => {
        const { behaviour } = world.service;
        leaveOnly(witness, world.service);
        Object.assign(behaviour, { backendIds, ...(witness === 'artifacts' && { earlierAttempts }) });
        const report = await world.run(FIRST_RUN, { attempt: 2 });
        expect(resultsOf(report)).toEqual(GREEN);
        expect(await world.started()).toEqual([]);
        expect(decisions(report, GATES)).toEqual(GATES.map(() => decision));
        expect(digests(report)).toEqual(digests(first));
        expect(saidAtTheEnd(report)).toEqual(Object.values(STEPS));
      },
    );

    it('reuses everything in a new run of the same commit, and says from where', async () => {
      const report = await world.run(FIRST_RUN + 1);
      expect(resultsOf(report)).toEqual(GREEN);
      expect(await world.started()).toEqual([]);
      const told = GATES.map((name) => outputsOf(report.job(name)));
      expect(told.map((one) => `${one['decision']} ${one['reused-from']}`)).toEqual(GATES.map(() => 'reuse 1.1.1'));
      expect(digests(report)).toEqual(digests(first));
      expect(saidAtTheEnd(report)).toEqual(Object.values(STEPS));
      expect(report.job('report').summary).toContain('**5 of 5 gates done**, 5 reused');
    });

    it('reuses gates 1 and 2 and runs 3 to 5 after a commit that changes an input of gate 3', async () => {
      await world.say('review', 'another review');
      const report = await world.run(FIRST_RUN + 1);
      expect(resultsOf(report)).toEqual(GREEN);
      expect(await world.started()).toEqual(['release', 'review', 'verify']);
      expect(decisions(report, GATES)).toEqual(['reuse', 'reuse', 'run', 'run', 'run']);
      expect(saidAtTheEnd(report)).toEqual(['a plan', 'its code', 'another review', 'the proof', 'the release']);
      expect(digests(report).slice(0, 2)).toEqual(digests(first).slice(0, 2));
    });
  },
);
