import { describe, expect, it } from 'vitest';
import { handoffOf, handoffText } from '../../../src/run/state/handoff.ts';
import { ended, FAILED, NOT_APPLICABLE, PASSED } from '../../support/records.ts';

describe('the handoff of a run', () => {
  it('does not ask for gates whose condition was false', () => {
    const records = [
      ended({ gate: 'analyze', verdict: PASSED }),
      ended({ gate: 'succeed', verdict: PASSED }),
      ended({ gate: 'fail', verdict: NOT_APPLICABLE }),
    ];
    const handoff = handoffOf(records)!;
    expect(handoff.done.map(({ gate }) => gate)).toEqual(['analyze', 'succeed']);
    expect(handoff.failed).toEqual([]);
    const text = handoffText(handoff);
    expect(text).not.toContain('## Failed');
    expect(text).toContain('every gate that ran has passed');
  });

  it('asks for those that failed', () => {
    const text = handoffText(
      handoffOf([ended({ gate: 'a', verdict: PASSED }), ended({ gate: 'b', verdict: FAILED })])!,
    );
    expect(text).toContain('make b pass');
    expect(text).not.toContain('has passed');
  });
});
