import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ARTIFACT_METHODS } from './artifacts.ts';
import { routeBlob } from './blobs.ts';
import { CACHE_METHODS } from './caches.ts';
import { faultReply, takeFault, type Call } from './faults.ts';
import type { Github } from './github.ts';
import { Refusal, errorReply, json, type Operation, type Reply, type Request } from './http.ts';
import { routeRest } from './rest.ts';
import { readRuntimeToken } from './runtime-token.ts';

/** Answers a request: route, log, delay, fault, execution. */
export async function answer(github: Github, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', headers, url = '/' } = incoming;
  const startedAt = performance.now();
  const request = { method, headers, url: new URL(url, github.origin), body: await buffer(incoming) };
  const operation =
    routeTwirp(github, request) ?? routeBlob(github, request) ?? routeRest(github, request) ?? unknown(request);
  const { route, protocol, job, subject } = operation;
  const call: Call = {
    ...{ number: github.calls.length + 1, route, protocol, method, path: request.url.pathname, job, subject },
    ...{ startedAt, endedAt: undefined, status: undefined, fault: undefined },
  };
  github.calls.push(call);
  const fault = takeFault(github.faults, call);
  call.fault = fault?.kind;
  const { delay } = github;
  const due = typeof delay === 'number' ? delay : delay(call);
  const ms = (typeof due === 'number' ? due : 0) + (fault?.kind === 'delay' ? fault.ms : 0);
  await due;
  if (ms > 0) await sleep(ms, undefined, { ref: false });
  const isLost = fault?.kind === 'status' || fault?.kind === 'hang' || fault?.kind === 'drop';
  const reply = isLost && fault.done !== true ? undefined : execute(github, operation);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'drop') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const { status, headers: replyHeaders, body } = fault?.kind === 'status' ? faultReply(operation, fault) : reply!;
  const isCut = fault?.kind === 'truncate';
  Object.assign(call, { status, endedAt: performance.now() });
  response.writeHead(status, { ...replyHeaders, 'content-length': Math.max(body.length, isCut ? 1 : 0) });
  if (!isCut) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  await new Promise((resolve) => response.write(body.subarray(0, Math.floor(body.length / 2)), resolve));
  response.destroy();
}

function execute(github: Github, operation: Operation): Reply {
  try {
    return operation.execute();
  } catch (error) {
    if (error instanceof Refusal) return errorReply(operation.protocol, error);
    github.errors.push(error);
    return errorReply(operation.protocol, new Refusal(500, String(error)));
  }
}

function unknown({ method, url }: Request): Operation {
  const route = `unknown: ${method} ${url.pathname}`;
  return {
    route,
    protocol: 'rest',
    job: undefined,
    subject: undefined,
    execute: () => json(404, { message: 'Not Found' }),
  };
}

const TWIRP = /^\/twirp\/github\.actions\.results\.api\.v1\.(Artifact|Cache)Service\/(\w+)$/;

/** Twirp over JSON, as the clients of artifacts and caches speak it. */
function routeTwirp(github: Github, request: Request): Operation | undefined {
  const [, service, route = ''] = TWIRP.exec(request.url.pathname) ?? [];
  const method = (service === 'Artifact' ? ARTIFACT_METHODS : CACHE_METHODS)[route];
  if (service === undefined || method === undefined) return undefined;
  const token = readRuntimeToken(github, request);
  const subject = /"(?:name|name_filter|id_filter|key)":\s*"([^"]*)"/.exec(request.body.toString('utf8'))?.[1];
  const execute = (): Reply => {
    if (token === undefined) throw new Refusal(401, 'authentication required');
    return method(github, token, request);
  };
  return { route, protocol: 'twirp', job: token, subject, execute };
}
