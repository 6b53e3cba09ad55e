import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { DecisionSource } from '../../src/engine/ports.ts';
import { verifyRun } from '../../src/engine/verify-run.ts';
import type { Gate } from '../../src/pipeline/pipeline.ts';
import { ciRun } from '../support/ci-run.ts';
import { pipelineOf } from '../support/pipelines.ts';

const approval: NonNullable<Gate['approval']> = { by: [], notAuthor: false, perCommit: false };

it('decisions about gates that do not need each other are looked for at the same time, those about needs before', async () => {
  const first = Array.from({ length: 10 }, (_, index) => `a${index}`);
  const gates = Object.fromEntries(first.map((id): [string, Partial<Gate>] => [id, { approval }]));
  const pipeline = pipelineOf({ ...gates, last: { approval, needs: first } });
  const run = ciRun(({ unit }) => ({ output: unit }));
  for (const id of first) await run.job(pipeline, id);
  const ended: string[] = [];
  let now = 0;
  let most = 0;
  const decisions: DecisionSource = {
    given: async () => [],
    find: async ({ key }) => {
      if (key === 'last') expect(ended.toSorted()).toEqual(first);
      most = Math.max(most, (now += 1));
      await sleep(1);
      now -= 1;
      ended.push(key);
      return { decided: [] };
    },
  };
  const { ports, call } = run.open('report');
  const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
  const { state } = await verifyRun({ ...ports, decisions }, assignment, call);
  expect([ended.length, ended.at(-1), most]).toEqual([11, 'last', 8]);
  expect(state.units.get('a0')).toMatchObject({ status: 'paused' });
});
