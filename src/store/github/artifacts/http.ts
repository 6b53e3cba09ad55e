import { Readable } from 'node:stream';
import type { HttpClient } from '@actions/http-client';
import { messageOf } from '../../../errors/gateline-error.ts';
import { CallFailure, within } from './limits.ts';

/** A request. Redirects are never followed. */
export interface HttpRequest {
  /** For messages: what is asked, without the address, which may be signed. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds for all of it, the answer's body included. */
  readonly limit: number;
  /** Milliseconds without a byte; default: `limit`. */
  readonly idle?: number;
  /** Bytes that an answer may have. */
  readonly maxBytes: number;
}

/** An answer, its body still to come. The body has to be read or given up. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
  /** Lets go of a body that nobody wants. */
  discard(): void;
}

const clients = new Map<number, Promise<HttpClient>>();

/** GitHub's own client, which knows the proxies of a runner. One for each time limit of idle connections: it takes that when it is made. */
function clientFor(idle: number): Promise<HttpClient> {
  const known = clients.get(idle);
  if (known !== undefined) return known;
  const made = import('@actions/http-client').then(
    ({ HttpClient }) => new HttpClient('gateline', [], { keepAlive: true, allowRedirects: false, socketTimeout: idle }),
  );
  clients.set(idle, made);
  return made;
}

/**
 * Sends a request and waits for the head of the answer. Statuses are the caller's.
 * @throws CallFailure, also while the body is read: no connection, time over, an answer that ends early or is too long
 */
export async function send(request: HttpRequest): Promise<HttpAnswer> {
  const { what, method, url, headers = {}, body, limit } = request;
  const begun = performance.now();
  const client = await clientFor(request.idle ?? limit);
  let response;
  try {
    response = await within(limit, what, client.request(method, url, bodyFor(body), { ...headers }));
  } catch (error) {
    throw asFailure(what, error);
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

/** The client takes a text, or a stream. */
function bodyFor(body: HttpRequest['body']): string | NodeJS.ReadableStream | null {
  if (body === undefined || typeof body === 'string') return body ?? null;
  return Readable.from([Buffer.from(body)], { objectMode: false });
}

/** The whole body of an answer. */
export async function bodyOf(answer: HttpAnswer): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of answer.body) parts.push(part);
  return Buffer.concat(parts);
}

async function* bounded(
  { what, maxBytes, limit }: HttpRequest,
  message: AsyncIterable<Buffer> & { destroy(error?: Error): unknown },
  left: number,
): AsyncGenerator<Buffer, void, undefined> {
  const late = new CallFailure(`${what} was not answered in full within ${limit / 1_000} s`, { passing: true });
  const timer = setTimeout(() => void message.destroy(late), left);
  let bytes = 0;
  try {
    for await (const part of message) {
      bytes += part.length;
      if (bytes > maxBytes) {
        throw new CallFailure(`${what} was answered with more than ${maxBytes} bytes`, {
          passing: false,
          code: 'CORRUPT',
        });
      }
      yield part;
    }
  } catch (error) {
    throw asFailure(what, error);
  } finally {
    clearTimeout(timer);
  }
}

function asFailure(what: string, error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  const reason = isCoded(error) ? error.code : messageOf(error).slice(0, 100);
  return new CallFailure(`${what} failed: ${reason}`, { passing: true, cause: error });
}

function isCoded(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** An answer that is not the one that was hoped for, as an error. */
export function refusal(
  what: string,
  { status, headers }: Pick<HttpAnswer, 'status' | 'headers'>,
  said?: string,
): CallFailure {
  const after = retryAfter(headers['retry-after']);
  const limited =
    status === 429 || (status === 403 && (after !== undefined || headers['x-ratelimit-remaining'] === '0'));
  const passing = limited || status >= 500 || status === 408;
  const more = said === undefined ? '' : `: ${said}`;
  return new CallFailure(`${what} was answered with ${status}${more}`, { passing, after, status });
}

/** Milliseconds to wait: the header has seconds or a date. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
