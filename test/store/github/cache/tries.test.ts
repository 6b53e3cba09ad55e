import { describe, expect, it } from 'vitest';
import { lookUp, type ServiceAccess } from '../../../../src/store/github/cache/cache-service.ts';
import type { HttpAnswer } from '../../../../src/store/github/cache/http-call.ts';
import { DEFAULT_CACHE_LIMITS } from '../../../../src/store/github/cache/limits.ts';
import { Unusable } from '../../../../src/store/github/cache/unusable.ts';
import { digestOf } from '../../../../src/json/digest.ts';

const NONE: HttpAnswer = { status: 200, body: Buffer.from('{"ok":false}') };

/** What a lookup comes to whose calls come to this, one after the other, and how many were made. */
async function tries(outcomes: readonly (HttpAnswer | Error)[], { cancels = false, retryMs = 0 } = {}) {
  const controller = new AbortController();
  let calls = 0;
  const access: ServiceAccess = {
    resultsUrl: 'https://results.example/',
    runtimeToken: 'token',
    limits: { ...DEFAULT_CACHE_LIMITS, retryMs },
    signal: controller.signal,
    http: async () => {
      const outcome = outcomes[Math.min(calls, outcomes.length - 1)]!;
      calls += 1;
      if (cancels) controller.abort();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
  const came = await lookUp(access, digestOf('x'), 'gzip').catch((error: Error) => error.message);
  return { came, calls };
}

const status = (code: number): HttpAnswer => ({ status: code, body: Buffer.alloc(0) });
const broken = new Unusable('the connection failed (ECONNRESET)', { transient: true });

describe('a call to the cache', () => {
  it.each([
    ['500', status(500)],
    ['a broken connection', broken],
  ])('that ends with %s is made again, three times in all', async (_, outcome) => {
    expect(await tries([outcome, outcome, NONE])).toEqual({ came: undefined, calls: 3 });
    expect(await tries([outcome])).toMatchObject({ came: expect.any(String), calls: 3 });
  });

  it.each([
    ['403', status(403)],
    ['404', status(404)],
    ['429', status(429)],
    ['an answer that is too long', new Unusable('the answer has more than 1 MiB')],
  ])('that ends with %s is not: nothing would change', async (_, outcome) => {
    expect(await tries([outcome, NONE])).toMatchObject({ came: expect.any(String), calls: 1 });
  });

  it('is not made again once the time is over, and nobody waits before that is said', async () => {
    const { came, calls } = await tries([status(500), NONE], { cancels: true, retryMs: 60_000 });
    expect({ came, calls }).toEqual({ came: 'the service answered with status 500', calls: 1 });
  });

  it('that fails for another reason is a bug, and not made again', async () => {
    expect(await tries([new TypeError('a bug'), NONE])).toEqual({ came: 'a bug', calls: 1 });
  });
});
