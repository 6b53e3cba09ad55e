import { expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { decidedRecord, endedRecord, startedRecord } from '../../contract/samples.ts';
import { constantDelay } from '../../support/github/delays.ts';
import { startRun, type GithubRun } from './github-run.ts';

/** What was asked of the service since `from`, in the order of arrival. */
function asked(run: GithubRun, from: number): string[] {
  return run.service.calls.slice(from).map(({ operation }) => operation);
}

const UPLOAD = ['CreateArtifact', 'PutBlob', 'FinalizeArtifact'];
const DOWNLOAD = ['GetSignedArtifactURL', 'GetBlob'];

it('asks no more of the service than a gate needs: one listing, two calls a record, three an upload', async () => {
  await using run = await startRun();
  const writer = await run.open({ job: 'plan' });
  const value = await writer.put(JSON.stringify({ text: 'x'.repeat(10_000) }));
  const claim = startedRecord({ request: (await writer.put('{}')).digest });
  let before = run.service.calls.length;
  await writer.write(claim);
  expect(asked(run, before)).toEqual(UPLOAD);
  before = run.service.calls.length;
  run.service.delays = constantDelay(150);
  const ended = endedRecord({ value, exports: value });
  await writer.write(ended);
  run.service.delays = undefined;
  expect(asked(run, before).toSorted()).toEqual([...UPLOAD, ...UPLOAD].toSorted());
  // The value for people goes up beside the record.
  const order = asked(run, before);
  expect(order.lastIndexOf('CreateArtifact')).toBeLessThan(order.indexOf('FinalizeArtifact'));

  const reader = await run.open({ job: 'build' });
  before = run.service.calls.length;
  await reader.list('ship', 'pr-42');
  expect(asked(run, before)[0]).toBe('ListArtifacts');
  expect(asked(run, before).slice(1).toSorted()).toEqual([...DOWNLOAD, ...DOWNLOAD].toSorted());
  before = run.service.calls.length;
  // What was read once is remembered, and its contents came with it.
  await reader.list('ship', 'pr-42');
  expect(await reader.get(value.digest)).toMatchObject({ state: 'present' });
  expect(asked(run, before)).toEqual(['ListArtifacts']);
});

it('reads only the units that are asked for', async () => {
  await using run = await startRun();
  const writer = await run.open();
  const gates = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const gate of gates) await writer.write(endedRecord({ gate }));
  const reader = await run.open();
  const { records } = await reader.list('ship', 'pr-42', { only: ({ gate }) => gate === 'c' });
  expect(records).toEqual([endedRecord({ gate: 'c' })]);
  expect(run.service.callsOf('GetBlob')).toHaveLength(1);
});

it('reads what a gate was built on as the records say, however far up, and nothing else', async () => {
  await using run = await startRun();
  const writer = await run.open();
  const needs = { c: ['b/x', 'a'], b: ['a'], a: ['z'], z: ['c'], other: ['c'], own: [] };
  for (const [gate, before] of Object.entries(needs)) {
    const digests = Object.fromEntries(before.map((key) => [key, null]));
    await writer.write(endedRecord({ gate, leg: gate === 'b' ? 'y' : '', needs: digests }));
  }
  await writer.write(decidedRecord({ gate: 'z', decision: 'reject' }));
  const reader = await run.open();
  const before = run.service.calls.length;
  const selection = { only: ({ gate }: { gate: string }) => ['own', 'c'].includes(gate), upstream: true } as const;
  const { records } = await reader.list('ship', 'pr-42', selection);
  expect(records.map(({ gate, leg, kind }) => `${gate} ${leg} ${kind}`).toSorted()).toEqual([
    'a  ended',
    'b y ended',
    'c  ended',
    'own  ended',
    'z  decided',
    'z  ended',
  ]);
  expect(asked(run, before).filter((operation) => operation === 'ListArtifacts')).toHaveLength(1);
  expect(asked(run, before).filter((operation) => operation === 'GetBlob')).toHaveLength(6);
});

it('reads a chain of 60 gates in fewer round trips than gates, and hands on nothing that was not asked for', async () => {
  await using run = await startRun();
  const writer = await run.open();
  const record = (place: number) =>
    endedRecord({ gate: `g${place}`, needs: place === 1 ? {} : { [`g${place - 1}`]: null } });
  const gates = Array.from({ length: 60 }, (_, index) => record(index + 1));
  const strangers = Array.from({ length: 20 }, (_, index) => endedRecord({ gate: `s${index}` }));
  await Promise.all([...strangers, ...gates].map((one) => writer.write(one)));
  let open = 0;
  let trips = 0;
  run.service.delays = ({ operation }) => {
    if (operation === 'GetSignedArtifactURL') open += 1;
    if (operation === 'GetBlob' && (open -= 1) === 0) trips += 1;
    return { request: 10, response: 0 };
  };
  const selection = { only: ({ gate }: { gate: string }) => gate === 'g60', upstream: true } as const;
  const { records } = await (await run.open()).list('ship', 'pr-42', selection);
  expect(new Set(records.map(({ gate }) => gate))).toEqual(new Set(gates.map(({ gate }) => gate)));
  expect(trips).toBeLessThan(25);
});

it('tells the status of 400 gates from one listing, by names alone', async () => {
  await using run = await startRun();
  const store = await run.open();
  const record = endedRecord({ leg: 'chrome' });
  await store.write(record);
  const [first] = run.service.world.artifacts;
  for (let index = 1; index < 400; index += 1) {
    const name = first!.name.replace('.design.', `.gate${index}.`);
    run.service.world.artifacts.push({ ...first!, id: index, name });
  }
  const before = run.service.calls.length;
  const { statuses, complete } = await (await run.open()).statuses('ship', 'pr-42');
  expect(run.service.calls.length - before).toBe(1);
  expect(complete).toBe(true);
  expect(statuses).toHaveLength(400);
  expect(statuses[7]).toMatchObject({ leg: 'chrome', runAttempt: 1, n: 1, kind: 'ended', status: 'passed' });
});

it('keeps at most 16 downloads going at the same time, and loses none of many', async () => {
  await using run = await startRun();
  const writer = await run.open();
  const records = Array.from({ length: 40 }, (_, n) => startedRecord({ n, request: digestOf(String(n)) }));
  await Promise.all(records.map((record) => writer.write(record)));
  let open = 0;
  let most = 0;
  run.service.delays = ({ operation }) => {
    if (operation === 'GetSignedArtifactURL') most = Math.max(most, (open += 1));
    if (operation === 'GetBlob') open -= 1;
    return { request: 5, response: 0 };
  };
  expect((await (await run.open()).list('ship', 'pr-42')).records).toHaveLength(40);
  expect(most).toBeGreaterThan(4);
  expect(most).toBeLessThanOrEqual(16);
});
