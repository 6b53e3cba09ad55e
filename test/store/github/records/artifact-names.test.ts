import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../../src/json/digest.ts';
import { DECISIONS, RUN_GATE, type GatelineRecord } from '../../../../src/run/records/record.ts';
import {
  filesArtifactName,
  kindOf,
  MAX_NAME_LENGTH,
  MAX_UPLOADS,
  parseArtifactName,
  recordArtifactName,
  sameRecord,
  scopeOf,
  valueArtifactName,
  type RecordArtifactName,
} from '../../../../src/store/github/records/artifact-names.ts';
import { decidedRecord, endedRecord, startedRecord } from '../../../contract/samples.ts';

const FORBIDDEN = /["<>:|*?\r\n\\/]/;

const id = fc.stringMatching(/^[a-z_][a-z0-9_-]{0,39}$/);
const leg = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/).filter((text) => text !== '_'),
  // Legs that look like the rest of a name.
  fc.constantFrom('1.1.started', '2.value', 'x.1.2.ended.passed.aaaaaaaaaaaa._', '1', 'x.1.1', '9.9.started.files'),
);
const where = fc.record({
  pipeline: id,
  subject: fc.string({ minLength: 1, unit: 'binary' }),
  gate: id,
  leg,
  runAttempt: fc.nat(9_999),
  n: fc.nat(9_999),
});
const record: fc.Arbitrary<GatelineRecord> = fc.oneof(
  where.map((told) => startedRecord(told)),
  fc
    .tuple(where, fc.constantFrom('passed', 'partial', 'failed', 'not-applicable'), fc.boolean(), fc.string())
    .map(([told, status, hasValue, text]) => {
      const { value: _, ...ended } = endedRecord({ ...told, fingerprint: digestOf(text) });
      const verdict = { ...ended.verdict, status };
      return { ...ended, verdict, ...(hasValue && { value: { digest: digestOf(`${text}!`), bytes: 1 } }) };
    }),
  fc
    .tuple(where, fc.constantFrom(...DECISIONS), fc.boolean())
    .map(([told, decision, ofRun]) => decidedRecord({ ...told, decision, ...(ofRun && { gate: RUN_GATE, leg: '' }) })),
  fc
    .tuple(where, id, fc.integer({ min: 1, max: 9_999 }))
    .map(([told, cause, iteration]) =>
      decidedRecord({ ...told, decision: 'rework', rework: { cause, iteration, from: [], over: [] } }),
    ),
);
const upload = fc.integer({ min: 1, max: MAX_UPLOADS });

