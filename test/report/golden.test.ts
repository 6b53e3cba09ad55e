import { describe, expect, it } from 'vitest';
import { expectGolden, mayRegenerate } from './golden.ts';
import { failedRun, webTests } from './fixtures.ts';
import { statusTable } from '../../src/report/terminal/status-table.ts';

describe('golden files', () => {
  it('are written on request only, and never in CI', () => {
    expect(mayRegenerate({})).toBe(false);
    expect(mayRegenerate({ CI: 'true' })).toBe(false);
    expect(mayRegenerate({ UPDATE_GOLDEN: '1' })).toBe(true);
    expect(() => mayRegenerate({ UPDATE_GOLDEN: '1', CI: 'true' })).toThrow('not regenerated in CI');
  });

  it('do not stand in for the facts asserted beside them', () => {
    const table = statusTable(failedRun().state, webTests);
    expect(() => expectGolden('status-failed.txt', table, { contains: ['no such thing'] }, {})).toThrow(
      'no such thing',
    );
    expect(() => expectGolden('status-failed.txt', table, { lacks: ['execute'] }, {})).toThrow('execute');
    expect(() => expectGolden('status-failed.txt', `${table} `, {}, {})).toThrow();
  });
});
