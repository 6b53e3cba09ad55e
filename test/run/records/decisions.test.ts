import { describe, expect, it } from 'vitest';
import {
  actorOf,
  askedAgain,
  latestPosition,
  rulingOn,
  runDecisions,
  skipInForce,
  usedDecision,
  type UnitDecisions,
} from '../../../src/run/records/decisions.ts';
import { digestOf } from '../../../src/json/digest.ts';
import type { DecidedRecord } from '../../../src/run/records/record.ts';
import { LATER } from '../../support/arbitrary-history.ts';
import { decided, ended, FINGERPRINT, NOW } from '../../support/records.ts';

const ATTEMPT = ended({ gate: 'a', call: 2 });
const OTHER = digestOf('other');

function made(
  ...list: [decision: DecidedRecord['decision'], call: number, more?: Partial<DecidedRecord>][]
): UnitDecisions {
  return {
    decided: list.map(([decision, call, more = {}]) => ({ ...decided({ gate: 'a', decision, call }), ...more })),
    unknownAt: undefined,
  };
}

const at = (runAttempt: number, n = 0): UnitDecisions['unknownAt'] => ({ runNumber: 1, runAttempt, n });

describe('the ruling on an attempt', () => {
  const ruling = (decisions: UnitDecisions, attempt = ATTEMPT): string => rulingOn(attempt, decisions, NOW).ruling;

  it('is that it stands where nothing was decided since', () => {
    expect(ruling(made())).toBe('stands');
    expect(ruling(made(['reject', 1], ['force', 2]))).toBe('stands');
  });

  it('names who asked for another attempt, and why if there is a reason', () => {
    const asked = (reason: string): string | undefined =>
      askedAgain(rulingOn(ATTEMPT, made(['force', 3, { actor: 'ada', reason }]), NOW));
    expect(asked('new model')).toBe('ada asked for a new attempt: new model');
    expect(asked('')).toBe('ada asked for a new attempt');
  });

  it.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
    ['force', 'voided'],
    ['rollback', 'voided'],
    ['skip', 'stands'],
  ] as const)('after %s is: %s', (decision, expected) => {
    expect(ruling(made([decision, 3]))).toBe(expected);
  });

  it('is the later one of approve and reject, and neither undoes a force', () => {
    expect(ruling(made(['reject', 3], ['approve', 4]))).toBe('approved');
    expect(ruling(made(['approve', 3], ['reject', 4]))).toBe('rejected');
    expect(ruling(made(['force', 3], ['approve', 4]))).toBe('voided');
  });

  it('names who decided', () => {
    expect(rulingOn(ATTEMPT, made(['reject', 3, { actor: 'ada' }]), NOW)).toMatchObject({ by: { actor: 'ada' } });
  });

  it('leaves out an approval that is over, which uncovers what was before it', () => {
    expect(ruling(made(['approve', 3, { until: NOW }]))).toBe('stands');
    expect(ruling(made(['reject', 3], ['approve', 4, { until: NOW }]))).toBe('rejected');
    expect(ruling(made(['approve', 3, { until: LATER }]))).toBe('approved');
  });

  it('leaves out what is bound to another fingerprint', () => {
    expect(ruling(made(['reject', 3, { fingerprint: OTHER }]))).toBe('stands');
    expect(ruling(made(['reject', 3, { fingerprint: FINGERPRINT }]))).toBe('rejected');
  });

  it('is unknown where a decision since then cannot be read, whatever else was decided', () => {
    expect(ruling({ ...made(['approve', 4]), unknownAt: at(3) })).toBe('unknown');
    expect(ruling({ ...made(), unknownAt: at(2) })).toBe('stands');
  });

  it('on a reused output counts from when it was made', () => {
    const reused = ended({ gate: 'a', call: 4, how: 'reused', source: at(2, 1)! });
    expect(ruling(made(['approve', 3]), reused)).toBe('approved');
    expect(ruling(made(['force', 3]), reused)).toBe('voided');
    expect(ruling(made(['reject', 5]), reused)).toBe('rejected');
    expect(ruling({ ...made(), unknownAt: at(3) }, reused)).toBe('unknown');
  });

  it('on an output that says to be made of a later one counts from its own place', () => {
    expect(ruling(made(['force', 3]), ended({ gate: 'a', call: 2, how: 'reused', source: at(9, 1)! }))).toBe('voided');
  });
});

