import { describe, expect, it } from 'vitest';
import { foldRun } from '../../../src/run/state/fold.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import type { RecordListing } from '../../../src/run/records/reading.ts';
import { writerKey, type RunState, type ExternalFacts } from '../../../src/run/state/run-state.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { digestOf } from '../../../src/json/digest.ts';
import type { Gate, Pipeline } from '../../../src/pipeline/pipeline.ts';
import { pipelineOf } from '../../support/pipelines.ts';
import {
  contentOf,
  decided,
  ended,
  FAILED,
  listing,
  ME,
  NOT_APPLICABLE,
  NOW,
  PARTIAL,
  PASSED,
  PIPELINE,
  started,
  SUBJECT,
  lost,
} from '../../support/records.ts';

const CHAIN = pipelineOf({ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } });
const A = contentOf('output of a').digest;

function fold(
  records: readonly GatelineRecord[],
  told: Partial<ExternalFacts> = {},
  pipeline: Pipeline = CHAIN,
  problems: RecordListing['problems'] = [],
): RunState {
  return foldRun(
    unitsOf(pipeline),
    listing(records, problems),
    { pipeline: PIPELINE, subject: SUBJECT },
    { now: NOW, ...told },
  );
}

function statuses(state: RunState): Record<string, string> {
  return Object.fromEntries(
    [...state.units].map(([key, unit]) => [key, unit.done ? `${unit.status}, done` : unit.status]),
  );
}

const ran = (gate: string, more: Parameters<typeof ended>[0] | object = {}): GatelineRecord[] => [
  started({ gate, ...more }),
  ended({ gate, ...more }),
];

describe('run state', () => {
  it('is initializing without records', () => {
    const state = fold([]);
    expect(state.status).toBe('initializing');
    expect(state.runNumber).toBe(0);
    expect(statuses(state)).toEqual({ a: 'ready', b: 'pending', c: 'pending' });
  });

  it('is completed when every unit is done', () => {
    const state = fold([
      ...ran('a'),
      ...ran('b', { needs: { a: A } }),
      ...ran('c', { needs: { b: contentOf('output of b').digest } }),
    ]);
    expect(statuses(state)).toEqual({ a: 'passed, done', b: 'passed, done', c: 'passed, done' });
    expect(state.status).toBe('completed');
    expect(state.problems).toEqual([]);
  });

  it('does not count an output that was made from other exports than the need has now', () => {
    const state = fold([...ran('a'), ...ran('b', { needs: { a: digestOf('what a said before') } })]);
    expect(statuses(state)).toEqual({ a: 'passed, done', b: 'ready', c: 'pending' });
    expect(state.status).toBe('executing');
  });

  it('blocks what needs a failed gate, and is in error', () => {
    const state = fold(ran('a', { verdict: FAILED }));
    expect(statuses(state)).toEqual({ a: 'failed', b: 'blocked', c: 'blocked' });
    expect(state.status).toBe('error');
    expect(state.units.get('b')!.reason).toContain('a (failed)');
  });

  it('takes the newest run unless told which', () => {
    const records = [...ran('a', { run: 1 }), ...ran('a', { run: 2, verdict: FAILED })];
    expect(fold(records).runNumber).toBe(2);
    const first = foldRun(
      unitsOf(CHAIN),
      listing(records),
      { pipeline: PIPELINE, subject: SUBJECT, runNumber: 1 },
      { now: NOW },
    );
    expect(first.units.get('a')!.status).toBe('passed');
  });

  it('leaves records of other pipelines and subjects alone', () => {
    const foreign = [
      { ...ended({ gate: 'a' }), subject: 'other' },
      { ...ended({ gate: 'a' }), pipeline: 'other' },
    ];
    expect(fold(foreign).status).toBe('initializing');
  });

  it('names records of gates that the pipeline does not have, and goes on', () => {
    expect(fold(ran('gone')).problems).toMatchObject([{ code: 'UNKNOWN_UNIT', unit: 'gone' }]);
  });

  it('believes success over failure of one and the same attempt, and says that there are two', () => {
    const state = fold([started({ gate: 'a' }), ended({ gate: 'a' }), ended({ gate: 'a', verdict: FAILED })]);
    expect(state.units.get('a')!.status).toBe('passed');
    expect(state.problems).toMatchObject([{ code: 'CONFLICTING_RECORDS' }]);
  });
});

