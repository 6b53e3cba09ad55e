import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createRestClient, type RestClient } from '../../../src/github/rest/rest.ts';
import { recordedClock } from '../../support/github/rest-client.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, origin: string) => void;

/** A host, and what it was asked for: path and token. */
async function host(handle: Handler): Promise<{ origin: string; seen: string[] } & AsyncDisposable> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no token'}`);
    request.resume().on('end', () => handle(request, response, origin));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function clientOf(apiUrl: string, limits = {}): RestClient {
  const repository = 'octo/gates';
  return createRestClient({ apiUrl, token: 'ghs_x', repository, clock: recordedClock(), random: () => 0.5, limits });
}

const moved = (response: ServerResponse, status: number, location: string) =>
  void response.writeHead(status, { location }).end();
const schema = z.object({ ok: z.boolean() });

it.each([
  ['GET', 301],
  ['POST', 307],
] as const)('of a repository that was renamed are followed, with the token: %s', async (method, status) => {
  await using api = await host((request, response) =>
    request.url === '/new' ? response.end('{"ok":true}') : moved(response, status, '/new'),
  );
  expect(await clientOf(api.origin).call({ method, path: '/old' }, schema)).toEqual({ ok: true });
  expect(api.seen).toEqual([`${method} /old token ghs_x`, `${method} /new token ghs_x`]);
});

it('to another host are not followed, and not without end', async () => {
  await using other = await host((_, response) => response.end('{"ok":true}'));
  await using api = await host((request, response, origin) =>
    moved(response, 301, request.url === '/away' ? `${other.origin}/` : `${origin}/round`),
  );
  for (const path of ['/away', '/round']) {
    const asked = clientOf(api.origin).call({ method: 'GET', path }, schema);
    await expect(asked).rejects.toMatchObject({ code: 'REST_REFUSED' });
  }
  expect(other.seen).toEqual([]);
  expect(api.seen).toHaveLength(4);
});

it('to a download take no token along, not even on the same host', async () => {
  await using api = await host((request, response, origin) =>
    request.url === '/blob' ? response.end('bytes') : moved(response, 302, `${origin}/blob`),
  );
  expect(Buffer.from(await clientOf(api.origin).download('/zip', 10)).toString()).toBe('bytes');
  expect(api.seen).toEqual(['GET /zip token ghs_x', 'GET /blob no token']);
  await expect(clientOf(api.origin).download('/zip', 4)).rejects.toMatchObject({ code: 'REST_ANSWER_INVALID' });
});

it('to a download whose address is over are asked for anew', async () => {
  let asked = 0;
  await using api = await host((request, response, origin) => {
    if (request.url === '/zip') return moved(response, 302, `${origin}/blob?sig=secret`);
    asked += 1;
    return void response.writeHead(asked < 3 ? 403 : 200).end('bytes');
  });
  expect(Buffer.from(await clientOf(api.origin).download('/zip', 10)).toString()).toBe('bytes');
  asked = -10;
  const error = await clientOf(api.origin)
    .download('/zip', 10)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'REST_OUTAGE', message: expect.not.stringContaining('secret') });
});

it('to what is no http address lead nowhere', async () => {
  await using api = await host((_, response) => moved(response, 302, 'file:///etc/passwd'));
  await expect(clientOf(api.origin).download('/zip', 10)).rejects.toMatchObject({ code: 'REST_REFUSED' });
});

it('and refusals are read up to a bound', async () => {
  await using api = await host((_, response) => void response.writeHead(404).end('x'.repeat(100_000)));
  const asked = clientOf(api.origin, { answerBytes: 1_000 }).call({ method: 'GET', path: '/' }, schema);
  await expect(asked).rejects.toMatchObject({ code: 'REST_NOT_FOUND' });
});
