import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { addElsewhere, openArchive, type Archive } from '../../../src/run/plan/archive.ts';
import { findCheckpoint, withdrawnElsewhere } from '../../../src/run/plan/reuse.ts';
import { RUN_GATE, type EndedRecord, type GatelineRecord } from '../../../src/run/records/record.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { needsOf, runKey } from '../../../src/run/retention/needs.ts';
import {
  planRetention,
  type RetentionPlan,
  type RetentionRules,
  type WhyKept,
} from '../../../src/run/retention/retention.ts';
import { contentsNamedBy } from '../../../src/run/state/named-contents.ts';
import { soundStories, tell } from '../../support/arbitrary-history.ts';
import { asProblem } from '../../support/driven-history.ts';
import { pipelineOf } from '../../support/pipelines.ts';
import { CONTRACT, decided, ended, listing, NOW, started, SUBJECT } from '../../support/records.ts';
import { drawn } from '../../support/samples.ts';
import { LONG_AFTER, recordedRuns } from './arbitrary-runs.ts';

const OLD: RetentionRules = { older: 0, keep: 1 };
const DAY = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.parse(NOW) - days * DAY).toISOString();

function plan(records: readonly GatelineRecord[], rules: Partial<RetentionRules> = {}): RetentionPlan {
  return planRetention({ records, unread: new Map(), now: NOW }, { older: 30 * DAY, keep: 1, ...rules });
}

/** The runs that stay, with the reason, and those that are removed. */
function summary({ keep, remove }: RetentionPlan): { keep: Record<number, WhyKept>; remove: number[] } {
  return {
    keep: Object.fromEntries(keep.map(({ runNumber, why }) => [runNumber, why])),
    remove: remove.flat().map(({ runNumber }) => runNumber),
  };
}

/** What is left after each step of a removal, in its order. */
function* stages(records: readonly GatelineRecord[], { remove }: RetentionPlan): Generator<readonly GatelineRecord[]> {
  let left = records;
  for (const runs of remove) {
    if (runs.length > 1) {
      const outputs = runs.flatMap((run) => run.records).filter((one) => one.kind === 'ended');
      for (const output of outputs.toSorted((a, b) => Number(b.how === 'reused') - Number(a.how === 'reused')))
        yield (left = left.filter((one) => one !== output));
    }
    for (const run of runs) yield (left = left.filter((one) => !run.records.includes(one)));
  }
}

const graph = unitsOf(pipelineOf({ g0: { maxAge: 40 * DAY }, g1: {} }));

/** The records as a call of a subject sees them. */
function archiveFor(records: readonly GatelineRecord[], subject: string): Archive {
  const bySubject = Map.groupBy(records, (record) => record.subject);
  const archive = openArchive(listing(bySubject.get(subject) ?? []));
  const others = [...bySubject].filter(([other]) => other !== subject).map(([, some]) => listing(some));
  for (const key of graph.keys()) addElsewhere(archive, key, others);
  return archive;
}

/** Whether a subject's next run would use an output for a request. */
function isUsed(
  records: readonly GatelineRecord[],
  subject: string,
  output: EndedRecord,
  base: boolean,
  now: string,
): boolean {
  const unit = graph.get(output.gate)!;
  const fingerprint = base ? (output.rework?.base ?? output.fingerprint) : output.fingerprint;
  const except = new Set(records.filter((one) => one.kind === 'ended' && one !== output) as EndedRecord[]);
  const archive = archiveFor(records, subject);
  const query = { fingerprint, contract: CONTRACT, runNumber: 1_000, now, graph, except };
  const found = findCheckpoint(unit, archive, query);
  return found.choice !== 'none' && withdrawnElsewhere(unit, output, archive, { now, subject }) === undefined;
}

