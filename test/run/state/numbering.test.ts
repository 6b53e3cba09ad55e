import { describe, expect, it } from 'vitest';
import { newestRun } from '../../../src/run/state/fold.ts';
import { nextAttempt, numberCall } from '../../../src/run/state/numbering.ts';
import { comparePositions, recordName } from '../../../src/run/records/record.ts';
import { asProblem } from '../../support/driven-history.ts';
import { runDecisions } from '../../../src/run/records/decisions.ts';
import { decided, ended, listing, started } from '../../support/records.ts';

describe('a call', () => {
  const decided = runDecisions([]);
  const latest = { runNumber: 3, runAttempt: 2, decided } as const;

  it.each(['executing', 'paused', 'error', 'initializing'] as const)('goes on with a run that is %s', (status) => {
    expect(numberCall({ ...latest, status })).toEqual({ runNumber: 3, runAttempt: 3, continues: true });
  });

  it.each(['completed', 'rollback'] as const)('begins another run after one that is %s', (status) => {
    expect(numberCall({ ...latest, status })).toEqual({ runNumber: 4, runAttempt: 1, continues: false });
  });

  it('begins the first run where there is none', () => {
    expect(numberCall({ runNumber: 0, runAttempt: 0, status: 'initializing', decided })).toEqual({
      runNumber: 1,
      runAttempt: 1,
      continues: false,
    });
  });
});

describe('the number of the next attempt', () => {
  const call = { runNumber: 1, runAttempt: 2 };
  const next = (...records: Parameters<typeof listing>[0]): number => nextAttempt(listing(records), call, 'a');

  it('is 1 at first, also after attempts of other calls, runs, gates and legs, and after decisions', () => {
    expect(next()).toBe(1);
    expect(next(started({ gate: 'a', call: 1, n: 5 }), started({ gate: 'a', run: 2, call: 2, n: 5 }))).toBe(1);
    expect(next(started({ gate: 'b', call: 2, n: 5 }), started({ gate: 'a', leg: 'x', call: 2, n: 5 }))).toBe(1);
    expect(next(decided({ gate: 'a', decision: 'force', call: 2 }))).toBe(1);
  });

  it('is past every claim and every end, in whatever order they come', () => {
    expect(next(ended({ gate: 'a', call: 2, n: 3 }), started({ gate: 'a', call: 2, n: 2 }))).toBe(4);
    expect(next(started({ gate: 'a', call: 2, n: 7 }))).toBe(8);
  });

  it('is past what cannot be read', () => {
    const unreadable = [
      started({ gate: 'a', call: 2, n: 4 }),
      started({ gate: 'a', call: 1, n: 9 }),
      started({ gate: 'b', call: 2, n: 9 }),
    ];
    const nameless = { code: 'CORRUPT', where: 'garbage', message: 'no' } as const;
    expect(nextAttempt(listing([], [...unreadable.map(asProblem), nameless]), call, 'a')).toBe(5);
  });

  it('is for one leg', () => {
    expect(nextAttempt(listing([started({ gate: 'a', leg: 'x', call: 2, n: 1 })]), call, 'a/x')).toBe(2);
  });
});

describe('the newest run', () => {
  it('is the one with the highest number, among what cannot be read too', () => {
    expect(newestRun([], [])).toBe(0);
    expect(newestRun([started({ gate: 'a', run: 2 }), started({ gate: 'a', run: 1 })], [])).toBe(2);
    expect(newestRun([started({ gate: 'a', run: 2 })], [asProblem(started({ gate: 'gone', run: 5 }))])).toBe(5);
  });
});

describe('the name of a record', () => {
  it('is the same for every claim of one attempt, whatever it claims', () => {
    const one = started({ gate: 'a', n: 2, needs: { x: null } });
    const two = { ...started({ gate: 'a', n: 2, holder: 'open' }), at: '2027-01-01T00:00:00.000Z' };
    expect(recordName(one)).toBe('a._.1.1.2.started');
    expect(recordName(two)).toBe(recordName(one));
  });

  it('tells kinds, decisions, legs and places apart', () => {
    const names = [
      started({ gate: 'a' }),
      ended({ gate: 'a' }),
      decided({ gate: 'a', decision: 'skip' }),
      decided({ gate: 'a', decision: 'force' }),
      started({ gate: 'a', leg: 'x' }),
      started({ gate: 'a', run: 2 }),
      started({ gate: 'a', call: 2 }),
      started({ gate: 'a', n: 2 }),
      started({ gate: 'b' }),
    ].map(recordName);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the order of positions', () => {
  it('is by run, then call, then attempt', () => {
    const sorted = [
      [1, 1, 1],
      [1, 1, 2],
      [1, 2, 0],
      [1, 10, 1],
      [2, 1, 1],
    ].map(([runNumber, runAttempt, n]) => ({ runNumber: runNumber!, runAttempt: runAttempt!, n: n! }));
    expect(sorted.toReversed().sort(comparePositions)).toEqual(sorted);
  });
});
