import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { JobIdentity } from './model.ts';

export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The three protocols have different forms of errors. */
export type Protocol = 'twirp' | 'blob' | 'rest';

/** A request that was matched with a route, and not carried out yet. */
export interface Operation {
  /** Twirp and Azure by their names (`CreateArtifact`, `PutBlob`), REST by method and path: `GET /actions/runs/:id`. */
  readonly route: string;
  readonly protocol: Protocol;
  readonly job: JobIdentity | undefined;
  /** Artifact name, cache key or the first parameter of the path. */
  readonly subject: string | undefined;
  /** @throws Refusal */
  readonly execute: () => Reply;
}

/** A request that is answered with an error. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** @throws Refusal 400 */
export function parseBody<T>(schema: z.ZodType<T>, { body }: Request): T {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')));
  } catch (error) {
    throw new Refusal(400, `malformed request: ${String(error)}`);
  }
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: Buffer.from(JSON.stringify(value)) };
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, body: Buffer.alloc(0) };
}

/** One page of a list with its `Link` header. */
export function pageOf<T>({ url }: Request, items: readonly T[]): { page: T[]; headers: Record<string, string> } {
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30));
  const number = Number(url.searchParams.get('page') ?? 1);
  const next = new URL(url);
  next.searchParams.set('page', String(number + 1));
  const headers: Record<string, string> = number * size < items.length ? { link: `<${next.href}>; rel="next"` } : {};
  return { page: items.slice((number - 1) * size, number * size), headers };
}

/** A time as REST and GraphQL write it: in whole seconds. */
export function secondsOf(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** https://twitchtv.github.io/twirp/docs/errors.html and Azure's codes for blobs. */
const CODES: Readonly<Record<number, readonly [twirp: string, blob?: string]>> = {
  400: ['invalid_argument', 'InvalidBlockList'],
  401: ['unauthenticated'],
  403: ['permission_denied', 'AuthenticationFailed'],
  404: ['not_found', 'BlobNotFound'],
  409: ['already_exists'],
  429: ['resource_exhausted'],
  503: ['unavailable', 'ServerBusy'],
};

/** An error in the form of the protocol. */
export function errorReply(protocol: Protocol, { status, message, headers }: Refusal): Reply {
  if (protocol === 'rest') return json(status, { message, status: String(status) }, headers);
  const [twirp, code = 'InternalError'] = CODES[status] ?? ['internal'];
  if (protocol === 'twirp') return json(status, { code: twirp, msg: message }, headers);
  const xml = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  const type = { 'content-type': 'application/xml', 'x-ms-error-code': code };
  return { status, headers: { ...type, ...headers }, body: Buffer.from(xml) };
}
