import { describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/pipeline/pipeline.ts';
import type { DecidedRecord, GatelineRecord } from '../../../src/run/records/record.ts';
import type { RecordListing } from '../../../src/run/records/reading.ts';
import { addElsewhere, openArchive } from '../../../src/run/plan/archive.ts';
import { findCheckpoint, producedAt, type Checkpoint } from '../../../src/run/plan/reuse.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { digestOf } from '../../../src/json/digest.ts';
import { pipelineOf } from '../../support/pipelines.ts';
import {
  CONTRACT,
  decided,
  ended,
  FAILED,
  FINGERPRINT,
  listing,
  NOW,
  PARTIAL,
  started,
} from '../../support/records.ts';

const RAN = [started({ gate: 'a' }), ended({ gate: 'a' })];
const names = { gate: 'a', leg: '', runNumber: 1, runAttempt: 2, n: 0, kind: 'decided.force' };

/** What a call in run 2 finds for gate `a`. */
function checkpoint(
  records: readonly GatelineRecord[],
  problems: RecordListing['problems'] = [],
  gate: Partial<Gate> = {},
): Checkpoint {
  const graph = unitsOf(pipelineOf({ a: gate }));
  const query = { fingerprint: FINGERPRINT, contract: CONTRACT, runNumber: 2, now: NOW, graph };
  return findCheckpoint(graph.get('a')!, openArchive(listing(records, problems)), query);
}

describe('an earlier attempt', () => {
  it('with the same request that met the same contract stands in', () => {
    expect(checkpoint(RAN)).toMatchObject({ choice: 'usable', reason: 'attempt 1 (run 1)' });
  });

  it('that failed or asked for something else does not', () => {
    expect(checkpoint([ended({ gate: 'a', verdict: PARTIAL })]).choice).toBe('none');
    expect(checkpoint([ended({ gate: 'a', verdict: FAILED })]).choice).toBe('none');
    expect(checkpoint([ended({ gate: 'a', fingerprint: digestOf('other') })])).toEqual({ choice: 'none', reason: '' });
  });

  it('does not where the gate is never reused', () => {
    expect(checkpoint(RAN, [], { reuse: 'never' }).choice).toBe('none');
  });

  it.each(['reject', 'force', 'rollback'] as const)('does not after somebody decided to %s', (decision) => {
    expect(checkpoint([...RAN, decided({ gate: 'a', decision, call: 2 })]).choice).toBe('none');
    expect(checkpoint([...RAN, decided({ gate: 'a', decision, call: 0 })]).choice).toBe('usable');
  });

  it('does, and does not, after the same where anybody in the run may have written the records', () => {
    const unproven = (decision: DecidedRecord['decision'], records: readonly GatelineRecord[] = RAN): Checkpoint => {
      const all = listing([...records, decided({ gate: 'a', decision, call: 2 })]);
      const graph = unitsOf(pipelineOf({ a: {} }));
      const query = { fingerprint: FINGERPRINT, contract: CONTRACT, runNumber: 2, now: NOW, graph };
      return findCheckpoint(graph.get('a')!, openArchive({ ...all, unprovenDecisions: true }), query);
    };
    for (const decision of ['reject', 'force', 'rollback'] as const)
      expect(unproven(decision)).toMatchObject({ reason: expect.stringContaining('somebody (unverified)') });
    expect(unproven('approve', [ended({ gate: 'a', verdict: PARTIAL })]).choice).toBe('none');
  });

  it('does not when it is older than max-age, nor when it was made in the future', () => {
    const madeAt = (startedAt: string): Checkpoint =>
      checkpoint([started({ gate: 'a' }), ended({ gate: 'a', startedAt })], [], { maxAge: 60_000 });
    expect(madeAt(NOW).choice).toBe('usable');
    expect(madeAt('2026-01-02T03:03:05.678Z').choice).toBe('usable');
    expect(madeAt('2026-01-02T03:03:05.677Z')).toMatchObject({ reason: expect.stringContaining('older than max-age') });
    expect(madeAt('2026-01-02T03:04:05.679Z')).toMatchObject({ reason: expect.stringContaining('in the future') });
    expect(
      checkpoint([started({ gate: 'a' }), ended({ gate: 'a', startedAt: '2027-01-01T00:00:00.000Z' })]).choice,
    ).toBe('usable');
  });

  it('does not where a decision since then cannot be read', () => {
    const problem = { code: 'CORRUPT', where: 'x', message: 'broken', names } as const;
    expect(checkpoint(RAN, [problem])).toMatchObject({ choice: 'none', reason: expect.stringContaining('could not') });
  });

  it.each(['OUTAGE', 'LISTING_LIMIT'] as const)('does not where decisions may not have been listed: %s', (code) => {
    expect(checkpoint(RAN, [{ code, where: 'x', message: 'no answer' }]).choice).toBe('none');
  });

  it('does not when it ended with another contract than it claimed', () => {
    const claim = started({ gate: 'a', contract: digestOf('other') });
    expect(checkpoint([claim, ended({ gate: 'a' })]).choice).toBe('none');
  });

  it('is judged again where the contract is another one now, also when it failed by the old one', () => {
    const old = { contract: digestOf('old') };
    expect(checkpoint([started({ gate: 'a', ...old }), ended({ gate: 'a', ...old })]).choice).toBe('judge-again');
    const failed = ended({ gate: 'a', ...old, verdict: FAILED, value: { digest: digestOf('value'), bytes: 5 } });
    expect(checkpoint([started({ gate: 'a', ...old }), failed]).choice).toBe('judge-again');
  });
});

describe('an attempt of another subject', () => {
  const of = (records: readonly GatelineRecord[]): GatelineRecord[] =>
    records.map((record) => ({ ...record, subject: 'pr-7' }));

  /** What a call in run 2 finds for gate `a` if another subject has these records. */
  function found(
    others: readonly GatelineRecord[],
    own: readonly GatelineRecord[] = [],
    gate: Partial<Gate> = {},
    problems: { readonly own?: RecordListing['problems']; readonly others?: RecordListing['problems'] } = {},
  ): Checkpoint {
    const graph = unitsOf(pipelineOf({ a: gate }));
    const archive = openArchive(listing(own, problems.own));
    addElsewhere(archive, 'a', [listing(of(others), problems.others)]);
    const query = { fingerprint: FINGERPRINT, contract: CONTRACT, runNumber: 2, now: NOW, graph };
    return findCheckpoint(graph.get('a')!, archive, query);
  }
  const later = (told: object = {}): readonly GatelineRecord[] => [
    started({ gate: 'a', run: 9, ...told }),
    ended({ gate: 'a', run: 9, ...told }),
  ];

  it('is reused, and named with its subject', () => {
    expect(found(later())).toMatchObject({ choice: 'usable', reason: 'attempt 1 (run 9 of pr-7)' });
  });

  it('comes after one of our own, whatever their positions are', () => {
    expect(found(later(), RAN)).toMatchObject({ choice: 'usable', reason: 'attempt 1 (run 1)' });
  });

  it.each(['reject', 'force', 'rollback'] as const)('is not reused after somebody decided there to %s', (decision) => {
    expect(found([...later(), decided({ gate: 'a', decision, run: 9, call: 2 })]).choice).toBe('none');
    expect(found([...later(), decided({ gate: 'a', decision, run: 8 })]).choice).toBe('usable');
  });

  it('is not reused if a decision there may be about it and could not be read', () => {
    const problem = { code: 'CORRUPT' as const, where: 'x', message: 'no JSON' };
    const unread = (runNumber: number): Checkpoint =>
      found(later(), [], {}, { others: [{ ...problem, names: { ...names, runNumber } }] });
    expect(unread(9)).toMatchObject({ reason: expect.stringContaining('could not be read') });
    expect(unread(8).choice).toBe('usable');
  });

  it('is not touched by the positions of our own decisions, only by what they ask for', () => {
    const ours = (decision: DecidedRecord['decision'], told: Partial<DecidedRecord> & { run?: number } = {}) =>
      found(later(), [decided({ gate: 'a', decision, run: 2, ...told })]).choice;
    for (const decision of ['force', 'rollback', 'reject'] as const) {
      expect(ours(decision)).toBe('none');
      const since = ended({
        gate: 'a',
        run: 1,
        call: 2,
        fingerprint: digestOf('other'),
        value: { digest: CONTRACT, bytes: 1 },
      });
      const earlier = decided({ gate: 'a', decision, run: 1 });
      expect(found(later(), [earlier, since]).choice, 'about another run, in which it was answered').toBe('usable');
      expect(found(later(), [earlier]).choice, 'asks for a new attempt').toBe(
        decision === 'reject' ? 'usable' : 'none',
      );
      expect(ours(decision, { run: 1, fingerprint: FINGERPRINT })).toBe('none');
      expect(ours(decision, { fingerprint: digestOf('other') })).toBe('usable');
    }
    expect(ours('approve')).toBe('usable');
    const approved = decided({ gate: 'a', decision: 'approve', run: 2, call: 2, fingerprint: FINGERPRINT });
    const rejected = decided({ gate: 'a', decision: 'reject', run: 2, fingerprint: FINGERPRINT });
    expect(found(later(), [rejected, approved]).choice).toBe('usable');
    const unread = { code: 'CORRUPT' as const, where: 'x', message: 'no JSON', names };
    expect(found(later(), [], {}, { own: [unread] }).choice).toBe('none');
  });

  it('is not reused because it was approved there: the approval is for its subject', () => {
    const approval = decided({ gate: 'a', decision: 'approve', run: 9, call: 2, fingerprint: FINGERPRINT });
    const contract = { ...pipelineOf({ a: {} }).gates[0]!.contract, partial: 'pause' as const };
    expect(found([...later({ verdict: PARTIAL }), approval], [], { contract }).choice).toBe('none');
  });

  it('is not reused if it was adopted there, nor what reused it there', () => {
    const adopted = later({ how: 'adopted' });
    expect(found(adopted)).toMatchObject({ reason: expect.stringContaining('adopted for its own subject') });
    const source = { runNumber: 9, runAttempt: 1, n: 1 };
    const copy = later({ call: 2, how: 'reused', source });
    expect(found([...adopted, ...copy]).choice).toBe('none');
  });

  it('is not reused where a gate reuses nothing, even with the number of our run', () => {
    expect(found(later({ run: 2 }), [], { reuse: 'never' }).choice).toBe('none');
  });

  it('does not become younger by being reused', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const source = { runNumber: 9, runAttempt: 1, n: 1, subject: 'pr-7', at };
    const copy = ended({ gate: 'a', how: 'reused', source });
    const archive = openArchive(listing([copy, ...RAN]));
    expect(producedAt(copy, archive)).toBe(at);
    const { at: _at, ...without } = source;
    // Our own attempt at that position is another one.
    const same = { ...without, runNumber: 1 };
    expect(producedAt(ended({ gate: 'a', call: 2, how: 'reused', source: same, startedAt: NOW }), archive)).toBe(NOW);
  });

  it('is as old as its adoption where a person kept it in spite of a change', () => {
    const source = { runNumber: 9, runAttempt: 1, n: 1, subject: 'pr-7', at: '2026-01-01T00:00:00.000Z' };
    const adopted = ended({ gate: 'a', how: 'adopted', source, startedAt: NOW });
    const own = { runNumber: 1, runAttempt: 1, n: 1 };
    const reuse = ended({ gate: 'a', run: 2, how: 'reused', source: own, startedAt: '2026-02-01T00:00:00.000Z' });
    const archive = openArchive(listing([adopted, reuse]));
    for (const one of [adopted, reuse]) expect(producedAt(one, archive)).toBe(NOW);
  });

  it('is not voided, once reused, by what was decided here before: its position is not one of ours', () => {
    const source = { runNumber: 1, runAttempt: 1, n: 1, subject: 'pr-7' };
    const reuse = [started({ gate: 'a', run: 2 }), ended({ gate: 'a', run: 2, how: 'reused', source })];
    const before = decided({ gate: 'a', decision: 'reject', run: 1, call: 5 });
    expect(checkpoint([before, ...reuse]).choice).toBe('usable');
    const { subject: _subject, ...own } = source;
    const ours = [started({ gate: 'a', run: 2 }), ended({ gate: 'a', run: 2, how: 'reused', source: own })];
    expect(checkpoint([before, ...ours]).choice).toBe('none');
  });
});
