import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/github/clock.ts';
import { DEFAULT_CACHE_LIMITS, type CacheLimits } from '../../../../src/github/limits.ts';
import { digestOf } from '../../../../src/json/digest.ts';
import { lookUp } from '../../../../src/store/github/cache/cache-service.ts';

type Outcome = (response: ServerResponse) => void;

const none: Outcome = (response) => void response.end('{"ok":false}');
const status =
  (code: number, headers = {}): Outcome =>
  (response) =>
    void response.writeHead(code, headers).end();
const broken: Outcome = (response) => void response.destroy();

/** What a lookup comes to whose calls come to this, one after the other, and how many were made. */
async function tries(outcomes: readonly Outcome[], limits: Partial<CacheLimits> = {}) {
  let calls = 0;
  const server = createServer((request, response) => {
    const outcome = outcomes[Math.min(calls, outcomes.length - 1)]!;
    calls += 1;
    request.resume().on('end', () => outcome(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const access = {
    resultsUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    runtimeToken: 'token',
    limits: { ...DEFAULT_CACHE_LIMITS, pauseMs: 0, ...limits },
    deadline: systemClock.now() + 60_000,
  };
  const came = await lookUp(access, digestOf('x'), 'gzip').catch((error: Error) => error.message);
  server.closeAllConnections();
  server.close();
  return { came, calls };
}

describe('a call to the cache', () => {
  it.each([
    ['500', status(500)],
    ['429', status(429)],
    ['a broken connection', broken],
  ])('that ends with %s is made again, three times in all', async (_, outcome) => {
    expect(await tries([outcome, outcome, none])).toEqual({ came: undefined, calls: 3 });
    expect(await tries([outcome])).toMatchObject({ came: expect.any(String), calls: 3 });
  });

  it.each([
    ['403', status(403)],
    ['404', status(404)],
    ['429 for a minute', status(429, { 'retry-after': '60' })],
    ['an answer that is too long', (response: ServerResponse) => void response.end('x'.repeat(100_000))],
  ])('that ends with %s is not: nothing would change', async (_, outcome) => {
    expect(await tries([outcome, none])).toMatchObject({ came: expect.any(String), calls: 1 });
  });

  it('is not made again once its time is over, and nobody waits before that is said', async () => {
    const { came, calls } = await tries([status(500), none], { pauseMs: 60_000, longestPauseMs: 60_000 });
    expect({ came, calls }).toEqual({ came: 'the lookup was answered with 500', calls: 1 });
  });
});
