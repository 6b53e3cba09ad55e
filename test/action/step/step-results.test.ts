import { describe, expect, it } from 'vitest';
import { resultOfGate, resultOfRun } from '../../../src/action/step/step-results.ts';
import { GatelineError } from '../../../src/errors/gateline-error.ts';
import type { Gate, Pipeline } from '../../../src/pipeline/pipeline.ts';
import { foldRun } from '../../../src/run/state/fold.ts';
import { plannedUnit } from '../../../src/run/plan/plan.ts';
import type { ReadProblem } from '../../../src/run/records/reading.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import type { RunState, ExternalFacts } from '../../../src/run/state/run-state.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import type { Verdict } from '../../../src/verdict/verdict.ts';
import { gateOf, pipelineOf } from '../../support/pipelines.ts';
import {
  decided,
  ended,
  FAILED,
  ME,
  NOT_APPLICABLE,
  NOW,
  PARTIAL,
  PIPELINE,
  started,
  SUBJECT,
} from '../../support/records.ts';

function stateOf(
  pipeline: Pipeline,
  records: readonly GatelineRecord[],
  problems: readonly ReadProblem[] = [],
  told: Partial<ExternalFacts> = {},
): RunState {
  const identity = { pipeline: PIPELINE, subject: SUBJECT };
  return foldRun(unitsOf(pipeline), { records, problems }, identity, { now: NOW, ...told });
}

function stepOf(records: readonly GatelineRecord[], gate: Partial<Gate> = {}, told: Partial<ExternalFacts> = {}) {
  const pipeline = pipelineOf({ a: gate });
  const unit = unitsOf(pipeline).get('a')!;
  return resultOfGate(plannedUnit(unit, 'run', ''), stateOf(pipeline, records, [], told));
}

function failedWith(kind: Verdict['kind']): GatelineRecord[] {
  return [started({ gate: 'a' }), ended({ gate: 'a', verdict: { ...FAILED, kind } })];
}

const onPartial = (partial: 'block' | 'continue' | 'pause') => ({
  contract: { ...gateOf('a').contract, score: '/s', threshold: 80, partial },
});

describe('the job of a gate is green when later gates may go on, and red with a title of its own otherwise', () => {
  const attempt = (verdict: Verdict) => [started({ gate: 'a' }), ended({ gate: 'a', verdict })];
  it.each<[string, boolean, string, ReturnType<typeof stepOf>]>([
    ['passed', true, 'passed', stepOf([started({ gate: 'a' }), ended({ gate: 'a' })])],
    ['reused', true, 'passed', stepOf([ended({ gate: 'a', how: 'reused' })])],
    ['partial, to continue', true, 'partial', stepOf(attempt(PARTIAL), onPartial('continue'))],
    ['skipped by somebody', true, 'skipped', stepOf([decided({ gate: 'a', decision: 'skip' })])],
    ['not applicable', true, 'not-applicable', stepOf(attempt(NOT_APPLICABLE))],
    ['partial', false, 'Gate failed: the score is below the threshold', stepOf(attempt(PARTIAL), onPartial('block'))],
    ['paused', false, 'Waiting for approval', stepOf(attempt(PARTIAL), onPartial('pause'))],
    ['claimed', false, 'Gate claimed by another job', stepOf([started({ gate: 'a' })])],
    ['blocked', false, 'Gate blocked', stepOf([])],
    [
      'lost',
      false,
      'Gate blocked',
      stepOf(
        [started({ gate: 'a' })],
        {},
        { deadWriters: new Set([[ME.host, ME.boot, ME.pid, ME.pidStart].join('|')]) },
      ),
    ],
    ['failed: shape', false, 'Gate failed: the output does not match the schema', stepOf(failedWith('schema'))],
    ['failed: secret', false, 'Gate failed: a secret is missing', stepOf(failedWith('no-secret'))],
    ['failed: agent', false, 'Gate failed: the agent failed', stepOf(failedWith('agent-error'))],
    ['failed: too large', false, 'Gate failed', stepOf(failedWith('too-large'))],
    ['cancelled', false, 'Gate cancelled', stepOf(failedWith('cancelled'))],
  ])('%s', (_, ok, title, result) => {
    expect(result).toMatchObject({ ok, title });
    expect(result.message).toContain('gate a');
  });
});

describe('the job that is to be required', () => {
  const chain = pipelineOf({ a: {}, b: { needs: ['a'] } });
  const a = ended({ gate: 'a', how: 'reused' });
  const b = ended({ gate: 'b', how: 'reused', needs: { a: a.exports!.digest } });

  it('is green only when every gate is done and every needed job left a satisfied record', () => {
    expect(resultOfRun(stateOf(chain, [a, b]), [])).toMatchObject({ ok: true });
    expect(resultOfRun(stateOf(chain, [a]), [])).toMatchObject({ ok: false, message: 'not done: b' });
    expect(resultOfRun(stateOf(chain, [a, b]), [{ id: 'lint', result: 'skipped' }])).toMatchObject({
      ok: false,
      message: 'needed jobs without a satisfied gate: lint (skipped)',
    });
  });

  it('is red when there are no gates at all', () => {
    expect(resultOfRun(stateOf(pipelineOf({}), []), [])).toMatchObject({ ok: false, title: 'No gates' });
  });

  it('does not say that anything failed, or was not there, where it could not be read', () => {
    const OUTAGE = { code: 'OUTAGE', where: 'artifacts of run 5', message: 'no answer' } as const;
    const names = { gate: 'a', leg: '', runNumber: 1, runAttempt: 1, n: 1, kind: 'ended' };
    const unread = { ...OUTAGE, where: 'a.ended.json', names };
    const title = 'Records could not be read';
    expect(resultOfRun(stateOf(chain, [], [unread]), [])).toMatchObject({
      ok: false,
      title,
      message: 'not done: a, b',
    });
    expect(resultOfRun(stateOf(pipelineOf({}), [], [OUTAGE]), [])).toMatchObject({
      ok: false,
      title,
      message: expect.stringContaining('artifacts of run 5: no answer'),
    });
    const state = stateOf(chain, [], [unread]);
    expect(resultOfRun(state, [{ id: 'c', result: 'skipped' }])).toMatchObject({ title });
    expect(resultOfRun(state, [{ id: 'lint', result: 'failure' }])).toMatchObject({ title: 'Gates failed' });
  });

  it('says that it waits when approvals are all that is missing', () => {
    const waiting = pipelineOf({ a: onPartial('pause') });
    const records = [started({ gate: 'a' }), ended({ gate: 'a', verdict: PARTIAL })];
    expect(resultOfRun(stateOf(waiting, records), [])).toMatchObject({ ok: false, title: 'Waiting for approval' });
    const behind = pipelineOf({ a: onPartial('pause'), b: { needs: ['a'] } });
    const skipped = resultOfRun(stateOf(behind, records), [{ id: 'b', result: 'skipped' }]);
    expect(skipped).toMatchObject({ ok: false, title: 'Waiting for approval' });
    const failed = resultOfRun(stateOf(behind, records), [{ id: 'b', result: 'failure' }]);
    expect(failed).toMatchObject({ ok: false, title: 'Gates failed' });
  });
});

describe('an error that keeps a gate from beginning', () => {
  it('has the title of what it comes to for the gate', () => {
    expect(new GatelineError('GATE_CLAIMED', 'x').title).toBe('Gate claimed by another job');
    expect(new GatelineError('UPSTREAM_NOT_DONE', 'x').title).toBe('Gate blocked');
    expect(new GatelineError('INPUT_INVALID', 'x').title).toBe(undefined);
  });
});
