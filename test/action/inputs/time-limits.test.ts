import { describe, expect, it } from 'vitest';
import { DEFAULT_WAIT_LIMITS } from '../../../src/action/inputs/time-limits.ts';
import { timeLimits } from '../../../src/action/inputs/time-limits.ts';
import { DEFAULT_CACHE_LIMITS, DEFAULT_LIMITS } from '../../../src/github/limits.ts';

const OUTAGE = { totalMs: 300_000, cancelledMs: 40_000 };
const ENDING = { shownMs: 300_000, pauseMs: 2_000, longestPauseMs: 15_000 };
const USUAL = {
  artifacts: DEFAULT_LIMITS,
  cache: DEFAULT_CACHE_LIMITS,
  outage: OUTAGE,
  listing: DEFAULT_WAIT_LIMITS,
  ending: ENDING,
  removal: { pauseMs: 400 },
};

function limitsWith(text: string | undefined): { readonly limits: unknown; readonly told: readonly string[] } {
  const told: string[] = [];
  const annotate = (level: string, message: string): void => void told.push(`${level} ${message}`);
  return { limits: timeLimits({ GATELINE_TIME_LIMITS: text }, { annotate }), told };
}

describe('time limits of calls to GitHub', () => {
  it.each([undefined, '', '1', '1.0'])('are the usual ones with %j', (text) => {
    expect(limitsWith(text)).toEqual({ limits: USUAL, told: [] });
  });

  it('are shorter by the share that is given: times, and nothing else', () => {
    const { limits, told } = limitsWith('0.1');
    expect(told).toEqual([]);
    expect(limits).toMatchObject({
      artifacts: { callMs: 1_500, uploadMs: 9_000, pauseMs: 50, tries: DEFAULT_LIMITS.tries },
      cache: { lookupMs: 1_000, keepMs: 6_000, maxBytes: DEFAULT_CACHE_LIMITS.maxBytes },
      outage: { totalMs: 30_000, cancelledMs: 4_000 },
    });
  });

  it.each(['2', '99999', 'Infinity', '0', '-1', 'NaN', '0.001', 'fast', '1e9'])(
    'are never longer, and never none: %s is told, and the usual ones count',
    (text) => {
      const { limits, told } = limitsWith(text);
      expect(limits).toEqual(USUAL);
      expect(told).toEqual([expect.stringMatching(/^warning GATELINE_TIME_LIMITS must be a number from 0\.01 to 1/)]);
    },
  );
});