describe('the removal of old runs', () => {
  it('lets no output be used that was not, in any moment', () => {
    fc.assert(
      fc.property(recordedRuns, fc.constantFrom(0, 20), (records, more) => {
        const now = more === 0 ? LONG_AFTER : new Date(Date.parse(records[0]?.at ?? NOW) + 45 * DAY).toISOString();
        const removal = planRetention({ records, unread: new Map(), now }, OLD);
        for (const left of stages(records, removal)) {
          for (const output of left) {
            if (output.kind !== 'ended') continue;
            for (const subject of ['one', 'two'])
              for (const base of [false, true])
                if (isUsed(left, subject, output, base, now))
                  expect(isUsed(records, subject, output, base, now), JSON.stringify(output)).toBe(true);
          }
        }
      }),
      drawn(1_000),
    );
  });

  it('leaves every run that stays all that it needs, and names one reason for each', () => {
    fc.assert(
      fc.property(recordedRuns, fc.nat(3), (records, keep) => {
        const removal = planRetention({ records, unread: new Map(), now: LONG_AFTER }, { older: 0, keep });
        const kept = new Set(removal.keep.map(runKey));
        const all = new Set(records.map(runKey));
        expect(kept.size + removal.remove.flat().length).toBe(all.size);
        for (const [key, needs] of needsOf(records))
          if (kept.has(key))
            for (const need of needs) expect(!all.has(runKey(need)) || kept.has(runKey(need))).toBe(true);
        for (const [subject, some] of Map.groupBy(records, (record) => record.subject)) {
          const numbers = [...new Set(some.map(({ runNumber }) => runNumber))].toSorted((a, b) => b - a);
          for (const runNumber of numbers.slice(0, Math.max(1, keep)))
            expect(kept).toContain(runKey({ subject, runNumber }));
        }
        const again = planRetention(
          { records: records.toReversed(), unread: new Map(), now: LONG_AFTER },
          { older: 0, keep },
        );
        expect(again.keep).toEqual(removal.keep);
        expect(again.remove.map((runs) => runs.map(runKey))).toEqual(removal.remove.map((runs) => runs.map(runKey)));
      }),
      drawn(1_000),
    );
  });

  it('changes nothing about runs that stay, and leaves the contents of their outputs', () => {
    let removed = 0;
    fc.assert(
      fc.property(soundStories, (story) => {
        const history = tell(story);
        const { records, unread } = { records: history.records, unread: new Map<string, never>() };
        const removal = planRetention({ records, unread, now: '2027-01-01T00:00:00.000Z' }, OLD);
        removed += removal.remove.length;
        const gone = new Set(removal.remove.flat().flatMap((run) => run.records));
        const left = records.filter((record) => !gone.has(record));
        const named = new Set(left.flatMap(contentsNamedBy));
        for (const { runNumber } of removal.keep) {
          const [before, after] = [records, left].map((some) => history.state({}, listing(some), runNumber));
          expect(after).toMatchObject({ status: before!.status, runAttempt: before!.runAttempt });
          for (const [key, unit] of before!.units) {
            const { status, done, reused, reason } = unit;
            expect(after!.units.get(key)).toMatchObject({ status, done, reused, reason });
            if (unit.ended?.value !== undefined) expect(named).toContain(unit.ended.value.digest);
          }
        }
        expect(history.state({}, listing(left)).runNumber).toBe(history.state().runNumber);
      }),
      drawn(300),
    );
    expect(removed).toBeGreaterThan(0);
  });
});

