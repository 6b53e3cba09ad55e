import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Caller } from './caller.ts';

/** A request with its whole body. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer with its whole body. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The three protocols that the service speaks: each has its own form of errors. */
export type Protocol = 'twirp' | 'blob' | 'rest';

/** One call, understood and not yet carried out. */
export interface Operation {
  /** `CreateArtifact`, `PutBlob`, `issues/create-comment`: Twirp methods, Azure's operations, ids of GitHub's OpenAPI description. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly caller: Caller | undefined;
  /** Artifact name, cache key or whatever else the call is about. */
  readonly subject: string | undefined;
  /** Does it, all at once. Throws {@link Refusal}. */
  carryOut(request: ServiceRequest): Reply;
}

/** A call that is answered with an error. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** A request's JSON body. Throws a {@link Refusal} of 400. */
export function parseBody<T>(schema: z.ZodType<T>, { body }: ServiceRequest): T {
  const text = body.toString('utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(400, `the request could not be decoded: ${error.message}`);
    if (error instanceof z.ZodError) throw new Refusal(400, `malformed request: ${z.prettifyError(error)}`);
    throw error;
  }
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body };
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, body: Buffer.alloc(0) };
}

/** https://twitchtv.github.io/twirp/docs/errors.html */
const TWIRP_CODES: Readonly<Record<number, string>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'already_exists',
  429: 'resource_exhausted',
  500: 'internal',
  503: 'unavailable',
};

/** https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes */
const BLOB_CODES: Readonly<Record<number, string>> = {
  400: 'InvalidBlockList',
  403: 'AuthenticationFailed',
  404: 'BlobNotFound',
  412: 'ConditionNotMet',
  416: 'InvalidRange',
  500: 'InternalError',
  503: 'ServerBusy',
};

/** The error as the protocol tells it. */
export function errorReply(protocol: Protocol, { status, message, headers }: Refusal): Reply {
  if (protocol === 'twirp') return json(status, { code: TWIRP_CODES[status] ?? 'unknown', msg: message }, headers);
  if (protocol === 'rest') {
    const about = { documentation_url: 'https://docs.github.com/rest', status: String(status) };
    return json(status, { message, ...about }, headers);
  }
  const code = BLOB_CODES[status] ?? 'Unknown';
  const xml = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  const type = { 'content-type': 'application/xml', 'x-ms-error-code': code };
  return { status, headers: { ...type, ...headers }, body: Buffer.from(xml) };
}
