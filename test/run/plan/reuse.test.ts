import { describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/pipeline/pipeline.ts';
import type { DecidedRecord, GatelineRecord } from '../../../src/run/records/record.ts';
import type { RecordListing } from '../../../src/run/records/reading.ts';
import { findCheckpoint, openArchive, type Checkpoint } from '../../../src/run/plan/reuse.ts';
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
  const unit = unitsOf(pipelineOf({ a: gate })).get('a')!;
  const query = { fingerprint: FINGERPRINT, contract: CONTRACT, runNumber: 2, now: NOW };
  return findCheckpoint(unit, openArchive(listing(records, problems)), query);
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
      const query = { fingerprint: FINGERPRINT, contract: CONTRACT, runNumber: 2, now: NOW };
      const unit = unitsOf(pipelineOf({ a: {} })).get('a')!;
      return findCheckpoint(unit, openArchive({ ...all, unprovenDecisions: true }), query);
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