describe('a run stays', () => {
  const old = (run: number, gate = 'a'): GatelineRecord => ended({ gate, run, at: daysAgo(100 - run) });

  it('if it is young, or one of the newest', () => {
    const young = ended({ gate: 'a', run: 5, at: daysAgo(29) });
    expect(summary(plan([old(1), old(2), old(3), old(4), young]))).toEqual({
      keep: { 5: 'newest' },
      remove: [1, 2, 3, 4],
    });
    const six = ended({ gate: 'a', run: 6, at: NOW });
    expect(summary(plan([old(1), old(2), old(3), old(4), young, six], { keep: 3 }))).toEqual({
      keep: { 4: 'newest', 5: 'recent', 6: 'newest' },
      remove: [1, 2, 3],
    });
  });

  it('if one of its records is young', () => {
    const pause = decided({ gate: RUN_GATE, run: 1, at: daysAgo(1), decision: 'close' });
    expect(summary(plan([old(1), pause, old(2)])).keep).toEqual({ 1: 'recent', 2: 'newest' });
  });

  it('as long as it is pinned', () => {
    const pin = { gate: RUN_GATE, run: 1, at: daysAgo(90) } as const;
    const pinned = decided({ ...pin, call: 2, decision: 'pin' });
    const unpinned = decided({ ...pin, call: 3, decision: 'unpin' });
    expect(summary(plan([old(1), pinned, old(2)])).keep).toEqual({ 1: 'pinned', 2: 'newest' });
    expect(summary(plan([old(1), pinned, unpinned, old(2)])).remove).toEqual([1]);
    const key = runKey({ subject: SUBJECT, runNumber: 1 });
    expect(summary(plan([old(1), pinned, old(2)], { unpin: new Set([key]) })).remove).toEqual([1]);
    expect(summary(plan([old(1), old(2)], { pin: new Set([key]) })).keep).toEqual({ 1: 'pinned', 2: 'newest' });
  });

  it('while an agent that runs by itself may work for it', () => {
    const claim = (deadline: string): GatelineRecord =>
      started({ gate: 'b', run: 1, at: daysAgo(90), holder: 'open', deadline });
    expect(summary(plan([claim(daysAgo(-1)), old(2)])).keep).toEqual({ 1: 'at-work', 2: 'newest' });
    expect(summary(plan([claim(daysAgo(1)), old(2)])).remove).toEqual([1]);
  });

  it('if a record of it cannot be read, and counts as the newest then', () => {
    const unread = new Map([[SUBJECT, [asProblem(old(1, 'b')), asProblem(old(9))]]]);
    const found = planRetention({ records: [old(1), old(2), old(3)], unread, now: NOW }, { older: 30 * DAY, keep: 1 });
    expect(summary(found)).toEqual({ keep: { 1: 'unread' }, remove: [2, 3] });
  });

  it('while a contract may be as its agent left it in the folder', () => {
    const file = { path: 'schema.json', before: null, after: { blob: 'b', mode: '100644' as const } };
    const snapshot = { from: 'a'.repeat(40), tree: 'b'.repeat(40) };
    const claim: GatelineRecord = {
      ...(started({ gate: 'a', run: 1, at: daysAgo(90) }) as object),
      place: 'in-place',
    } as GatelineRecord;
    const end = { ...ended({ gate: 'a', run: 1, at: daysAgo(90) }), touched: [file], snapshot };
    const records = [claim, end, old(2)];
    expect(summary(plan(records, { contracts: new Set(['schema.json']) })).keep).toEqual({
      1: 'contract',
      2: 'newest',
    });
    expect(summary(plan(records, { contracts: new Set(['other.json']) })).remove).toEqual([1]);
    expect(summary(plan([claim, old(2)], { contracts: new Set(['other.json']) })).keep).toMatchObject({
      1: 'contract',
    });
  });

  it('if a run that stays uses its output, is a fork of it, or has an output that it decided about', () => {
    const source = { runNumber: 1, runAttempt: 1, n: 1 };
    const reused = ended({ gate: 'a', run: 3, at: daysAgo(1), how: 'reused', source });
    const fork = decided({ gate: RUN_GATE, run: 3, at: daysAgo(1), decision: 'fork' });
    const origin = { subject: SUBJECT, runNumber: 2 };
    const found = plan([old(1), old(2), reused, { ...fork, origin }]);
    expect(found.keep.map(({ reason }) => reason)).toEqual([
      'run 3 uses its output of a',
      'run 3 is a fork of it',
      'the newest run of its subject',
    ]);
    const rejected = decided({ gate: 'a', run: 2, at: daysAgo(50), decision: 'reject' });
    expect(plan([old(1), rejected, reused]).keep.map(({ reason }) => reason)).toEqual([
      'run 3 uses its output of a',
      expect.stringMatching(/^its reject of a applies to run [13]$/),
      'the newest run of its subject',
    ]);
    expect(summary(plan([old(1), rejected, old(3)])).remove).toEqual([1, 2]);
  });

  it('as long as another subject has an output that it rejected', () => {
    const made = (subject: string, run: number): GatelineRecord => ({ ...old(run), subject });
    const fingerprint = digestOf('fingerprint');
    const rejected = { ...decided({ gate: 'a', run: 1, at: daysAgo(99), decision: 'reject' }), fingerprint };
    const newest = ended({ gate: 'b', run: 2, at: NOW });
    expect(summary(plan([rejected, newest, made('other', 7)])).keep).toMatchObject({ 1: 'needed', 2: 'newest' });
    expect(plan([rejected, newest]).remove.flat()).toMatchObject([{ runNumber: 1 }]);
  });
});

