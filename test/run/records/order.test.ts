import { describe, expect, it } from 'vitest';
import { orderRecords } from '../../../src/run/records/order.ts';
import { ended, FAILED, started } from '../../support/records.ts';

const EARLY = '2026-01-01T00:00:00.000Z';
const LATE = '2026-12-31T00:00:00.000Z';

describe('the order of records', () => {
  it('is by run, call and attempt, never by the clock', () => {
    const records = [
      started({ gate: 'a', run: 1, call: 1, n: 1, at: LATE }),
      started({ gate: 'a', run: 1, call: 1, n: 2, at: EARLY }),
      started({ gate: 'a', run: 1, call: 2, n: 1, at: LATE }),
      started({ gate: 'a', run: 2, call: 1, n: 1, at: EARLY }),
    ];
    expect(orderRecords(records.toReversed()).records).toEqual(records);
  });

  it('puts a claim before what it came to, and failure before success of one attempt', () => {
    const records = [started({ gate: 'a' }), ended({ gate: 'a', verdict: FAILED }), ended({ gate: 'a' })];
    expect(orderRecords(records.toReversed())).toEqual({ records, conflicts: ['a._.1.1.1.ended'] });
  });

  it('holds each record once, also when it was read from differently written bytes', () => {
    const record = started({ gate: 'a' });
    const otherwise = Object.fromEntries(Object.entries(record).toReversed()) as typeof record;
    expect(orderRecords([record, { ...record }, otherwise])).toMatchObject({ records: [record], conflicts: [] });
  });
});
