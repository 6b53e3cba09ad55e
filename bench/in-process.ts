import { createHash } from 'node:crypto';
import { digestOfJson } from '../src/json/canonical-json.ts';
import { foldRun } from '../src/run/state/fold.ts';
import type { JsonValue } from '../src/json/json.ts';
import { parseJson } from '../src/json/parse-json.ts';
import { engineWorld } from '../test/support/engine-world.ts';
import { compare, type Figure } from './measure.ts';
import { layeredPipeline, manyRecords } from './records.ts';

const MEGABYTE = 1_000_000;

/** Fold, plan, digest and parse, each compared with the time of the closest simple operation of the platform. */
export async function inProcess(): Promise<Figure[]> {
  return [await fold(), await plan(), ...(await largeValue())];
}

async function fold(): Promise<Figure> {
  const { graph, records } = manyRecords(10_000);
  const text = JSON.stringify(records);
  const identity = { pipeline: 'bench', subject: 'bench' };
  const work = (): void => {
    const state = foldRun(graph, { records, problems: [] }, identity, { now: '2026-01-02T04:00:00.000Z' });
    if (state.status !== 'completed') throw new Error(`the run to fold is ${state.status}`);
  };
  return compare('fold of 10,000 records', work, { name: '`JSON.parse` of them', work: () => JSON.parse(text) }, 7);
}

async function plan(): Promise<Figure> {
  const pipeline = layeredPipeline(1_000);
  const world = engineWorld(() => ({ output: { done: true } }));
  await world.run(pipeline);
  const kept = [...world.medium.records.values()].map(({ bytes }) => Buffer.from(bytes as Uint8Array).toString());
  const work = async (): Promise<void> => {
    const { plan: made } = await world.plan(pipeline);
    const reused = made.units.filter((unit) => unit.choice === 'reuse').length;
    if (reused !== 1_000) throw new Error(`${reused} of 1,000 gates would be reused`);
  };
  const baseline = {
    name: '`JSON.parse` of their records',
    work: () => kept.map((text) => JSON.parse(text) as unknown),
  };
  return compare('plan of 1,000 gates, all reused', work, baseline, 3);
}

/** A value of about 100 MB: objects with texts, numbers and lists, as agents write them. */
async function largeValue(): Promise<Figure[]> {
  const row = (index: number): JsonValue => ({
    testId: `TC_${index}`,
    description: 'Verify that the form is sent, and that "every" field keeps what was typed.',
    priority: ['high', 'medium', 'low'][index % 3]!,
    duration: index / 7,
    testSteps: [1, 2, 3].map((step) => ({
      stepNumber: step,
      action: `Enter value ${index}`,
      target: '#field',
      data: null,
    })),
  });
  const one = JSON.stringify(row(123_456)).length + 1;
  const value = { testCases: Array.from({ length: Math.ceil((100 * MEGABYTE) / one) }, (_, index) => row(index)) };
  const bytes = Buffer.from(JSON.stringify(value));
  const size = `${Math.round(bytes.length / MEGABYTE)} MB`;
  const digest = await compare(
    `canonical JSON and digest of ${size}`,
    () => digestOfJson(value),
    {
      name: '`JSON.stringify` and SHA-256',
      work: () => createHash('sha256').update(JSON.stringify(value)).digest('hex'),
    },
    3,
  );
  const parse = await compare(
    `guarded parse of ${size}`,
    () => {
      if (!parseJson(bytes).ok) throw new Error('a sound value was refused');
    },
    { name: '`JSON.parse`', work: () => JSON.parse(bytes.toString()) as unknown },
    3,
  );
  return [digest, parse];
}