describe('a claim', () => {
  it('is running while its process lives, and lost when it is gone', () => {
    const claim = [started({ gate: 'a' })];
    expect(statuses(fold(claim))['a']).toBe('running');
    const state = fold(claim, { deadWriters: new Set([writerKey(ME)]) });
    expect(statuses(state)).toEqual({ a: 'lost', b: 'blocked', c: 'blocked' });
    expect(state.status).toBe('error');
  });

  it('is lost when a later run attempt exists, where attempts exclude each other', () => {
    const claim = [started({ gate: 'a', call: 1 })];
    expect(statuses(fold(claim, { supersededBefore: { runNumber: 1, runAttempt: 1 } }))['a']).toBe('running');
    expect(statuses(fold(claim, { supersededBefore: { runNumber: 1, runAttempt: 2 } }))['a']).toBe('lost');
  });

  it('that is open does not depend on a process, and is lost at its deadline', () => {
    const open = (deadline: string): GatelineRecord[] => [started({ gate: 'a', holder: 'open', deadline })];
    const dead = { deadWriters: new Set([writerKey(ME)]) };
    expect(statuses(fold(open('2026-01-02T03:04:05.679Z'), dead))['a']).toBe('running');
    expect(statuses(fold(open(NOW), dead))['a']).toBe('lost');
  });

  it('does not count an end that names another request or contract than it claimed', () => {
    const state = fold([started({ gate: 'a' }), ended({ gate: 'a', fingerprint: digestOf('other') })]);
    expect(state.units.get('a')!.done).toBe(false);
    expect(state.problems).toMatchObject([{ code: 'CLAIM_MISMATCH', unit: 'a' }]);
    const contract = fold([started({ gate: 'a' }), ended({ gate: 'a', contract: digestOf('other') })]);
    expect(contract.units.get('a')!.done).toBe(false);
  });

  it('is missed when an attempt ended that never started', () => {
    expect(fold([ended({ gate: 'a' })]).problems).toMatchObject([{ code: 'ENDED_WITHOUT_START' }]);
    expect(fold([ended({ gate: 'a', how: 'reused' })]).problems).toEqual([]);
  });
});

describe('partial', () => {
  const withPolicy = (partial: 'block' | 'continue' | 'pause'): Pipeline => {
    const [a, ...rest] = CHAIN.gates;
    return { ...CHAIN, gates: [{ ...a!, contract: { ...a!.contract, threshold: 80, partial } }, ...rest] };
  };
  const records = ran('a', { verdict: PARTIAL });

  it('blocks, continues or pauses as the gate says', () => {
    expect(statuses(fold(records, {}, withPolicy('block')))).toEqual({ a: 'partial', b: 'blocked', c: 'blocked' });
    expect(statuses(fold(records, {}, withPolicy('continue')))).toEqual({
      a: 'partial, done',
      b: 'ready',
      c: 'pending',
    });
    const paused = fold(records, {}, withPolicy('pause'));
    expect(statuses(paused)).toEqual({ a: 'paused', b: 'blocked', c: 'blocked' });
    expect(paused.status).toBe('paused');
  });

  it('is satisfied by an approval that came after it, as long as that lasts', () => {
    const approve = (call: number, until?: string): GatelineRecord =>
      decided({ gate: 'a', decision: 'approve', call, ...(until !== undefined && { until }) });
    expect(statuses(fold([...records, approve(2)], {}, withPolicy('pause')))['a']).toBe('partial, done');
    expect(statuses(fold([...records, approve(0)], {}, withPolicy('pause')))['a']).toBe('paused');
    expect(statuses(fold([...records, approve(2, NOW)], {}, withPolicy('pause')))['a']).toBe('paused');
  });

  it('does not turn a failure by an approval', () => {
    expect(
      statuses(fold([...ran('a', { verdict: FAILED }), decided({ gate: 'a', decision: 'approve', call: 2 })]))['a'],
    ).toBe('failed');
  });
});

