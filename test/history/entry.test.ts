import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HISTORY_FORMAT,
  keptSubject,
  parseGatesEntry,
  parseHistoryEntry,
  type HistoryEntry,
} from '../../src/history/entry.ts';
import { ENTRY_BYTES, entryLine, fitEntry, gatesLine } from '../../src/history/entry-line.ts';
import { historyOfRun } from '../../src/history/entry-of-run.ts';
import { csvLines } from '../../src/history/csv.ts';
import { documentOf, DOCUMENT_BYTES, runsInDocument } from '../../src/history/document.ts';
import { mergeRuns, type PastRun } from '../../src/history/merge.ts';
import type { EndedRecord, GatelineRecord } from '../../src/run/records/record.ts';
import { VERDICT_KINDS } from '../../src/verdict/verdict.ts';
import { ended, gate, NOW, pipelineOf, ran, started, stateOf } from '../report/fixtures.ts';
import { failedRecords, history } from '../report/github/fixtures.ts';
import { drawn } from '../support/samples.ts';

function runOf(records: readonly GatelineRecord[]): ReturnType<typeof historyOfRun> {
  return historyOfRun({ state: stateOf(records).state, records, now: NOW });
}

describe('the entries of a run', () => {
  it('have what ran, what it took, and what was saved by reuse', () => {
    const { entry, gates } = runOf(failedRecords());
    expect(entry).toMatchObject({
      run: 3,
      status: 'error',
      gates: 6,
      passed: 4,
      failed: 1,
      skipped: 0,
      reused: 2,
      ms: 192_500,
      cost: 0.07,
      tokens: 16_540,
      failure: { gate: 'execute', kind: 'check' },
      models: ['m-1', 'm-2'],
    });
    const saved = gates.gates
      .filter(({ reused }) => reused)
      .map(({ gate, cost, tokens, ms }) => [gate, cost, tokens, ms]);
    expect(saved).toEqual([
      ['data', 0.021, 4_100, 12_500],
      ['design', 0.034, 9_800, 12_500],
    ]);
    expect(gates.gates.map(({ gate, status, attempts, first }) => [gate, status, attempts, first])).toEqual([
      ['data', 'passed', 0, undefined],
      ['design', 'passed', 0, undefined],
      ['dom', 'passed', 2, false],
      ['pom', 'passed', 1, true],
      ['execute', 'failed', 1, false],
      ['learn', 'blocked', 0, undefined],
    ]);
    expect(parseHistoryEntry(JSON.parse(entryLine(entry)))).toEqual({ state: 'present', value: entry });
    expect(parseGatesEntry(JSON.parse(gatesLine(gates)))).toEqual({ state: 'present', value: gates });
  });

  it('have what a reused output took in a run of which there are no records', () => {
    const records = failedRecords().flatMap((record) => {
      if (record.runNumber !== 3) return [];
      return [record.kind === 'ended' && record.how === 'reused' ? { ...record, savedMs: 4_000 } : record];
    });
    expect(runOf(records).gates.gates[0]).toMatchObject({ reused: true, ms: 4_000, cost: 0.021 });
  });

  it('count the time in which somebody worked, not the days between two calls', () => {
    const later = { runAttempt: 2, startedAt: '2026-01-09T03:00:00.000Z', at: '2026-01-09T03:00:10.000Z' };
    expect(runOf([...ran('data'), ended('design', { call: 2 }, later)]).entry.ms).toBe(22_500);
  });

  it('count a first attempt that was lost as one that did not pass, and none that is running', () => {
    expect(runOf([started('data'), ...ran('data', { n: 2 })]).gates.gates[0]).toMatchObject({
      attempts: 2,
      first: false,
    });
    expect(runOf([started('data')]).gates.gates[0]).not.toHaveProperty('first');
  });

  it('name a gate flaky whose attempts differ for one fingerprint and one contract', () => {
    const failing = (kind: EndedRecord['verdict']['kind']): Partial<EndedRecord> => ({
      verdict: { status: 'failed', kind, score: 0, issues: [], advice: '' },
    });
    const flaky = (first: Partial<EndedRecord>): unknown =>
      runOf([...ran('data', {}, first), ...ran('data', { n: 2 })]).gates.gates[0]!.flaky;
    expect(flaky(failing('schema'))).toBe(true);
    expect(flaky(failing('cancelled'))).toBeUndefined();
    expect(flaky({})).toBeUndefined();
    const other = ended('data').contract.replace(/.$/, (last) => (last === '0' ? '1' : '0')) as EndedRecord['contract'];
    expect(flaky({ ...failing('schema'), contract: other })).toBeUndefined();
  });

  it('leave out gates of a large run that passed, and count them', () => {
    const pipeline = pipelineOf(Array.from({ length: 900 }, (_, at) => gate(`a_rather_long_gate_${at}`, at)));
    const verdict = { status: 'failed', kind: 'schema', score: 0, advice: '' } as const;
    const records = pipeline.gates.flatMap(({ id }, at) =>
      ran(id, { pipeline }, at % 90 === 89 ? { verdict: { ...verdict, issues: [] } } : {}),
    );
    const { gates } = historyOfRun({ state: stateOf(records, { pipeline }).state, records, now: NOW });
    expect(Buffer.byteLength(gatesLine(gates))).toBeLessThanOrEqual(64 * 1_024);
    expect(gates.left).toBe(900 - gates.gates.length);
    expect(gates.left).toBeGreaterThan(0);
    expect(gates.gates.filter(({ status }) => status === 'failed')).toHaveLength(10);
  });
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('"'.repeat(300), '\u0001'.repeat(300)),
);
const counter = fc.integer({ min: 0, max: 100_000 });
const names = fc.array(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 50 });
const amount = fc.double({ min: 0, max: 1e12, noNaN: true });

