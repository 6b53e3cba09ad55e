import { describe, expect, it } from 'vitest';
import type { Gate } from '../../src/pipeline/pipeline.ts';
import { digestOf } from '../../src/json/digest.ts';
import { foldRun } from '../../src/run/state/fold.ts';
import type { EndedRecord, GatelineRecord } from '../../src/run/records/record.ts';
import { openArchive } from '../../src/run/plan/archive.ts';
import { findCheckpoint, type Checkpoint, type CheckpointQuery } from '../../src/run/plan/reuse.ts';
import { writerKey } from '../../src/run/state/run-state.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { pipelineOf } from '../support/pipelines.ts';
import {
  CONTRACT,
  decided,
  ended,
  FAILED,
  FINGERPRINT,
  listing,
  ME,
  NOW,
  PIPELINE,
  started,
  SUBJECT,
} from '../support/records.ts';

const HOUR = 3_600_000;
const hoursAgo = (hours: number): string => new Date(Date.parse(NOW) - hours * HOUR).toISOString();

function find(
  records: readonly GatelineRecord[],
  gate: Partial<Gate> = {},
  more: Partial<CheckpointQuery> = {},
): Checkpoint {
  const graph = unitsOf(pipelineOf({ a: gate }));
  const query = { fingerprint: FINGERPRINT, contract: CONTRACT, runNumber: 2, now: NOW, graph, ...more };
  return findCheckpoint(graph.get('a')!, openArchive(listing(records)), query);
}

describe('an output that is too old', () => {
  const made = (at: string): EndedRecord => ended({ gate: 'a', startedAt: at });
  const source = { runNumber: 1, runAttempt: 1, n: 1 };

  it('does not stand in', () => {
    expect(find([made(hoursAgo(3))], { maxAge: 2 * HOUR })).toMatchObject({
      choice: 'none',
      reason: expect.stringContaining('max-age'),
    });
    expect(find([made(hoursAgo(2))], { maxAge: 2 * HOUR }).choice).toBe('usable');
    expect(find([made(hoursAgo(30_000))]).choice).toBe('usable');
  });

  it('does not become younger by being reused', () => {
    const reused = ended({ gate: 'a', run: 2, how: 'reused', source, startedAt: hoursAgo(0) });
    expect(find([made(hoursAgo(3)), reused], { maxAge: 2 * HOUR }).choice).toBe('none');
    expect(find([made(hoursAgo(1)), reused], { maxAge: 2 * HOUR })).toMatchObject({ choice: 'usable', ended: reused });
  });

  it('is an answer even where two outputs say to be made of each other', () => {
    const one = ended({ gate: 'a', n: 1, how: 'reused', source: { ...source, n: 2 }, startedAt: hoursAgo(3) });
    const two = ended({ gate: 'a', n: 2, how: 'reused', source: { ...source, n: 1 }, startedAt: hoursAgo(3) });
    expect(find([one, two], { maxAge: 2 * HOUR }).choice).toBe('none');
  });
});

describe('an output that somebody decided against', () => {
  it.each(['reject', 'force', 'rollback'] as const)('is not judged again by another contract: %s', (decision) => {
    const other = { contract: digestOf('other') };
    expect(find([ended({ gate: 'a' })], {}, other).choice).toBe('judge-again');
    expect(find([ended({ gate: 'a' }), decided({ gate: 'a', decision, call: 2 })], {}, other).choice).toBe('none');
  });

  it('takes older ones with it; one that merely turned out unusable does not', () => {
    const [old, young] = [ended({ gate: 'a', call: 1 }), ended({ gate: 'a', call: 2, fingerprint: FINGERPRINT })];
    const reject = decided({ gate: 'a', decision: 'reject', call: 3 });
    expect(find([old, young, reject]).choice).toBe('none');
    expect(find([old, young], {}, { except: new Set([young]) })).toMatchObject({ choice: 'usable', ended: old });
  });
});

describe('the reason', () => {
  it('is about the newest attempt with this request', () => {
    const records = [ended({ gate: 'a', verdict: FAILED }), decided({ gate: 'a', decision: 'force', call: 2 })];
    expect(find(records)).toMatchObject({
      choice: 'none',
      reason: expect.stringContaining('somebody asked for a new attempt'),
    });
    expect(find([started({ gate: 'a' }), ...records, ended({ gate: 'a', call: 3, verdict: FAILED })])).toMatchObject({
      choice: 'none',
      reason: expect.stringContaining('attempt 2'),
    });
  });
});

describe('a claim whose writer is gone', () => {
  const graph = unitsOf(pipelineOf({ a: {}, b: { needs: ['a'] } }));
  const told = { now: NOW, deadWriters: new Set([writerKey(ME)]) };
  const b = (...records: GatelineRecord[]): string =>
    foldRun(graph, listing(records), { pipeline: PIPELINE, subject: SUBJECT }, told).units.get('b')!.status;
  const a = ended({ gate: 'a' });

  it('is lost as long as it is about what the gate would be given now', () => {
    expect(b(a, started({ gate: 'b', needs: { a: a.exports!.digest } }))).toBe('lost');
    expect(b(a, started({ gate: 'b', needs: { a: digestOf('what a said before') } }))).toBe('ready');
    expect(
      b(a, started({ gate: 'b', needs: { a: a.exports!.digest } }), decided({ gate: 'b', decision: 'force', call: 2 })),
    ).toBe('ready');
  });
});
