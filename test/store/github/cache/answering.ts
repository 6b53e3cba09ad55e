import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers every request alike, as a service would that somebody else has in hand. */
export interface Answering extends AsyncDisposable {
  readonly origin: string;
  /** Path and headers of all requests. */
  readonly seen: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
}

/** @param bodyFor what it answers; objects as JSON */
export async function answering(
  bodyFor: (path: string, origin: string) => object | string | Buffer,
): Promise<Answering> {
  const seen: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers });
    const body = bodyFor(path, origin);
    request
      .resume()
      .on('end', () => response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    seen,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
