import { describe, expect, it } from 'vitest';
import { OutageBudget } from '../../../src/github/outage-budget.ts';
import type { Wait } from '../../../src/github/patient-calls.ts';
import { endedRecord, startedRecord } from '../../contract/samples.ts';
import type { Fault } from '../../support/github/faults.ts';
import { recordedClock } from '../../support/github/rest-client.ts';
import { QUICK, startRun, type GithubRun } from './github-run.ts';

const PAUSES = { pauseMs: 500, longestPauseMs: 15_000 };
/** What never answers is given up at once, since that takes no time of the clock of these tests. */
const LIMITS = { ...QUICK, ...PAUSES, callMs: 300, shortestTryMs: 400 };

/** A store that waits on a clock of its own, on which pauses take no time. */
async function patientStore(run: GithubRun, totalMs = 300_000) {
  const clock = recordedClock();
  const { pauses } = clock;
  const begun = clock.now();
  let until = Infinity;
  const sleep = async (milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds);
    if (clock.now() - begun >= until) run.service.faults.clear();
  };
  const outage = new OutageBudget({ clock, totalMs });
  const waits: Wait[] = [];
  const waiting = (wait: Wait): void => void waits.push(wait);
  const options = { outage, waiting, clock: { ...clock, sleep }, random: () => 0.5, limits: LIMITS };
  const store = await run.open(options);
  /** Every call goes wrong from now on, for so many seconds of that clock. */
  const out = (fault: Fault, seconds: number, operation?: RegExp): void => {
    until = seconds * 1_000;
    run.service.faults.add({ fault, times: Infinity, ...(operation && { operation }) });
  };
  return { store, pauses, waits, outage, out };
}

async function withOutput(store: { put: (text: string) => Promise<{ digest: `sha256:${string}`; bytes: number }> }) {
  return endedRecord({ value: await store.put('{"a":1}') });
}

const FAULTS: readonly [string, Fault][] = [
  ['500', { kind: 'status', status: 500 }],
  ['503', { kind: 'status', status: 503, html: true }],
  ['429', { kind: 'status', status: 429, retryAfter: 7 }],
  ['no answer', { kind: 'hang' }],
  ['half an answer', { kind: 'truncate' }],
  ['a reset connection', { kind: 'reset' }],
  ['a reset connection, though it was carried out', { kind: 'reset', carriedOut: true }],
  ['empty listings', { kind: 'empty' }],
];

const SECONDS = [60];

describe('the end of an attempt', () => {
  it.each(FAULTS.flatMap(([name, fault]) => SECONDS.map((seconds) => [seconds, name, fault] as const)))(
    'is on record after an outage of %i s: %s',
    async (seconds, _, fault) => {
      await using run = await startRun();
      const { store, out } = await patientStore(run);
      const record = await withOutput(store);
      out(fault, seconds);
      expect(await store.write(record)).toBe('written');
      run.service.faults.clear();
      const reader = await run.open({ job: 'reader' });
      expect(await reader.list('ship', 'pr-42')).toMatchObject({ records: [record], problems: [] });
      expect(await reader.get(record.value!.digest)).toMatchObject({ state: 'present' });
    },
  );

  it('is given up when the budget is spent, as an outage', async () => {
    await using run = await startRun();
    const { store, waits, outage, out } = await patientStore(run, 60_000);
    const record = await withOutput(store);
    out({ kind: 'status', status: 503 }, 70);
    await expect(store.write(record)).rejects.toMatchObject({
      code: 'ARTIFACTS_OUTAGE',
      message: expect.stringContaining('was answered with 503'),
    });
    expect(outage.left()).toBe(0);
    expect(waits[0]).toMatchObject({ message: expect.stringMatching(/^CreateArtifact .*503/), totalMs: 60_000 });
    expect(waits.map(({ spentMs }) => spentMs)).toEqual(waits.map(({ spentMs }) => spentMs).toSorted((a, b) => a - b));
  });

  it('is asked for no sooner than the service says', async () => {
    await using run = await startRun();
    const { store, pauses, out } = await patientStore(run);
    const record = await withOutput(store);
    out({ kind: 'status', status: 429, retryAfter: 40 }, 30, /CreateArtifact/);
    expect(await store.write(record)).toBe('written');
    expect(pauses.filter((pause) => pause >= 40_000)).toHaveLength(1);
    expect(Math.max(...pauses)).toBeLessThan(41_000);
  });

  it('is uploaded once where it cannot be seen for a while whether it is there', async () => {
    await using run = await startRun();
    const { store, out } = await patientStore(run);
    const record = await withOutput(store);
    run.service.faults.add({
      operation: 'FinalizeArtifact',
      name: /ended/,
      fault: { kind: 'reset', carriedOut: true },
    });
    out({ kind: 'status', status: 503 }, 20, /^ListArtifacts$/);
    expect(await store.write(record)).toBe('written');
    expect(run.names().filter((name) => name.includes('.ended.'))).toHaveLength(1);
  });

  it('is not uploaded under another name where nobody can list which names are taken', async () => {
    await using run = await startRun();
    const { store, out } = await patientStore(run, 20_000);
    const record = await withOutput(store);
    run.service.faults.add({
      operation: 'FinalizeArtifact',
      name: /ended/,
      fault: { kind: 'reset', carriedOut: true },
    });
    out({ kind: 'status', status: 503 }, 30, /^ListArtifacts$/);
    await expect(store.write(record)).rejects.toMatchObject({
      code: 'ARTIFACTS_OUTAGE',
      message: expect.stringMatching(
        /is already in use, and the artifact cannot be read: ListArtifacts was answered with 503/,
      ),
    });
    expect(run.names().filter((name) => name.includes('.ended.'))).toHaveLength(1);
  });

  it('goes up with its files, however many uploads of them break off quickly', async () => {
    await using run = await startRun();
    const { store, out } = await patientStore(run);
    const log = await store.put(Buffer.from([255, 0, 255]));
    const record = endedRecord({ logs: { stderr: log } });
    // GitHub's own client takes a new name at each try.
    out({ kind: 'status', status: 403 }, 60, /^PutBlock/);
    expect(await store.write(record)).toBe('written');
    run.service.faults.clear();
    const reader = await run.open({ job: 'reader' });
    await reader.list('ship', 'pr-42');
    expect(await reader.check(log.digest)).toMatchObject({ state: 'present' });
  });
});

it('a claim is given up after some tries: no agent has started yet', async () => {
  await using run = await startRun();
  const { store, out } = await patientStore(run);
  out({ kind: 'status', status: 503 }, 1_000);
  await expect(store.write(startedRecord())).rejects.toMatchObject({ code: 'ARTIFACTS_OUTAGE' });
  expect(run.service.callsOf('CreateArtifact')).toHaveLength(3);
});