describe('a line', () => {
  it('has at most 500 bytes, whatever the entry has, and is read back', () => {
    const entry = fc.record({
      format: fc.constant(HISTORY_FORMAT),
      pipeline: fc.constantFrom('p', `p${'x'.repeat(39)}`),
      subject: text.filter((one) => one !== '').map(keptSubject),
      run: counter,
      runId: fc.constantFrom('1', '12345678901234567890'),
      attempt: counter,
      started: fc.constant(NOW),
      status: fc.constantFrom<HistoryEntry['status']>('completed', 'error'),
      ended: fc.constant(NOW),
      ms: amount,
      gates: counter,
      passed: counter,
      failed: counter,
      skipped: counter,
      reused: counter,
      cost: amount,
      tokens: amount,
      failure: fc.record({
        gate: fc.constantFrom('g', `${'g'.repeat(40)}/${'l'.repeat(80)}`),
        kind: fc.constantFrom(...VERDICT_KINDS),
        message: text,
      }),
      iteration: counter,
      commit: fc.constant('0123456789ab'),
      ...Object.fromEntries(
        ['task', 'set', 'closedBy', 'branch', 'event', 'trust', 'actor', 'workflowFile'].map((name) => [name, text]),
      ),
      ...Object.fromEntries(['tools', 'mcps', 'plugins', 'models'].map((name) => [name, names])),
    }) as unknown as fc.Arbitrary<HistoryEntry>;
    fc.assert(
      fc.property(entry, (one) => {
        const fitted = fitEntry(one);
        expect(Buffer.byteLength(entryLine(fitted)) + 1).toBeLessThanOrEqual(ENTRY_BYTES);
        const { pipeline, subject, run, attempt, status, started: begun, passed } = one;
        expect(fitted).toMatchObject({ pipeline, subject, run, attempt, status, started: begun, passed });
        const read = parseHistoryEntry(JSON.parse(entryLine(fitted)));
        expect(read).toMatchObject({ state: 'present' });
      }),
      drawn(300),
    );
  });

  it('keeps a subject that is short, and tells long ones apart', () => {
    expect(keptSubject('demoqa_com-student_registration')).toBe('demoqa_com-student_registration');
    const [a, b] = [`${'long '.repeat(30)}a`, `${'long '.repeat(30)}b`];
    expect(keptSubject(a)).not.toBe(keptSubject(b));
    expect(keptSubject(keptSubject(a))).toBe(keptSubject(a));
    expect(keptSubject(a).length).toBeLessThanOrEqual(64);
  });

  it('is read only where it is one of this version, and never thrown at', () => {
    const { entry } = history()[0]!;
    expect(parseHistoryEntry({ ...entry, format: 'gateline-history/1' })).toMatchObject({
      state: 'unknown',
      problem: { code: 'UNKNOWN_VERSION' },
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything()), (value) => {
        expect(parseHistoryEntry(value).state).toBe('unknown');
        expect(parseGatesEntry(value).state).toBe('unknown');
      }),
      drawn(200),
    );
  });

  it.each<[keyof HistoryEntry, unknown]>([
    ['ms', -1],
    ['ms', '12'],
    ['ms', Number.MAX_VALUE],
    ['run', 1.5],
    ['commit', '<img>'],
    ['started', 'yesterday'],
    ['status', 'great'],
    ['gates', null],
    ['subject', 'x'.repeat(2_000)],
    ['pipeline', '../x'],
    ['runId', '1; rm'],
  ])('is not taken with %s %j', (field, value) => {
    expect(parseHistoryEntry({ ...history()[0]!.entry, [field]: value }).state).toBe('unknown');
  });
});

