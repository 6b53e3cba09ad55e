import { describe, expect, it } from 'vitest';
import type { Gate } from '../../src/pipeline/pipeline.ts';
import { digestOf } from '../../src/json/digest.ts';
import { foldRun } from '../../src/run/state/fold.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import { openArchive } from '../../src/run/plan/archive.ts';
import { findCheckpoint } from '../../src/run/plan/reuse.ts';
import { writerKey, type RunState, type ExternalFacts } from '../../src/run/state/run-state.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { asProblem } from '../support/driven-history.ts';
import { pipelineOf } from '../support/pipelines.ts';
import {
  contentOf,
  CONTRACT,
  decided,
  ended,
  FAILED,
  FINGERPRINT,
  listing,
  ME,
  NOW,
  PARTIAL,
  PIPELINE,
  started,
  SUBJECT,
  lost,
} from '../support/records.ts';

const NEW = digestOf('new');

function fold(
  records: readonly GatelineRecord[],
  gate: Partial<Gate> = {},
  told: Partial<ExternalFacts> = {},
  unreadable: readonly GatelineRecord[] = [],
): RunState {
  const graph = unitsOf(pipelineOf({ a: gate, b: { needs: ['a'] } }));
  return foldRun(
    graph,
    listing(records, unreadable.map(asProblem)),
    { pipeline: PIPELINE, subject: SUBJECT },
    { now: NOW, ...told },
  );
}

function statusOf(...args: Parameters<typeof fold>): string {
  const { status, done } = fold(...args).units.get('a')!;
  return done ? `${status}, done` : status;
}

const passed = (call: number, more: Partial<Parameters<typeof started>[0]> = {}): GatelineRecord[] => [
  started({ gate: 'a', call, ...more }),
  ended({ gate: 'a', call, ...more }),
];

describe('a gate that passed', () => {
  it.each([{ fingerprint: NEW }, { contract: NEW }])(
    'and then failed with another request or by another contract has failed: %j',
    (other) => {
      const records = [
        ...passed(1),
        started({ gate: 'a', call: 2, ...other }),
        ended({ gate: 'a', call: 2, ...other, verdict: FAILED }),
      ];
      expect(statusOf(records)).toBe('failed');
      expect(fold(records).status).toBe('error');
      expect(fold(records).units.get('b')!.status).toBe('blocked');
    },
  );

  it('and was lost with another request or by another contract is lost', () => {
    const dead = { deadWriters: new Set([writerKey(ME)]) };
    expect(statusOf([...passed(1), started({ gate: 'a', call: 2, contract: NEW })], {}, dead)).toBe('lost');
  });

  it('and then failed with the same request by the same contract has still passed', () => {
    expect(
      statusOf([...passed(1), started({ gate: 'a', call: 2 }), ended({ gate: 'a', call: 2, verdict: FAILED })]),
    ).toBe('passed, done');
  });

  it('and then failed, or was lost, with max-age has not', () => {
    const again: GatelineRecord = { ...started({ gate: 'a', call: 2 }), place: 'tree' };
    const dead = { deadWriters: new Set([writerKey(ME)]) };
    const failed = [...passed(1), again, ended({ gate: 'a', call: 2, verdict: FAILED })];
    expect(statusOf(failed, { maxAge: 1 })).toBe('failed');
    expect(statusOf([...passed(1), again], { maxAge: 1 }, dead)).toBe('lost');
    // Nothing but time has passed.
    expect(statusOf(passed(1), { maxAge: 1 })).toBe('passed, done');
    // What was reused instead was young enough.
    const reused = ended({ gate: 'a', call: 3, how: 'reused', source: { runNumber: 1, runAttempt: 1, n: 1 } });
    expect(statusOf([...failed, started({ gate: 'a', call: 3 }), reused], { maxAge: 1 })).toBe('passed, done');
  });

  it('is ready, not failed, once it would be given what it passed with', () => {
    const records = [
      ...passed(1),
      started({ gate: 'a', call: 2, fingerprint: NEW }),
      ended({ gate: 'a', call: 2, fingerprint: NEW, verdict: FAILED }),
    ];
    const told = { fingerprints: new Map([['a', FINGERPRINT]]) };
    expect(statusOf(records, {}, told)).toBe('ready');
    const reused = ended({ gate: 'a', call: 3, how: 'reused', source: { runNumber: 1, runAttempt: 1, n: 1 } });
    expect(statusOf([...records, reused], {}, told)).toBe('passed, done');
    expect(statusOf([...records, reused])).toBe('passed, done');
  });

  it('is not done while something later cannot be read', () => {
    expect(statusOf(passed(1), {}, {}, [started({ gate: 'a', call: 2 })])).toBe('ready');
    expect(statusOf(passed(1), {}, {}, [ended({ gate: 'a', call: 2 })])).toBe('ready');
    expect(statusOf([ended({ gate: 'a' })], {}, {}, [started({ gate: 'a' })])).toBe('passed, done');
  });

  it('and is then skipped is skipped', () => {
    expect(statusOf([...passed(1), decided({ gate: 'a', decision: 'skip', call: 2 })])).toBe('skipped, done');
    expect(statusOf([decided({ gate: 'a', decision: 'skip', call: 1 }), ...passed(2)])).toBe('passed, done');
  });
});