describe('a decision', () => {
  it('to reject makes a passed gate failed, until it is approved or ends again', () => {
    const reject = decided({ gate: 'a', decision: 'reject', call: 2 });
    expect(statuses(fold([...ran('a'), reject]))['a']).toBe('failed');
    expect(statuses(fold([...ran('a'), reject, decided({ gate: 'a', decision: 'approve', call: 3 })]))['a']).toBe(
      'passed, done',
    );
    expect(statuses(fold([...ran('a'), reject, ...ran('a', { call: 3 })]))['a']).toBe('passed, done');
  });

  it('bound to a fingerprint leaves other ones alone', () => {
    const reject = decided({ gate: 'a', decision: 'reject', call: 2, fingerprint: digestOf('other') });
    expect(statuses(fold([...ran('a'), reject]))['a']).toBe('passed, done');
  });

  it('to skip satisfies with the supplied output or none, and ends by a later force or its time', () => {
    const skip = decided({ gate: 'a', decision: 'skip' });
    const state = fold([skip]);
    expect(statuses(state)).toEqual({ a: 'skipped, done', b: 'ready', c: 'pending' });
    expect(state.units.get('a')!.exports).toBeNull();
    expect(fold([decided({ gate: 'a', decision: 'skip', exports: contentOf('x') })]).units.get('a')!.exports).toEqual(
      contentOf('x'),
    );
    expect(statuses(fold([skip, decided({ gate: 'a', decision: 'force', call: 2 })]))['a']).toBe('ready');
    expect(statuses(fold([decided({ gate: 'a', decision: 'skip', until: NOW })]))['a']).toBe('ready');
  });

  it('to roll back is the run’s status until something happens after it', () => {
    const records = [...ran('a'), decided({ gate: 'a', decision: 'rollback', call: 2 })];
    // Of one gate only: it runs again.
    expect(fold(records).status).toBe('executing');
    expect(statuses(fold(records))['a']).toBe('ready');
    const whole = [...records, decided({ gate: '-', decision: 'rollback', call: 3 })];
    expect(fold(whole).status).toBe('rollback');
    expect(fold([...whole, started({ gate: 'a', call: 4 })]).status).toBe('executing');
  });

  it('that cannot be read leaves nothing before it usable', () => {
    const problem = {
      code: 'CORRUPT',
      where: 'x',
      message: 'broken',
      names: { gate: 'a', leg: '', runNumber: 1, runAttempt: 2, n: 0, kind: 'decided.force' },
    } as const;
    expect(statuses(fold(ran('a'), {}, CHAIN, [problem]))['a']).toBe('ready');
    const before = { ...problem, names: { ...problem.names, runAttempt: 1 } };
    expect(statuses(fold(ran('a'), {}, CHAIN, [before]))['a']).toBe('passed, done');
  });
});

