import { describe, expect, it } from 'vitest';
import { foldRun } from '../../src/run/state/fold.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { pipelineOf } from '../support/pipelines.ts';
import { ended, FAILED, NOT_APPLICABLE, NOW, PIPELINE, started, SUBJECT } from '../support/records.ts';

function attemptsIn(records: Parameters<typeof foldRun>[1]['records']): number {
  const identity = { pipeline: PIPELINE, subject: SUBJECT };
  return foldRun(unitsOf(pipelineOf({ a: {} })), { records, problems: [] }, identity, { now: NOW }).units.get('a')!
    .attempts;
}

describe('the attempts of a gate', () => {
  it('are the times that its agent was asked: not claims under which an output was reused, or nothing applied', () => {
    expect(attemptsIn([started({ gate: 'a' }), ended({ gate: 'a' })])).toBe(1);
    expect(attemptsIn([started({ gate: 'a' }), ended({ gate: 'a', how: 'reused' })])).toBe(0);
    expect(attemptsIn([started({ gate: 'a' }), ended({ gate: 'a', verdict: NOT_APPLICABLE })])).toBe(0);
    expect(
      attemptsIn([
        started({ gate: 'a' }),
        ended({ gate: 'a', verdict: FAILED }),
        started({ gate: 'a', call: 2 }),
        ended({ gate: 'a', call: 2, how: 'reused' }),
        started({ gate: 'a', call: 3 }),
      ]),
    ).toBe(2);
  });
});