describe('runs that are merged', () => {
  const [green, red] = history() as [PastRun, PastRun];
  const about = (run: PastRun, over: Partial<HistoryEntry>): PastRun => ({ ...run, entry: { ...run.entry, ...over } });

  it('have one entry, that of the highest attempt, in the order of run numbers', () => {
    const again = about(red, { attempt: 2, status: 'completed' });
    expect(mergeRuns([green, red, again, red])).toEqual([again, green]);
  });

  it('do not depend on order or repetition', () => {
    const runs = [
      green,
      red,
      about(red, { attempt: 2 }),
      about(red, { ms: 1 }),
      about(green, { runId: '90020' }),
      about(red, { run: 12, runId: '7' }),
      about(green, { subject: 'other' }),
    ];
    const expected = mergeRuns(runs);
    fc.assert(
      fc.property(fc.shuffledSubarray([...runs, ...runs], { minLength: 14 }), (shuffled) => {
        expect(mergeRuns(shuffled)).toEqual(expected);
      }),
      drawn(50),
    );
  });

  it('are carried by a document of a bounded size: the newest ones', () => {
    const many = Array.from({ length: 700 }, (_, at) => about(green, { run: at + 10, runId: String(at + 10) }));
    const own = history().slice(0, 1);
    const document = documentOf('web', own, many);
    expect(Buffer.byteLength(document)).toBeLessThan(DOCUMENT_BYTES);
    const runs = runsInDocument(JSON.parse(document), own[0]!.entry.pipeline);
    expect(documentOf('web', own, many)).toContain('"pipeline":"web"');
    expect(runs).toEqual([]);
    const mine = runsInDocument(JSON.parse(documentOf(own[0]!.entry.pipeline, own, many)), own[0]!.entry.pipeline);
    expect(mine).toHaveLength(201);
    expect(mine.slice(1, 3).map(({ entry }) => entry.run)).toEqual([709, 708]);
    expect(mine[0]).toEqual(own[0]);
    expect(runsInDocument({ format: 'gateline-history/1' }, 'web')).toEqual([]);
  });
});

it('CSV has no formula, no line break within a cell, and nothing hidden', () => {
  const rows = [
    { a: '=1+1', b: 'x,"y"\nz', c: 1.5 },
    { a: ' @x', b: '\u202Eabc', c: undefined },
    { a: ['m-1', 'm-2'], b: '-3', c: true },
  ];
  expect([...csvLines(['a', 'b', 'c'], rows)].join('')).toBe(
    'a,b,c\r\n"\'=1+1","x,""y"" z",1.5\r\n"\' @x",<U+202E>abc,\r\nm-1 m-2,"\'-3",true\r\n',
  );
});
