import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/json/digest.ts';
import { foldRun } from '../../src/run/state/fold.ts';
import { nextAttempt, numberCall } from '../../src/run/state/numbering.ts';
import type { ReadProblem, RecordListing } from '../../src/run/records/reading.ts';
import type { GatelineRecord, Writer } from '../../src/run/records/record.ts';
import { openArchive } from '../../src/run/plan/archive.ts';
import { findCheckpoint } from '../../src/run/plan/reuse.ts';
import { writerKey, type RunState, type ExternalFacts } from '../../src/run/state/run-state.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { pipelines } from '../support/arbitrary-history.ts';
import { asProblem } from '../support/driven-history.ts';
import {
  contentOf,
  decided,
  ended,
  FAILED,
  ME,
  NOT_APPLICABLE,
  NOW,
  PARTIAL,
  PASSED,
  PIPELINE,
  started,
  SUBJECT,
  lost,
} from '../support/records.ts';
import { drawn } from '../support/samples.ts';

const OTHER: Writer = { ...ME, pid: 2 };
const digests = fc.constantFrom('one', 'two').map(digestOf);
const gates = fc.constantFrom('g0', 'g1', 'g2', 'g3', 'gone', 'constructor', '__proto__');
const numbers = fc.oneof(
  { weight: 8, arbitrary: fc.nat(3) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0.5, 1e9, Number.MAX_SAFE_INTEGER, -1e300) },
);
const needs = fc.dictionary(gates, fc.option(digests));
const where = fc.record({ gate: gates, leg: fc.constantFrom('', '', 'x'), run: numbers, call: numbers, n: numbers });
const work = fc.record({ fingerprint: digests, contract: digests, needs });
const until = fc.constantFrom({}, { until: NOW }, { until: '2999-01-01T00:00:00.000Z' }, { until: 'tomorrow' });

/** Any records at all: of other pipelines and of unknown gates, with numbers that make no sense, contradicting each other. */
const records: fc.Arbitrary<GatelineRecord> = fc.oneof(
  fc
    .tuple(
      where,
      work,
      fc.constantFrom(ME, OTHER),
      fc.constantFrom('process', 'open'),
      fc.constantFrom({}, { deadline: NOW }),
    )
    .map(([place, what, by, holder, more]) => started({ ...place, ...what, by, holder, ...more })),
  fc
    .tuple(
      where,
      work,
      fc.constantFrom(PASSED, PARTIAL, FAILED, NOT_APPLICABLE),
      fc.constantFrom('ran', 'reused'),
      fc.option(where),
      fc.boolean(),
    )
    .map(([place, what, verdict, how, from, silent]) => ({
      ...ended({ ...place, ...what, verdict, how }),
      ...(silent && { exports: contentOf('another word') }),
      ...(from && { source: { runNumber: from.run, runAttempt: from.call, n: from.n } }),
    })),
  fc
    .tuple(where, fc.constantFrom('approve', 'reject', 'skip', 'force', 'rollback'), fc.option(digests), until)
    .map(([place, decision, fingerprint, more]) => decided({ ...place, decision, fingerprint, ...more })),
  fc
    .tuple(where, fc.constantFrom({ pipeline: 'other' }, { subject: 'other' }))
    .map(([place, foreign]) => ({ ...ended(place), ...foreign })),
);

/** Now and then, another record of the same name that says something else. */
const withTwins = fc
  .tuple(records, fc.option(work, { freq: 2 }))
  .map(([record, other]) =>
    other === null || record.kind === 'decided' ? [record] : [record, { ...record, ...other }],
  );

const problems: fc.Arbitrary<ReadProblem> = fc.oneof(
  { weight: 4, arbitrary: records.map(asProblem) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<ReadProblem['code']>('CORRUPT', 'UNREADABLE', 'OUTAGE', 'LISTING_LIMIT')
      .map((code) => ({ code, where: 'somewhere', message: 'no' })),
  },
);

