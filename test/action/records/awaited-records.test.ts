import { describe, expect, it } from 'vitest';
import { awaitingList, type AwaitedRecords } from '../../../src/action/records/awaited-records.ts';
import type { ReadProblem, RecordListing } from '../../../src/run/records/reading.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import type { Selection } from '../../../src/store/record-store.ts';
import { pipelineOf } from '../../support/pipelines.ts';
import { ended, FAILED, started } from '../../support/records.ts';

const CLAIM = started({ gate: 'a' });
const END = ended({ gate: 'a' });
const TOLD = new Map([['a', END.value!.digest]]);
const QUICK = { shownMs: 200, pauseMs: 2, longestPauseMs: 8 };

/** What a step saw in the end, how often it looked, and what it said that it waits for. */
async function listed(
  shown: readonly (readonly GatelineRecord[] | RecordListing)[],
  more: Partial<AwaitedRecords> = {},
  selection?: Selection,
) {
  const waits: string[] = [];
  let looks = 0;
  const list = async (): Promise<RecordListing> => {
    const now = shown[Math.min(looks, shown.length - 1)]!;
    looks += 1;
    return 'records' in now ? now : { records: now, problems: [] };
  };
  const patient = awaitingList(
    { list },
    {
      subject: 'subject',
      runNumber: 1,
      runAttempt: 1,
      digests: TOLD,
      pipeline: undefined,
      limits: QUICK,
      signal: new AbortController().signal,
      onWait: (gates) => void waits.push(gates.join()),
      ...more,
    },
  );
  const { records } = await patient('test', 'subject', selection);
  return { records, looks, waits, again: () => patient('test', 'subject', selection).then(() => looks) };
}

describe('a record whose output a needed job told', () => {
  it('is looked for again until the listing shows it, with its claim', async () => {
    const { records, looks, waits } = await listed([[], [CLAIM], [END], [CLAIM, END]]);
    expect(records).toEqual([CLAIM, END]);
    expect([looks, waits]).toEqual([4, ['a']]);
  });

  it('is not waited for where it is there, or where nothing was told', async () => {
    expect(await listed([[]], { subject: 'other' })).toMatchObject({ looks: 1, waits: [] });
    expect(await listed([[CLAIM, END]])).toMatchObject({ looks: 1, waits: [] });
    expect(await listed([[]], { digests: new Map() })).toMatchObject({ looks: 1, waits: [] });
  });

  it('is not the one of another run or with another output', async () => {
    const other = [started({ gate: 'a', run: 2 }), ended({ gate: 'a', run: 2 })];
    expect((await listed([other, [CLAIM, END]])).looks).toBe(2);
    const more = [started({ gate: 'a' }), ended({ gate: 'a', value: { digest: CLAIM.request, bytes: 1 } })];
    expect((await listed([more, [CLAIM, END]])).looks).toBe(2);
  });

  it('is not a failure of an earlier run attempt with the same output', async () => {
    const failed = [CLAIM, ended({ gate: 'a', verdict: FAILED, value: END.value! })];
    const passed = [started({ gate: 'a', call: 2 }), ended({ gate: 'a', call: 2 })];
    expect((await listed([failed, [...failed, ...passed]], { runAttempt: 2 })).looks).toBe(2);
    expect((await listed([failed])).looks).toBe(1);
  });

  it('is given up after a time, once for all listings of a step', async () => {
    const begun = performance.now();
    const { looks, waits, again } = await listed([[]]);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(QUICK.shownMs - 1);
    expect(looks).toBeGreaterThan(3);
    expect(await again()).toBe(looks + 1);
    expect(waits).toEqual(['a']);
  });

  it('is not waited for where it is listed and cannot be read', async () => {
    const unread = (kind: string): ReadProblem => {
      const names = { gate: 'a', leg: '', runNumber: 1, runAttempt: 1, n: 1, kind };
      return { code: 'OUTAGE', where: 'x', message: 'no answer', names };
    };
    expect((await listed([{ records: [CLAIM], problems: [unread('ended')] }])).looks).toBe(1);
    expect((await listed([{ records: [END], problems: [unread('started')] }])).looks).toBe(1);
    expect((await listed([{ records: [], problems: [unread('started')] }, [CLAIM, END]])).looks).toBe(2);
  });

  it('is looked for again where the listing failed', async () => {
    const outage = { records: [], problems: [{ code: 'OUTAGE', where: 'artifacts', message: 'no answer' }] } as const;
    expect(await listed([outage, [CLAIM, END]])).toMatchObject({ records: [CLAIM, END], looks: 2 });
  });

  it('is none where the pipeline has no such gate, or the step does not look at it', async () => {
    expect((await listed([[]], { pipeline: pipelineOf({ b: {} }) })).looks).toBe(1);
    expect((await listed([[], [CLAIM, END]], { pipeline: pipelineOf({ a: {} }) })).looks).toBe(2);
    expect((await listed([[]], {}, { only: ({ gate }) => gate === 'b' })).looks).toBe(1);
    const legs = pipelineOf({ a: { legs: [{ id: 'x', matrix: {} }] } });
    expect((await listed([[], [CLAIM, END]], { pipeline: legs }, { only: ({ leg }) => leg === 'x' })).looks).toBe(2);
  });

  it('is not waited for any more when the job is cancelled', async () => {
    const controller = new AbortController();
    const limits = { shownMs: 60_000, pauseMs: 60_000, longestPauseMs: 60_000 };
    const waiting = listed([[]], { limits, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect((await waiting).looks).toBe(2);
  });
});
