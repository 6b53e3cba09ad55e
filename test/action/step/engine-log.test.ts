import { describe, expect, it } from 'vitest';
import { engineLog } from '../../../src/action/step/engine-log.ts';
import type { Runner } from '../../../src/action/runner.ts';
import type { Verdict } from '../../../src/verdict/verdict.ts';
import { ended, stateOf } from '../../report/fixtures.ts';

/** What the log says of an attempt that ended so. */
async function lineOf(verdict: Verdict, retrying = false): Promise<string> {
  const lines: string[] = [];
  const runner = { info: (line: string) => lines.push(line), saveState: () => undefined } as unknown as Runner;
  const record = ended('data', {}, { verdict });
  const { state } = stateOf([record]);
  await engineLog(runner)({ type: 'ended', unit: 'data', record, state, records: [record], retrying });
  return lines.join('\n');
}

describe('the log of a job', () => {
  it.each([
    ['passed', 'passed', 90, '', 'passed, score 90'],
    ['partial', 'partial', 60, 'Raise the score.', 'partial, score 60. Raise the score.'],
    ['failed', 'check', 100, 'Meet the checks.', 'failed (check). Meet the checks.'],
    ['failed', 'timeout', 0, 'It took too long.', 'failed (timeout). It took too long.'],
  ] as const)('says once how an attempt ended: %s, %s', async (status, kind, score, advice, said) => {
    const verdict = { status, kind, score, issues: [], advice };
    expect(await lineOf(verdict)).toBe(`gate data: attempt 1: ${said}`);
    expect(await lineOf(verdict, true)).toMatch(/ Retrying\.$/);
  });
});