describe('names of artifacts', () => {
  it('are read as they were made, for every record that there can be', () => {
    fc.assert(
      fc.property(record, upload, (one, count) => {
        const { gate, leg, runAttempt, n } = one;
        const position = { scope: scopeOf(one.pipeline, one.subject), gate, leg, runAttempt, n, upload: count };
        const name = parseArtifactName(recordArtifactName(one, count));
        expect(name).toMatchObject({ ...position, holds: 'record', kind: one.kind });
        expect(parseArtifactName(valueArtifactName(one, count))).toEqual({ ...position, holds: 'value' });
        expect(parseArtifactName(filesArtifactName(one, count))).toMatchObject({ ...position, holds: 'files' });
        if (one.kind === 'ended') {
          expect(name).toMatchObject({
            status: one.verdict.status,
            fingerprint: one.fingerprint.slice(7, 19),
            output: one.value?.digest.slice(7, 19),
          });
        }
      }),
    );
  });

  it('have no character that GitHub forbids and a limited number of them, with the longest of everything', () => {
    const longest = { gate: 'g'.repeat(40), leg: 'l'.repeat(80), runAttempt: 9_999, n: 9_999 };
    const verdict = { ...endedRecord().verdict, status: 'not-applicable' } as const;
    const rework = { cause: 'c'.repeat(40), iteration: 9_999, from: [], over: [] };
    const names = [
      recordArtifactName(endedRecord({ ...longest, verdict }), MAX_UPLOADS),
      recordArtifactName(decidedRecord({ ...longest, decision: 'rework', rework }), MAX_UPLOADS),
      filesArtifactName(decidedRecord({ ...longest, decision: 'rework', rework }), MAX_UPLOADS),
      valueArtifactName(endedRecord(longest), MAX_UPLOADS),
    ];
    for (const name of names) {
      expect(name.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
      expect(name).not.toMatch(FORBIDDEN);
      expect(parseArtifactName(name)).toBeDefined();
    }
    expect(Math.max(...names.map(({ length }) => length))).toBeGreaterThan(210);
    fc.assert(
      fc.property(record, upload, (one, count) => {
        expect(recordArtifactName(one, count)).not.toMatch(FORBIDDEN);
      }),
    );
  });

  it('differ where records do, but for the run and what a claim holds', () => {
    fc.assert(
      fc.property(record, record, (a, b) => {
        const told = (one: GatelineRecord) =>
          JSON.stringify([one.pipeline, one.subject, one.gate, one.leg, one.runAttempt, one.n, one.kind]);
        if (told(a) !== told(b)) expect(recordArtifactName(a)).not.toBe(recordArtifactName(b));
      }),
    );
    expect(recordArtifactName(startedRecord({ fingerprint: digestOf('other') }))).toBe(
      recordArtifactName(startedRecord()),
    );
  });

  it('tell subjects apart that are written alike', () => {
    const subjects = ['pr-1', 'PR-1', 'pr-1 ', 'é', 'e\u0301', '\ud800', '\ud801', '["pr-1"]'];
    expect(new Set(subjects.map((subject) => scopeOf('ship', subject))).size).toBe(subjects.length);
    expect(scopeOf('a', 'b')).not.toBe(scopeOf('b', 'a'));
  });

  it('of a kind that this version does not know are unknown records of their gate', () => {
    const own = recordArtifactName(endedRecord({ leg: 'chrome' }));
    const unknown = [
      own.replace('passed', 'great'),
      `${own}.json`,
      own.replace('.json', '.u1.json'),
      own.replace('.json', `.u${MAX_UPLOADS + 1}.json`),
      own.replace('.ended.', '.__proto__.'),
      recordArtifactName(decidedRecord({ decision: 'skip' })).replace('skip', 'banish'),
    ];
    for (const name of unknown)
      expect(parseArtifactName(name), name).toMatchObject({ gate: 'design', holds: 'record', kind: 'unknown' });
    expect(kindOf(parseArtifactName(unknown.at(-1)!) as RecordArtifactName)).toBe('decided.banish');
  });

  it('of others are nobody we know, and never an error', () => {
    const own = recordArtifactName(endedRecord({ leg: 'chrome' }));
    const foreign = [
      '',
      'coverage-report',
      'gl1',
      'gl1.',
      own.replace('gl1', 'gl2'),
      own.replace('.json', ''),
      own.replace('.json', '.JSON'),
      own.replace('.1.1.', '.01.1.'),
      own.replace('.1.1.', '.-1.1.'),
      own.replace('.1.1.', '.10000.1.'),
      own.replace('design', 'De sign'),
      own.replace('design', '../x'),
      own.replace('chrome', 'l'.repeat(81)),
      own.replace('chrome', 'l/m'),
      `${own}\n`,
      ` ${own}`,
      'a'.repeat(1_000_000),
      `gl1.${'.'.repeat(100_000)}`,
    ];
    for (const name of foreign) expect(parseArtifactName(name), name.slice(0, 100)).toBeUndefined();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => void parseArtifactName(name)));
  });

  it('are about one record whatever it came to and however often it was uploaded', () => {
    const parse = (one: GatelineRecord, count = 1) => {
      const name = parseArtifactName(recordArtifactName(one, count));
      if (name?.holds !== 'record') throw new Error('no record');
      return name;
    };
    const failed = endedRecord({ verdict: { ...endedRecord().verdict, status: 'failed' } });
    expect(sameRecord(parse(endedRecord()), parse(failed, 2))).toBe(true);
    for (const other of [startedRecord(), endedRecord({ n: 2 }), endedRecord({ leg: 'x' }), decidedRecord({ n: 1 })])
      expect(sameRecord(parse(endedRecord()), parse(other))).toBe(false);
    const skip = decidedRecord({ decision: 'skip' });
    expect(sameRecord(parse(skip), parse(decidedRecord({ decision: 'approve' })))).toBe(false);
  });

  it('are refused for what has none', () => {
    for (const wrong of [{ leg: '_' }, { leg: 'a b' }, { leg: '../x' }, { n: 10_000 }, { runAttempt: 10_000 }]) {
      expect(() => recordArtifactName(startedRecord(wrong)), JSON.stringify(wrong)).toThrow(
        expect.objectContaining({ code: 'RECORD_INVALID' }),
      );
    }
  });
});
