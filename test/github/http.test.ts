import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { refusal, within } from '../../src/github/call-failure.ts';
import { bytesOf, send } from '../../src/github/http.ts';

/** A server that answers as no service should. */
async function serve(listener: RequestListener): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?sig=secret`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const request = { what: 'a call', method: 'GET', limit: 30_000, maxBytes: 1_000 } as const;

it('gives up an answer that stops in the middle', async () => {
  await using server = await serve((_, response) => void response.write('half'));
  const answer = await send({ ...request, url: server.url, limit: 300, idle: 30_000 });
  const failure = await bytesOf(answer.body).catch((error: unknown) => error);
  expect(failure).toMatchObject({ passing: true, message: 'a call was not answered in full within 0.3 s' });
});

it('gives up an answer that drips for ever', async () => {
  await using server = await serve((_, response) => {
    const drip = setInterval(() => response.write('.'), 5);
    response.on('close', () => clearInterval(drip));
  });
  const answer = await send({ ...request, url: server.url, limit: 300 });
  await expect(bytesOf(answer.body)).rejects.toMatchObject({ passing: true, kind: 'outage' });
});

it('reads no more than it was asked to', async () => {
  await using server = await serve((_, response) => void response.end('x'.repeat(100_000)));
  const failure = await bytesOf((await send({ ...request, url: server.url })).body).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    passing: false,
    kind: 'too-large',
    message: 'a call was answered with more than 1,000 bytes',
  });
});

it('follows no redirect', async () => {
  await using server = await serve((_, response) => void response.writeHead(302, { location: '/elsewhere' }).end());
  expect((await send({ ...request, url: server.url })).status).toBe(302);
});

it('names no address when there is nobody', async () => {
  const gone = async () => {
    await using server = await serve((_, response) => void response.end());
    return server.url;
  };
  const failure = await send({ ...request, url: await gone() }).catch((error: Error) => error.message);
  expect(failure).toMatch(/^a call failed: E[A-Z]+$/);
});

it('names no address when the client gives up, whose own words hold it', async () => {
  await using server = await serve(() => undefined);
  const failure = await send({ ...request, url: server.url, idle: 50 }).catch((error: Error) => error.message);
  expect(failure).toBe('a call failed: there was no answer');
});

it('asks over http and https by turns', async () => {
  await using server = await serve((_, response) => void response.end());
  const secure = server.url.replace('http:', 'https:');
  await expect(send({ ...request, url: secure })).rejects.toMatchObject({
    message: expect.not.stringMatching(/PROTOCOL/),
  });
  expect((await send({ ...request, url: server.url })).status).toBe(200);
});

it('tells what passes from what is final', () => {
  const passes = (status: number, headers = {}) => refusal('a call', { status, headers }).passing;
  expect([408, 429, 500, 502, 503, 504].map((status) => passes(status))).toEqual(Array(6).fill(true));
  expect([400, 401, 403, 404, 409, 410, 416].map((status) => passes(status))).toEqual(Array(7).fill(false));
  expect(passes(403, { 'x-ratelimit-remaining': '0' })).toBe(true);
  expect(passes(403, { 'retry-after': '60' })).toBe(true);
  expect(passes(403, { 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' })).toBe(true);
  expect(passes(403, { 'retry-after': 'soon' })).toBe(true);
});

it('reads how long to wait, in seconds or as a date', () => {
  const after = (header: string) => refusal('a call', { status: 429, headers: { 'retry-after': header } }).after;
  expect(after('7')).toBe(7_000);
  expect(after('0')).toBe(0);
  expect(after(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(50_000);
  expect(after(new Date(Date.now() - 60_000).toUTCString())).toBe(0);
  expect(after('soon')).toBeUndefined();
  expect(after('-5')).toBe(0);
});

it('knows when a spent limit ends, and asks nobody again where that is not said', () => {
  const after = (headers: Record<string, string>) => refusal('a call', { status: 403, headers }).after;
  const inAMinute = String(Math.floor(Date.now() / 1_000) + 60);
  expect(after({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inAMinute })).toBeGreaterThan(50_000);
  expect(after({ 'x-ratelimit-remaining': '0' })).toBe(Infinity);
  expect(after({ 'retry-after': 'soon' })).toBe(Infinity);
});

it('keeps the process alive while it waits, so that silence is never taken for success', async () => {
  const never = new Promise<never>(() => undefined);
  await expect(within(50, 'nothing', () => never)).rejects.toMatchObject({
    passing: true,
    message: 'nothing did not answer within 0.05 s',
  });
  expect(await within(30_000, 'something', async () => 1)).toBe(1);
});
