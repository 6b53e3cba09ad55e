import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TIME_LIMITS, twoGates, type TwoGates } from '../faults/two-gates.ts';
import { messagesOf } from '../gate-jobs.ts';
import { Forger, withValue } from './forgery.ts';

// What docs/security.md says that nobody sees, so that the page says no less than is true.

let gates: TwoGates;
beforeAll(async () => {
  gates = await twoGates('here');
});
afterAll(() => gates[Symbol.asyncDispose]());

describe('what is not seen of somebody who has the token of the run', () => {
  it('an output that is replaced with everything that goes with it, where no digest comes by the outputs of its job', async () => {
    await using jobs = await gates.jobs.fork('consistent');
    new Forger(jobs).replaceEnd((document) => withValue(document, { score: 90, steps: ['evil'] }));
    const report = await jobs.run('code', { needs: { plan: {} }, machine: TIME_LIMITS });
    expect([report.conclusion, messagesOf(report)]).toEqual(['success', []]);
    const values = jobs.records().flatMap((one) => (one.kind === 'ended' && one.gate === 'code' ? [one] : []));
    expect(values).toHaveLength(1);
  });
});
