import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedTries, OutageBudget, timeUntil } from '../../src/github/outage-budget.ts';
import { pauseAfter, retry, type RetryOptions, type RetryRules } from '../../src/github/retry.ts';
import { recordedClock } from '../support/github/rest-client.ts';

const RULES: RetryRules = {
  pauseMs: 500,
  longestPauseMs: 15_000,
  longestAfterMs: Infinity,
  tries: Infinity,
  shortestTryMs: 5_000,
};

class Failed extends Error {
  readonly passing: boolean;
  readonly after: number | undefined;

  constructor({ passing = true, after }: { passing?: boolean; after?: number } = {}) {
    super('a call was answered with 503');
    this.passing = passing;
    this.after = after;
  }
}

/** Options whose clock takes no time, and no jitter. */
function options(more: Partial<Omit<RetryOptions<Failed>, 'clock'>> = {}, clock = recordedClock()) {
  const budget = new OutageBudget({ clock, totalMs: 300_000 });
  const failureOf = (error: unknown) => (error instanceof Failed ? error : undefined);
  return { rules: RULES, budget, clock, random: () => 0.5, failureOf, ...more };
}

/** Fails so many times, then answers. */
function failing(times: number, failure = new Failed()) {
  let calls = 0;
  return {
    calls: () => calls,
    call: async () => {
      calls += 1;
      if (calls <= times) throw failure;
      return 'answer';
    },
  };
}