describe('what cannot be read', () => {
  const names = { gate: 'a', leg: '', runNumber: 1, runAttempt: 1, n: 1, kind: 'started' };
  it('counts as an attempt', () => {
    const state = fold([], {}, CHAIN, [{ code: 'TRUNCATED', where: 'x', message: 'cut', names }]);
    expect(state.units.get('a')!.attempts).toBe(1);
    expect(state.runNumber).toBe(1);
    expect(state.problems).toMatchObject([{ code: 'UNREADABLE_RECORD', unit: 'a' }]);
  });

  it('makes a gate ready again rather than done or running', () => {
    const problem = { code: 'CORRUPT', where: 'x', message: 'cut', names: { ...names, kind: 'ended' } } as const;
    expect(statuses(fold([started({ gate: 'a' })], {}, CHAIN, [problem]))['a']).toBe('ready');
  });

  it.each([
    ['ended', 1, [started({ gate: 'a' })], 'the result of attempt 1 could not be read: x: cut'],
    ['started', 1, [], 'the claim of attempt 1 could not be read: x: cut'],
    ['decided.reject', 2, ran('a'), 'a decision about it could not be read: x: cut'],
  ])('is what is said of the gate, and the run has gone wrong: %s', (kind, runAttempt, records, reason) => {
    const problem = { code: 'CORRUPT', where: 'x', message: 'cut', names: { ...names, runAttempt, kind } } as const;
    const state = fold(records, {}, CHAIN, [problem]);
    expect(state.units.get('a')).toMatchObject({ status: 'ready', reason, unread: reason });
    expect(state.status).toBe('error');
  });

  it('is of no account once a later attempt is known', () => {
    const problem = { code: 'CORRUPT', where: 'x', message: 'cut', names: { ...names, kind: 'ended' } } as const;
    const state = fold(ran('a', { n: 2 }), {}, CHAIN, [problem]);
    expect(state.units.get('a')).toMatchObject({ status: 'passed', done: true });
    expect(state.units.get('a')).not.toHaveProperty('unread');
  });

  it('is said to be unknown where the listing failed', () => {
    const state = fold([], {}, CHAIN, [{ code: 'OUTAGE', where: 'artifacts', message: 'down' }]);
    expect(state.units.get('a')!.reason).toBe('it may have left a record: artifacts: down');
    expect(state.status).toBe('error');
    expect(fold([], {}, CHAIN).status).toBe('initializing');
  });

  it('when it may be anything, nothing is done', () => {
    expect(statuses(fold(ran('a'), {}, CHAIN, [{ code: 'OUTAGE', where: 'x', message: 'down' }]))['a']).not.toContain(
      'done',
    );
    expect(statuses(fold(ran('a'), {}, CHAIN, [{ code: 'CORRUPT', where: 'garbage', message: 'not ours' }]))['a']).toBe(
      'passed, done',
    );
  });
});

describe('an output', () => {
  it('that is missing or altered is never done', () => {
    const state = fold(ran('a'), { missingContent: lost(contentOf('output of a').digest) });
    expect(statuses(state)['a']).toBe('ready');
    expect(state.problems).toMatchObject([{ code: 'OUTPUT_MISSING' }]);
  });

  it.each([
    ['CONTENT_ALTERED', 'its output was altered', undefined],
    ['OUTAGE', 'its output could not be read: down', 'its output could not be read: down'],
  ] as const)('is called what it is: %s', (code, reason, unread) => {
    const problem = { code, where: 'x', message: 'down' };
    const state = fold(ran('a'), { missingContent: new Map([[contentOf('output of a').digest, problem]]) });
    expect(state.units.get('a')!.reason).toBe(reason);
    expect(state.units.get('a')!.unread).toBe(unread);
  });

  it('for another fingerprint than the present one does not count', () => {
    const told = { fingerprints: new Map([['a', digestOf('new')]]) };
    expect(statuses(fold(ran('a'), told))['a']).toBe('ready');
    expect(statuses(fold(ran('a', { verdict: FAILED }), told))['a']).toBe('ready');
  });

  it('of a gate whose condition was false satisfies what needs it, with nothing to give', () => {
    const state = fold([ended({ gate: 'a', verdict: NOT_APPLICABLE })]);
    expect(statuses(state)).toEqual({ a: 'not-applicable, done', b: 'ready', c: 'pending' });
    expect(state.units.get('a')!.exports).toBeNull();
    expect(state.problems).toEqual([]);
  });

  it('that stands alone, with a need that the caller stood in for, passes but is not done', () => {
    const state = fold(ran('b', { needs: {} }));
    expect(statuses(state)).toEqual({ a: 'ready', b: 'passed', c: 'pending' });
    expect(statuses(fold([...ran('b', { needs: {} }), ...ran('a')]))['b']).toBe('ready');
  });
});