describe('an output that was reused from another run', () => {
  const first = [started({ gate: 'a', run: 1 }), ended({ gate: 'a', run: 1, verdict: PARTIAL })];
  const approval = decided({ gate: 'a', decision: 'approve', run: 1, call: 2 });
  const reuse = ended({
    gate: 'a',
    run: 2,
    verdict: PARTIAL,
    how: 'reused',
    source: { runNumber: 1, runAttempt: 1, n: 1 },
  });
  const pause: Partial<Gate> = {
    contract: { schema: undefined, score: '/s', threshold: 80, partial: 'pause', checks: [] },
  };

  it('keeps the approval that it was reused by', () => {
    expect(statusOf([...first, approval, reuse], pause)).toBe('partial, done');
    expect(statusOf([...first, reuse], pause)).toBe('paused');
  });

  it('is ready where a decision of that run cannot be read any more', () => {
    expect(statusOf([...first, reuse], pause, {}, [approval])).toBe('ready');
  });

  it('may be reused further, as often as it holds', () => {
    const graph = unitsOf(pipelineOf({ a: pause }));
    const unit = graph.get('a')!;
    const query = { fingerprint: FINGERPRINT, contract: CONTRACT, runNumber: 3, now: NOW, graph };
    expect(findCheckpoint(unit, openArchive(listing([...first, approval, reuse])), query)).toMatchObject({
      choice: 'usable',
      ended: reuse,
    });
    expect(findCheckpoint(unit, openArchive(listing([...first, reuse])), query).choice).toBe('none');
  });

  it('is not skipped by a skip of another run', () => {
    expect(statusOf([decided({ gate: 'a', decision: 'skip', run: 1 }), started({ gate: 'b', run: 2 })])).toBe('ready');
  });
});

describe('what is missing or unread', () => {
  it('makes a partial output that would do ready again, not blocked', () => {
    const told = { missingContent: lost(contentOf('output of a').digest) };
    const go: Partial<Gate> = {
      contract: { schema: undefined, score: '/s', threshold: 80, partial: 'continue', checks: [] },
    };
    expect(statusOf([ended({ gate: 'a', verdict: PARTIAL })], go, told)).toBe('ready');
    expect(statusOf([ended({ gate: 'a', verdict: PARTIAL })], {}, told)).toBe('partial');
  });

  it('counts each claim once, however often it was met', () => {
    const claim = started({ gate: 'a' });
    expect(fold([claim, claim], {}, {}, [claim, claim]).units.get('a')!.attempts).toBe(1);
    expect(fold([claim], {}, {}, [started({ gate: 'a', n: 2 })]).units.get('a')!.attempts).toBe(2);
  });

  it('may be a decision: a skip does not count where records may be missing from a listing', () => {
    const graph = unitsOf(pipelineOf({ a: {} }));
    const skip = decided({ gate: 'a', decision: 'skip' });
    const outage = { code: 'OUTAGE', where: 'the service', message: 'no answer' } as const;
    const state = foldRun(graph, listing([skip], [outage]), { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW });
    expect(state.units.get('a')!.done).toBe(false);
  });
});

describe('a gate that is called like something that every object has', () => {
  it('may be stood in for by the caller', () => {
    const graph = unitsOf(pipelineOf({ constructor: {}, b: { needs: ['constructor'] } }));
    const state = foldRun(
      graph,
      listing([ended({ gate: 'b', needs: {} })]),
      { pipeline: PIPELINE, subject: SUBJECT },
      { now: NOW },
    );
    expect(state.units.get('b')!.status).toBe('passed');
  });
});