describe('a call that fails', () => {
  it('is made again after growing pauses, up to the longest one', async () => {
    const given = options();
    const { call } = failing(8);
    expect(await retry(call, given)).toEqual({ ok: true, value: 'answer' });
    expect(given.clock.pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('goes on from the pauses of tries before it', async () => {
    const given = options({ earlier: 3 });
    await retry(failing(2).call, given);
    expect(given.clock.pauses).toEqual([4_000, 8_000]);
  });

  it('is not made again where that would not help', async () => {
    const given = options();
    const { call, calls } = failing(1, new Failed({ passing: false }));
    expect(await retry(call, given)).toMatchObject({ ok: false, failure: { passing: false } });
    expect([calls(), given.clock.pauses]).toEqual([1, []]);
  });

  it('is made again no sooner than the service says', async () => {
    const given = options();
    expect(await retry(failing(2, new Failed({ after: 40_000 })).call, given)).toMatchObject({ ok: true });
    expect(given.clock.pauses).toEqual([40_250, 40_250]);
  });

  it('is given up before a pause that lasts until the end, where no try begins after it', async () => {
    const clock = recordedClock();
    const given = options({ rules: { ...RULES, shortestTryMs: 0 }, budget: timeUntil(900, clock) }, clock);
    const { call, calls } = failing(Infinity);
    expect(await retry(call, given)).toMatchObject({ ok: false });
    expect([calls(), clock.pauses]).toEqual([2, [500]]);
  });

  it('is given up where the service says to wait for longer than anybody may', async () => {
    for (const more of [{}, { rules: { ...RULES, longestAfterMs: 10_000 } }]) {
      const given = options(more);
      const after = 'rules' in more ? 10_001 : 300_001;
      expect(await retry(failing(1, new Failed({ after })).call, given)).toMatchObject({ ok: false });
      expect(given.clock.pauses).toEqual([]);
    }
  });

  it('is tried until the time is over, and once more then', async () => {
    const given = options();
    const { call, calls } = failing(Infinity);
    expect(await retry(call, given)).toMatchObject({ ok: false, failure: { message: 'a call was answered with 503' } });
    const waited = given.clock.pauses.reduce((sum, pause) => sum + pause, 0);
    expect(waited).toBeGreaterThan(299_000);
    expect(waited).toBeLessThanOrEqual(300_000);
    expect(calls()).toBe(given.clock.pauses.length + 1);
    expect(given.budget.left()).toBe(0);
    // A later call has one try.
    const late = failing(1);
    expect(await retry(late.call, given)).toMatchObject({ ok: false });
    expect(late.calls()).toBe(1);
  });

  it('is tried as often as its rules say, and all calls together as often as theirs', async () => {
    const budget = countedTries(3);
    const given = options({ rules: { ...RULES, tries: 3 }, budget });
    const counts: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { call, calls } = failing(Infinity);
      await retry(call, given);
      counts.push(calls());
    }
    expect(counts).toEqual([3, 2, 1]);
  });

  it('tells each pause before it begins', async () => {
    const told: number[] = [];
    const clock = recordedClock();
    await retry(failing(2).call, options({ tell: (_, pause) => told.push(pause, clock.pauses.length) }, clock));
    expect(told).toEqual([500, 0, 1_000, 1]);
  });

  it('with an error that says nothing of a call is a bug, and thrown', async () => {
    const bug = new TypeError('a bug');
    await expect(retry(() => Promise.reject(bug), options())).rejects.toBe(bug);
  });
});

describe('a call that never answers', () => {
  it('is given up when nobody may wait any more, and after the shortest try where that is over', async () => {
    for (const [atMostMs, least] of [
      [30, 1],
      [0, 30],
    ] as const) {
      const clock = recordedClock();
      const budget = new OutageBudget({ clock, totalMs: 300_000, atMostMs });
      const given = options({ budget, rules: { ...RULES, shortestTryMs: least } }, clock);
      const came = await retry(() => new Promise<never>(() => undefined), given);
      expect(came).toMatchObject({
        ok: false,
        failure: { passing: true, message: expect.stringMatching(/^no answer within (?:30|29) ms$/) },
      });
    }
  });
});

describe('a cancelled job', () => {
  it('ends a pause at once', async () => {
    const controller = new AbortController();
    const clock = { ...recordedClock(), sleep: async () => controller.abort() };
    const { call, calls } = failing(Infinity);
    const came = await retry(call, options({ signal: controller.signal }, clock));
    expect(came).toMatchObject({ ok: false, failure: { message: 'a call was answered with 503' } });
    expect(calls()).toBe(1);
  });

  it('ends a further try at once, whatever becomes of it', async () => {
    const controller = new AbortController();
    let calls = 0;
    const call = async (): Promise<never> => {
      calls += 1;
      if (calls === 1) throw new Failed();
      controller.abort();
      return new Promise<never>(() => undefined);
    };
    const came = await retry(call, options({ signal: controller.signal }));
    expect(came).toMatchObject({ ok: false, failure: { message: 'a call was answered with 503' } });
  });

  it('leaves a first try the time to end well, and no second one', async () => {
    const controller = new AbortController();
    const slow = async () => {
      controller.abort();
      await new Promise((resolve) => void setTimeout(resolve, 20));
      return 'answer';
    };
    expect(await retry(slow, options({ signal: controller.signal }))).toEqual({ ok: true, value: 'answer' });
    // It begins after that.
    const { call, calls } = failing(1);
    expect(await retry(call, options({ signal: controller.signal }))).toMatchObject({ ok: false });
    expect(calls()).toBe(1);
    const rules = { ...RULES, shortestTryMs: 20 };
    const came = await retry(() => new Promise<never>(() => undefined), options({ signal: controller.signal, rules }));
    expect(came).toMatchObject({ ok: false, failure: { message: expect.stringContaining('cancelled') } });
  });
});

it('pauses differ, are never longer than what is left, and never shorter than the service says', () => {
  const upTo = (max: number) => fc.double({ min: 0, max, noNaN: true });
  fc.assert(
    fc.property(
      fc.record({ after: fc.option(upTo(600_000), { nil: undefined }), passing: fc.boolean() }),
      fc.integer({ min: 1, max: 60 }),
      upTo(300_000),
      upTo(0.999),
      (failure, tried, left, random) => {
        const pause = pauseAfter(failure, tried, RULES, left, () => random);
        const { after = 0 } = failure;
        if (!failure.passing || left === 0 || after > left) return pause === undefined;
        return pause !== undefined && pause <= left && pause >= after && (after > 0 || pause <= 22_500);
      },
    ),
  );
  const pauses = Array.from({ length: 50 }, () => pauseAfter({ passing: true }, 3, RULES, 300_000, Math.random));
  expect(new Set(pauses).size).toBeGreaterThan(40);
});