describe('a skip', () => {
  const inForce = (decisions: UnitDecisions, fingerprint = undefined as typeof FINGERPRINT | undefined): boolean =>
    skipInForce(decisions, fingerprint, NOW) !== undefined;

  it('is in force until another decision but an approval', () => {
    expect(inForce(made(['skip', 1]))).toBe(true);
    expect(inForce(made(['skip', 1], ['approve', 2]))).toBe(true);
    for (const decision of ['force', 'reject', 'rollback'] as const)
      expect(inForce(made(['skip', 1], [decision, 2]))).toBe(false);
    expect(inForce(made(['skip', 1], ['force', 2], ['skip', 3]))).toBe(true);
  });

  it('ends at its time', () => {
    expect(inForce(made(['skip', 1, { until: NOW }]))).toBe(false);
    expect(inForce(made(['skip', 1, { until: LATER }]))).toBe(true);
  });

  it('is not in force where a later decision cannot be read', () => {
    expect(inForce({ ...made(['skip', 2]), unknownAt: at(3) })).toBe(false);
    expect(inForce({ ...made(['skip', 2]), unknownAt: at(1) })).toBe(true);
  });

  it('that is bound to a fingerprint counts for that one, and while none is known', () => {
    const bound = made(['skip', 1, { fingerprint: FINGERPRINT }]);
    expect(inForce(bound, FINGERPRINT)).toBe(true);
    expect(inForce(bound, OTHER)).toBe(false);
    expect(inForce(bound)).toBe(true);
  });
});

describe('a decision whose record anybody in the run may have written', () => {
  const used = (decision: DecidedRecord['decision']): ReturnType<typeof usedDecision> =>
    usedDecision(decided({ gate: 'a', decision }), { unprovenDecisions: true });

  it.each(['approve', 'skip'] as const)('is ignored when it opens a gate: %s', (decision) => {
    expect(used(decision)).toBeUndefined();
    expect(usedDecision(decided({ gate: 'a', decision }), {})).toMatchObject({ decision });
  });

  it('is used if it is one of those that come from elsewhere, and not if it only looks like one', () => {
    const real = decided({ gate: 'a', decision: 'approve' });
    const proven = new Set([real]);
    expect(usedDecision(real, { unprovenDecisions: true, proven })).toBe(real);
    expect(usedDecision({ ...real }, { unprovenDecisions: true, proven })).toBeUndefined();
  });

  it.each(['reject', 'force', 'rollback'] as const)('is used when it closes a gate, without proof: %s', (decision) => {
    expect(used(decision)).toMatchObject({ decision, unverified: true });
    expect(actorOf(used(decision)!)).toBe('somebody (unverified)');
    expect(actorOf(usedDecision(decided({ gate: 'a', decision }), {})!)).toBe('somebody');
  });
});

describe('the latest of positions', () => {
  it('is by run, call and attempt, whatever their order', () => {
    expect(latestPosition([])).toBeUndefined();
    expect(latestPosition([at(2)!, at(3)!, at(1)!])).toEqual(at(3));
  });
});

describe('the decisions about a run', () => {
  const { decided: list } = made(['pin', 1], ['pause', 2], ['unpin', 3], ['resume', 4], ['pin', 5]);

  it('are those made last, in whatever order the records come', () => {
    for (const order of [list, list.toReversed(), [...list.slice(2), ...list.slice(0, 2)]]) {
      const inForce = runDecisions(order);
      expect(inForce.pinned).toBe(list[4]);
      expect(inForce.paused).toBeUndefined();
      expect(inForce.resumed).toBe(list[3]);
    }
    expect(runDecisions(list.slice(0, 4).toReversed()).pinned).toBeUndefined();
  });
});
