import { describe, expect, it } from 'vitest';
import {
  attemptInRun,
  attemptText,
  numberedAmong,
  runText,
  sourceText,
} from '../../../src/run/records/attempt-text.ts';
import { ended, started } from '../../support/records.ts';

const FIRST = started({ gate: 'a' });
const SECOND = started({ gate: 'a', n: 2 });
const NEXT_CALL = started({ gate: 'a', call: 2 });
const NEXT_RUN = started({ gate: 'a', run: 2 });
const BEGUN = [FIRST, SECOND, NEXT_CALL, NEXT_RUN];

function onGithub(record: typeof FIRST): typeof FIRST {
  return { ...record, by: { ...record.by, runId: '7' } };
}

describe('an attempt on one machine', () => {
  it('is numbered through its run, whatever call it began in', () => {
    expect(BEGUN.map((one) => attemptText(one, BEGUN))).toEqual([
      'attempt 1 (run 1)',
      'attempt 2 (run 1)',
      'attempt 3 (run 1)',
      'attempt 1 (run 2)',
    ]);
    expect(attemptInRun(NEXT_CALL, BEGUN)).toBe('attempt 3');
    expect(runText(NEXT_CALL, NEXT_CALL)).toBe('run 1');
  });

  it('has the next number while its claim is not among those that were read', () => {
    expect(attemptInRun(NEXT_CALL, [FIRST, SECOND])).toBe('attempt 3');
  });
});

describe('an output that was adopted', () => {
  it('has a number of its own, so that the next attempt has another one', () => {
    const adopted = ended({ gate: 'a', call: 2, how: 'adopted' });
    const next = started({ gate: 'a', call: 3 });
    const numbered = numberedAmong([FIRST, next], [ended({ gate: 'a' }), adopted, ended({ gate: 'a', call: 3 })]);
    expect([FIRST, adopted, next].map((one) => attemptInRun(one, numbered))).toEqual([
      'attempt 1',
      'attempt 2',
      'attempt 3',
    ]);
  });

  it('has that of its claim, if it has one', () => {
    const claims = [FIRST, NEXT_CALL];
    expect(numberedAmong(claims, [ended({ gate: 'a', how: 'adopted' })])).toEqual(claims);
  });
});

describe('the origin of a reused output', () => {
  const source = {
    runNumber: 3,
    runAttempt: 1,
    n: 1,
    subject: 'pr-7',
    iteration: 2,
    adopted: { actor: 'maria', reason: 'by hand' },
  };

  it('says which iteration made it and who adopted it', () => {
    expect(sourceText(source, FIRST)).toBe('run 3 of pr-7, iteration 2 (adopted by maria: by hand)');
  });

  it('is unverified on GitHub, where any job can write it', () => {
    expect(sourceText(source, onGithub(FIRST))).toContain('(adopted by maria (unverified): by hand)');
  });
});

describe('an attempt on GitHub', () => {
  it('has the number that its outputs have, and names the run attempt unless it is the first', () => {
    const [first, later] = [onGithub(SECOND), onGithub(NEXT_CALL)];
    expect(attemptText(first, BEGUN)).toBe('attempt 2 (run 1)');
    expect(attemptText(later, BEGUN)).toBe('attempt 1 (run 1, run attempt 2)');
    expect(attemptInRun(later, BEGUN)).toBe('attempt 1 of run attempt 2');
    expect(runText(later, later)).toBe('run 1, run attempt 2');
  });
});