describe('the order of removal', () => {
  const source = { runNumber: 1, runAttempt: 1, n: 1 };
  const numbers = ({ remove }: RetentionPlan): string[][] =>
    remove.map((runs) => runs.map(({ subject, runNumber }) => `${subject} ${runNumber}`));
  const newest = [
    ended({ gate: 'a', run: 9, at: NOW }),
    { ...ended({ gate: 'a', run: 9, at: NOW }), subject: 'other' },
  ];

  it('begins with the runs that nobody needs', () => {
    const reused = ended({ gate: 'a', run: 2, at: daysAgo(60), how: 'reused', source });
    const again = ended({ gate: 'a', run: 3, at: daysAgo(50), how: 'reused', source: { ...source, runNumber: 2 } });
    const found = numbers(plan([ended({ gate: 'a', at: daysAgo(70) }), reused, again, newest[0]!]));
    expect(found).toEqual([[`${SUBJECT} 3`], [`${SUBJECT} 2`], [`${SUBJECT} 1`]]);
  });

  it('takes runs together that need each other', () => {
    const [made, other] = ['a', 'b'].map((gate) => ended({ gate, at: daysAgo(70) }));
    const reused = ended({ gate: 'a', at: daysAgo(60), how: 'reused', source: { ...source, subject: SUBJECT } });
    const forced = decided({ gate: 'b', at: daysAgo(60), decision: 'force' });
    const elsewhere = [reused, forced].map((record) => ({ ...record, subject: 'other' }));
    const found = numbers(plan([made!, other!, ...elsewhere, ...newest]));
    expect(found).toEqual([['other 1', `${SUBJECT} 1`]]);
  });
});

describe('a run that made an entity invalid', () => {
  const named = [{ entity: 'session', instance: '' }];
  const creates = (run: number): GatelineRecord =>
    ended({ gate: 'g0', run, at: daysAgo(100 - run), effects: { creates: named, invalidates: [] } });
  const invalidates = (run: number): GatelineRecord =>
    started({ gate: 'g1', run, at: daysAgo(100 - run), entities: { requires: [], invalidates: named, creates: [] } });
  const pin = (run: number): GatelineRecord => decided({ gate: RUN_GATE, run, n: 1, decision: 'pin', at: daysAgo(90) });

  it('stays while the run that created it stays: without it, the entity would be valid again', () => {
    const records = [creates(1), pin(1), invalidates(2), ended({ gate: 'g0', run: 3, at: daysAgo(90) })];
    expect(summary(plan(records))).toEqual({ keep: { 1: 'pinned', 2: 'needed', 3: 'newest' }, remove: [] });
    expect(plan(records).keep[1]!.reason).toBe('run 1 created an entity that g1 made invalid in it');
  });

  it('goes after it, or when the entity was created later', () => {
    const last = ended({ gate: 'g0', run: 4, at: daysAgo(90) });
    expect(summary(plan([creates(1), invalidates(2), last])).remove).toEqual([1, 2]);
    expect(summary(plan([invalidates(1), creates(2), pin(2), last])).remove).toEqual([1]);
  });
});
