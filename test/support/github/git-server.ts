import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { plainEnvironment } from '../command-line.ts';

/** A git server on this machine: git's own, behind HTTP. Ends with `await using`. */
export interface GitServer extends AsyncDisposable {
  /** `http://git.localhost:<port>`; GitHub's clients take such a name for GitHub. */
  readonly origin: string;
  /** One line for each request: `GET info/refs git-upload-pack 200`. */
  readonly requests: readonly string[];
  /** Bytes of all answers of git. */
  sent(): number;
}

/** What a token may do. */
export type Rights = 'write' | 'read' | 'none';

/** Who may do what: the token of a request, `undefined` if it has none. */
export type RightsOf = (token: string | undefined) => Rights;

/**
 * Serves one repository under any name, as GitHub's git server does: a token is the password of `x-access-token`,
 * without reading rights there is no repository, without writing rights a push is refused.
 * @param repository absolute
 */
export async function startGitServer(repository: string, rightsOf: RightsOf): Promise<GitServer> {
  const requests: string[] = [];
  let sent = 0;
  const errors: unknown[] = [];
  const server = createServer((request, response) => {
    answer(request, response, repository, rightsOf)
      .then(({ status, bytes }) => {
        requests.push(`${said(request)} ${status}`);
        sent += bytes;
      })
      .catch((error: unknown) => {
        if (request.complete) errors.push(error);
        response.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://git.localhost:${(server.address() as AddressInfo).port}`,
    requests,
    sent: () => sent,
    [Symbol.asyncDispose]: async () => {
      await stop(server);
      if (errors.length > 0) throw new AggregateError(errors, 'errors inside the git server');
    },
  };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function said({ method, url = '' }: IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return [method, pathname.split('/').slice(3).join('/'), searchParams.get('service')].filter(Boolean).join(' ');
}

interface Answer {
  readonly status: number;
  readonly bytes: number;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  repository: string,
  rightsOf: RightsOf,
): Promise<Answer> {
  const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
  const rights = rightsOf(tokenOf(request));
  const isPush = `${pathname}${search}`.includes('git-receive-pack');
  const status = rights === 'none' ? (request.headers.authorization === undefined ? 401 : 404) : 403;
  if (rights === 'none' || (isPush && rights === 'read')) {
    await buffer(request);
    const ask = status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {};
    response.writeHead(status, { 'content-type': 'text/plain', ...ask });
    response.end(
      status === 403 ? 'Permission to octo/gates.git denied to github-actions[bot].' : 'Repository not found.',
    );
    return { status, bytes: 0 };
  }
  return backend(request, response, repository, pathname.split('/').slice(3).join('/'), search.slice(1));
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const encoded = /^basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return /^x-access-token:(.+)$/.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

/** https://git-scm.com/docs/git-http-backend */
async function backend(
  request: IncomingMessage,
  response: ServerResponse,
  repository: string,
  path: string,
  query: string,
): Promise<Answer> {
  const { headers } = request;
  const isPacked = headers['content-encoding'] === 'gzip';
  const body = await buffer(isPacked ? request.pipe(createGunzip()) : request);
  const settings = ['http.receivepack=true', 'uploadpack.allowFilter=true', 'uploadpack.allowAnySHA1InWant=true'];
  const child = spawn('git', [...settings.flatMap((one) => ['-c', one]), 'http-backend'], {
    env: plainEnvironment({
      GIT_PROJECT_ROOT: repository,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: `/${path}`,
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      REMOTE_USER: 'x-access-token',
      REMOTE_ADDR: '127.0.0.1',
    }),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(body);
  const out = await buffer(child.stdout);
  const end = out.indexOf('\r\n\r\n');
  const fields = out
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line) => line.split(': ', 2) as [string, string]);
  const status = Number(fields.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200);
  response.writeHead(status, Object.fromEntries(fields.filter(([name]) => name !== 'Status')));
  response.end(out.subarray(end + 4));
  return { status, bytes: out.length };
}