const soups = fc.record({
  pipeline: pipelines(8),
  records: fc.array(withTwins, { maxLength: 20 }).map((lists) => lists.flat()),
  problems: fc.oneof(fc.constant([]), fc.array(problems, { maxLength: 3 })),
  told: fc.record(
    {
      deadWriters: fc.constant(new Set([writerKey(OTHER)])),
      supersededBefore: fc.constant({ runNumber: 2, runAttempt: 2 }),
      missingContent: fc.constant(lost(contentOf('output of g0').digest)),
      fingerprints: fc.constant(new Map([['g1', digestOf('one')]])),
    },
    { requiredKeys: [] },
  ),
});

function fold(pipeline: Parameters<typeof unitsOf>[0], listing: RecordListing, told: Partial<ExternalFacts>): RunState {
  return foldRun(unitsOf(pipeline), listing, { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW, ...told });
}

describe('any soup of records', () => {
  it('gives an answer about every unit, and only closed ones', () => {
    fc.assert(
      fc.property(soups, ({ pipeline, told, ...listing }) => {
        const state = fold(pipeline, listing, told);
        const graph = unitsOf(pipeline);
        expect([...state.units.keys()]).toEqual([...graph.keys()]);
        for (const [key, unit] of state.units) {
          expect(unit.reason).not.toBe('');
          expect(unit.exports !== undefined).toBe(unit.done);
          if (!unit.done) continue;
          for (const need of graph.get(key)!.needs) {
            expect(state.units.get(need)!.done).toBe(true);
            if (unit.ended) expect(unit.ended.needs[need]).toBe(state.units.get(need)!.exports?.digest ?? null);
          }
        }
      }),
      drawn(1_000),
    );
  });

  it('says the same in whatever order, how often and over how many listings it is read', () => {
    fc.assert(
      fc.property(soups, fc.infiniteStream(fc.nat()), ({ pipeline, told, ...soup }, random) => {
        const shuffle = <T>(list: readonly T[]): T[] =>
          list
            .map((one) => ({ one, by: random.next().value as number }))
            .sort((a, b) => a.by - b.by)
            .map(({ one }) => one);
        const again = {
          records: shuffle([...structuredClone(soup.records), ...soup.records.map(withKeysReversed)]),
          problems: shuffle([...soup.problems, ...structuredClone(soup.problems)]),
        };
        expect(fold(pipeline, again, told)).toEqual(fold(pipeline, soup, told));
      }),
      drawn(1_000),
    );
  });

  it('is numbered past, and looked through for something to reuse, whatever is in it', () => {
    fc.assert(
      fc.property(soups, digests, digests, ({ pipeline, told, ...listing }, fingerprint, contract) => {
        const { runNumber, runAttempt } = numberCall(fold(pipeline, listing, told));
        const archive = openArchive(listing);
        const graph = unitsOf(pipeline);
        for (const unit of graph.values()) {
          const n = nextAttempt(listing, { runNumber, runAttempt }, unit.key);
          for (const record of listing.records) {
            if (record.gate !== unit.gate.id || record.leg !== unit.leg.id) continue;
            if (record.runNumber === runNumber && record.runAttempt === runAttempt) expect(record.n).toBeLessThan(n);
          }
          const found = findCheckpoint(unit, archive, { fingerprint, contract, runNumber, now: NOW, graph });
          if (found.choice !== 'none') expect(found.ended.fingerprint).toBe(fingerprint);
        }
      }),
      drawn(500),
    );
  });

  it('in which the listing may be incomplete has nothing done', () => {
    fc.assert(
      fc.property(soups, fc.constantFrom('OUTAGE', 'LISTING_LIMIT'), ({ pipeline, told, ...listing }, code) => {
        const blind = {
          ...listing,
          problems: [...listing.problems, { code, where: 'the service', message: 'no answer' } as const],
        };
        expect([...fold(pipeline, blind, told).units.values()].filter((unit) => unit.done)).toEqual([]);
        expect(openArchive(blind).blind).toBe(true);
      }),
      drawn(300),
    );
  });
});

function withKeysReversed(record: GatelineRecord): GatelineRecord {
  return Object.fromEntries(Object.entries(record).reverse()) as unknown as GatelineRecord;
}
