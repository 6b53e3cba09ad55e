import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECISIONS, decisionOf, reasonOf } from '../../src/action/outputs.ts';
import type { Difference } from '../../src/run/plan/difference.ts';
import type { PlanChoice } from '../../src/run/plan/plan.ts';

const CHOICES: readonly PlanChoice[] = ['keep', 'reuse', 'run', 'wait', 'skip', 'not-applicable', 'depends', 'blocked'];
const KINDS: readonly Difference['what'][] = [
  'file',
  'env',
  'export',
  'command',
  'with',
  'metadata',
  'subject',
  'input',
  'tool',
  'secret',
  'platform',
  'format',
  'matrix',
];

describe('the output reason', () => {
  it('says what changed in numbers', () => {
    const of = (what: Difference['what'], name: string): Difference => ({ what, name, change: 'changed' });
    const differences = [of('file', 'a.ts'), of('file', 'b.ts'), of('with', 'prompt'), of('export', 'plan')];
    expect(reasonOf({ choice: 'run', from: undefined, differences })).toBe(
      'The inputs changed: 1 output of a needed gate, 2 input files and 1 value of with.',
    );
    expect(reasonOf({ choice: 'run', from: undefined, differences: [] })).toBe('No earlier output can be reused.');
    expect(reasonOf({ choice: 'reuse', from: { runNumber: 3, runAttempt: 2, n: 1 }, differences: [] })).toBe(
      'Inputs unchanged, and the earlier output meets the contract: attempt 1 in run 3, run attempt 2.',
    );
  });

  it('is one bounded line without any text from elsewhere, and nothing that a shell would take for its own', () => {
    const difference = fc.record({
      what: fc.constantFrom(...KINDS),
      name: fc.constant('$(touch /tmp/x)\n`id`; @everyone'),
      change: fc.constantFrom('changed' as const, 'added' as const, 'removed' as const),
    });
    fc.assert(
      fc.property(fc.constantFrom(...CHOICES), fc.array(difference, { maxLength: 40 }), (choice, differences) => {
        const reason = reasonOf({
          choice,
          from: { runNumber: 1_000_000_000, runAttempt: 999_999, n: 1_000_000 },
          differences,
        });
        expect(reason).toMatch(/^[A-Z][A-Za-z0-9 ,:]+\.$/);
        expect(reason.length).toBeLessThanOrEqual(400);
        expect(DECISIONS).toContain(decisionOf({ choice }));
      }),
    );
  });
});
