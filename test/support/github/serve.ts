import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { routeBlob } from './blob-service.ts';
import type { LoggedCall } from './call-log.ts';
import type { DelayPlan } from './delays.ts';
import {
  faultReply,
  isCarriedOut,
  withoutItems,
  withWrongAnswer,
  withWrongContent,
  type Fault,
  type FaultPlan,
} from './faults.ts';
import type { World } from './model.ts';
import { Refusal, errorReply, type Operation, type Reply, type ServiceRequest } from './protocol.ts';
import { routeRest } from './rest-service.ts';
import { routeTwirp } from './twirp-service.ts';

/** What a running server works with. */
export interface Serving {
  readonly world: World;
  readonly faults: FaultPlan;
  readonly calls: LoggedCall[];
  delays: DelayPlan | undefined;
  /** Errors of the service itself, which a client sees as 500. */
  readonly errors: unknown[];
}

/** Answers every request: route, log, delay, fault, carry out. */
export function listener(serving: Serving): RequestListener {
  return (incoming, response) => {
    answer(serving, incoming, response).catch((error: unknown) => {
      // A client that goes away while its request is read is no error of the service.
      if (incoming.complete) serving.errors.push(error);
      response.destroy();
    });
  };
}

async function answer(serving: Serving, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = await readRequest(serving.world, incoming);
  const operation = route(serving.world, request);
  const call = logged(serving, operation);
  const fault = serving.faults.take(call);
  call.fault = fault?.kind;
  const slow = fault?.kind === 'delay' ? fault : undefined;
  const delay = serving.delays?.(call);
  await wait((delay?.request ?? 0) + (slow?.request ?? 0));
  const reply = isCarriedOut(fault) ? carryOut(serving, operation, request, fault) : undefined;
  await wait((delay?.response ?? 0) + (slow?.response ?? 0));
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'reset') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const told = fault?.kind === 'status' ? faultReply(operation, fault) : reply!;
  call.status = told.status;
  await (fault?.kind === 'truncate' ? sendHalf(response, told) : send(response, told));
}

async function readRequest({ origin }: World, incoming: IncomingMessage): Promise<ServiceRequest> {
  const { method = 'GET', headers, url = '/' } = incoming;
  return { method, headers, url: new URL(url, origin), body: await buffer(incoming) };
}

function route(world: World, request: ServiceRequest): Operation {
  const found = routeTwirp(request, world) ?? routeBlob(request, world) ?? routeRest(request, world);
  if (found !== undefined) return found;
  const name = `unknown: ${request.method} ${request.url.pathname}`;
  const protocol = request.url.pathname.startsWith('/twirp/') ? 'twirp' : 'rest';
  const carryOut = () => {
    throw new Refusal(404, 'Not Found');
  };
  return { name, protocol, caller: undefined, subject: undefined, carryOut };
}

function logged({ calls }: Serving, { name, protocol, caller, subject }: Operation): LoggedCall {
  const call: LoggedCall = {
    number: calls.length + 1,
    operation: name,
    protocol,
    run: caller?.run,
    attempt: caller?.attempt,
    job: caller?.job,
    name: subject,
    status: undefined,
    fault: undefined,
  };
  calls.push(call);
  return call;
}

function carryOut({ errors }: Serving, operation: Operation, request: ServiceRequest, fault: Fault | undefined): Reply {
  try {
    if (fault?.kind === 'empty') return withoutItems(operation, operation.carryOut(request));
    if (fault?.kind !== 'digest') return operation.carryOut(request);
    return withWrongAnswer(operation, operation.carryOut(withWrongContent(operation, request)));
  } catch (error) {
    if (error instanceof Refusal) return errorReply(operation.protocol, error);
    errors.push(error);
    return errorReply(operation.protocol, new Refusal(500, String(error)));
  }
}

async function wait(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { ref: false });
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

/** Says how long the answer is, and stops before that; an empty answer is said to have a byte. */
async function sendHalf(response: ServerResponse, { status, headers, body }: Reply): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': Math.max(1, body.length) });
  response.flushHeaders();
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => response.write(half, () => resolve()));
  response.destroy();
}
