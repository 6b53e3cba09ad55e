import { Readable } from 'node:stream';
import type { HttpClient } from '@actions/http-client';
import { CallFailure, noAnswer, refusal, within, type AnswerHead } from './call-failure.ts';

/** A request. Redirects are never followed. */
export interface HttpRequest {
  /** For messages: what is requested, without the address, which may be signed. */
  readonly what: string;
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds in total, including the response's body. */
  readonly limit: number;
  /** Milliseconds without a byte; default: `limit`. */
  readonly idle?: number;
  /** Maximum bytes of a response. */
  readonly maxBytes: number;
}

/** A response whose body has not been read yet. The body must be read or discarded. */
export interface HttpAnswer extends AnswerHead {
  readonly body: AsyncIterable<Buffer>;
  /** Discards an unneeded body. */
  discard(): void;
}

const clients = new Map<string, Promise<HttpClient>>();

/** The client waits this much longer than a call with the same limit, because our error message is more specific. */
const CLIENT_GRACE_MS = 1_000;

/**
 * GitHub's own client, which supports the proxies of a runner. Its idle time limit is set when it is created, and it
 * keeps one agent for all protocols; so there is one client for each protocol.
 */
function clientFor({ url, limit, idle = limit }: HttpRequest): Promise<HttpClient> {
  const key = `${new URL(url).protocol} ${idle}`;
  const known = clients.get(key);
  if (known !== undefined) return known;
  const options = { keepAlive: true, allowRedirects: false, socketTimeout: idle + CLIENT_GRACE_MS };
  const made = import('@actions/http-client').then(({ HttpClient }) => new HttpClient('gateline', [], options));
  clients.set(key, made);
  return made;
}

/**
 * Sends a request and waits for the head of the response. All requests to GitHub services are sent here, except those
 * sent by GitHub's clients for artifacts and caches. The caller interprets the status.
 * @throws CallFailure, also while the body is read: no connection, timeout, a response that ends early or is too long
 */
export async function send(request: HttpRequest): Promise<HttpAnswer> {
  const { what, method, url, headers = {}, body, limit } = request;
  const begun = performance.now();
  const client = await clientFor(request);
  let response;
  try {
    response = await within(limit, what, () => client.request(method, url, bodyFor(body), { ...headers }));
  } catch (error) {
    throw noAnswer(what, error);
  }
  const { message } = response;
  const left = Math.max(1, limit - (performance.now() - begun));
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    body: bounded(request, message, left),
    discard: () => void message.destroy(),
  };
}

/** A response with status 200 from a signed address, requested without a token. @throws CallFailure */
export async function readBlob(
  request: Pick<HttpRequest, 'what' | 'url' | 'limit' | 'idle' | 'maxBytes'>,
): Promise<HttpAnswer> {
  const answer = await send({ ...request, method: 'GET' });
  if (answer.status === 200) return answer;
  answer.discard();
  throw refusal(request.what, answer);
}

/** The client accepts a text or a stream. */
function bodyFor(body: HttpRequest['body']): string | NodeJS.ReadableStream | null {
  if (body === undefined || typeof body === 'string') return body ?? null;
  return Readable.from([Buffer.from(body)], { objectMode: false });
}

/** All bytes of a body. */
export async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

async function* bounded(
  { what, maxBytes, limit }: HttpRequest,
  message: AsyncIterable<Buffer> & { destroy(error?: Error): unknown },
  left: number,
): AsyncGenerator<Buffer, void, undefined> {
  const late = new CallFailure('outage', `${what} was not answered in full within ${limit / 1_000} s`);
  const timer = setTimeout(() => void message.destroy(late), left);
  let bytes = 0;
  try {
    for await (const part of message) {
      bytes += part.length;
      if (bytes > maxBytes) {
        const most = maxBytes.toLocaleString('en');
        throw new CallFailure('too-large', `${what} was answered with more than ${most} bytes`);
      }
      yield part;
    }
  } catch (error) {
    throw noAnswer(what, error);
  } finally {
    clearTimeout(timer);
  }
}