describe('decisions whose records anybody in the run may have written', () => {
  const unproven = (records: readonly GatelineRecord[], gate: Partial<Gate> = {}): RunState =>
    foldRun(
      unitsOf(pipelineOf({ a: gate })),
      { ...listing(records), unprovenDecisions: true },
      { pipeline: PIPELINE, subject: SUBJECT },
      { now: NOW },
    );
  const contract = { schema: undefined, score: '/score', threshold: 80, partial: 'pause' as const, checks: [] };
  const pausing = { contract };

  it('open no gate, and are named', () => {
    const skipped = unproven([decided({ gate: 'a', decision: 'skip', call: 2 })]);
    expect(statuses(skipped)).toEqual({ a: 'ready' });
    const message = 'skip of a, in the name of somebody, is ignored: every job of the run can write such a record';
    expect(skipped.problems).toEqual([{ code: 'DECISION_IGNORED', message, unit: 'a' }]);
    const paused = [...ran('a', { verdict: PARTIAL }), decided({ gate: 'a', decision: 'approve', call: 2 })];
    expect(statuses(unproven(paused, pausing))).toEqual({ a: 'paused' });
    expect(statuses(fold(paused, {}, pipelineOf({ a: pausing })))).toEqual({ a: 'partial, done' });
  });

  it('do not take back what closes a gate', () => {
    const approved = [
      ...ran('a'),
      decided({ gate: 'a', decision: 'reject', call: 2 }),
      decided({ gate: 'a', decision: 'approve', call: 3 }),
    ];
    expect(unproven(approved).units.get('a')).toMatchObject({
      status: 'failed',
      reason: 'rejected by somebody (unverified): because',
    });
  });

  it('close a gate, and are named', () => {
    for (const decision of ['reject', 'force', 'rollback'] as const) {
      const state = unproven([...ran('a'), decided({ gate: 'a', decision, call: 2 })]);
      expect(state.units.get('a')!.done).toBe(false);
      expect(state.problems).toMatchObject([{ code: 'DECISION_UNVERIFIED', unit: 'a' }]);
    }
  });

  it('of an earlier run open and close as those of this one', () => {
    const reused = { how: 'reused' as const, run: 2, source: { runNumber: 1, runAttempt: 1, n: 1 } };
    const records = (decision: 'approve' | 'reject'): GatelineRecord[] => [
      decided({ gate: 'a', decision, run: 1, call: 2 }),
      ...ran('a', { ...reused, verdict: decision === 'approve' ? PARTIAL : PASSED }),
    ];
    expect(statuses(unproven(records('approve'), pausing))).toEqual({ a: 'paused' });
    expect(statuses(unproven(records('reject')))).toEqual({ a: 'failed' });
  });
});

describe('an approval for another commit', () => {
  const at = (commit: string): Pipeline => {
    const about = { commit, authors: [] };
    return pipelineOf({ a: { approval: { by: [], notAuthor: false, perCommit: true, about } } });
  };
  const approve: GatelineRecord = { ...decided({ gate: 'a', decision: 'approve', call: 2 }), commit: '1'.repeat(40) };
  const records = [started({ gate: 'a' }), ended({ gate: 'a' }), approve];
  const status = (commit: string, more: Partial<RecordListing> = {}): string =>
    foldRun(
      unitsOf(at(commit)),
      { ...listing(records), ...more },
      { pipeline: PIPELINE, subject: SUBJECT },
      { now: NOW },
    ).status;

  it('leaves a run completed that was completed then, but not a CI run, which has one commit', () => {
    expect(status('1'.repeat(40))).toBe('completed');
    expect(status('2'.repeat(40))).toBe('completed');
    const proven = { unprovenDecisions: true, proven: new Set([approve]) } as const;
    expect(status('1'.repeat(40), proven)).toBe('completed');
    expect(status('2'.repeat(40), proven)).toBe('paused');
  });
});
