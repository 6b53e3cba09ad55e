import type { z } from 'zod';
import { parseJson } from '../json/parse-json.ts';
import { showUnseen } from '../json/visible.ts';
import type { Failure } from './retry.ts';
import { TimeLimitError, underLimit } from './time-limit.ts';

/**
 * Why a call failed. `invalid`: the response is not as expected. `too-large`: it exceeds the maximum size. `altered`:
 * its bytes differ from the uploaded ones. `refused`: any other permanent refusal.
 */
export type FailureKind =
  | 'outage'
  | 'rate-limited'
  | 'denied'
  | 'absent'
  | 'refused'
  | 'invalid'
  | 'too-large'
  | 'altered';

/** Failures for which another try may succeed. */
const PASSING: ReadonlySet<FailureKind> = new Set(['outage', 'rate-limited', 'invalid', 'altered']);

interface FailureDetails {
  /** Default: depends on the kind. */
  readonly passing?: boolean;
  /** Milliseconds that the service asks to wait. */
  readonly after?: number | undefined;
  /** Of the response, if there was one. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** Thrown by every call of a GitHub service. The message is one sentence without an address. */
export class CallFailure extends Error implements Failure {
  readonly kind: FailureKind;
  readonly passing: boolean;
  readonly after: number | undefined;
  readonly status: number | undefined;

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.passing = details.passing ?? PASSING.has(kind);
    this.after = details.after;
    this.status = details.status;
  }
}

/** For {@link file://./retry.ts}: any other error is a bug, or an error from other code. */
export function callFailureOf(error: unknown): CallFailure | undefined {
  return error instanceof CallFailure ? error : undefined;
}

/**
 * The error of a call without a complete response. An error without a code may quote the address, which may be signed.
 */
export function noAnswer(what: string, error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  const reason = isCoded(error) ? error.code : 'there was no answer';
  return new CallFailure('outage', `${what} failed: ${reason}`, { cause: error });
}

function isCoded(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** Runs work under a time limit; if it takes longer, it is abandoned. @throws CallFailure */
export async function within<T>(milliseconds: number, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await underLimit(milliseconds, undefined, work);
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw new CallFailure('outage', `${what} did not answer within ${milliseconds / 1_000} s`, { cause: error });
  }
}

/** Status and headers of a response. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * The error for a response with an unexpected status.
 * @param said the service's own message, unprocessed
 */
export function refusal(what: string, head: AnswerHead, said?: string): CallFailure {
  const kind = kindOf(head, said);
  const more = said === undefined || said.trim() === '' ? '' : `: ${spoken(said)}`;
  const after = waitFor(kind, head);
  return new CallFailure(kind, `${what} was answered with ${head.status}${more}`, { status: head.status, after });
}

function kindOf({ status, headers }: AnswerHead, said = ''): FailureKind {
  if (status >= 500 || status === 408) return 'outage';
  if (status === 429) return 'rate-limited';
  // An exhausted limit is a 403, too. https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
  const isSpent = headers['x-ratelimit-remaining'] === '0' || 'retry-after' in headers || /rate limit/i.test(said);
  if (status === 403 && isSpent) return 'rate-limited';
  if (status === 401 || status === 403) return 'denied';
  return status === 404 || status === 410 ? 'absent' : 'refused';
}

/** Milliseconds to wait. A limit without a known end lasts longer than we wait; a plain 429 is worth a retry. */
function waitFor(kind: FailureKind, { status, headers }: AnswerHead): number | undefined {
  const after = retryAfter(headers['retry-after']);
  if (after !== undefined || kind !== 'rate-limited' || status !== 403) return after;
  const reset = headers['x-ratelimit-reset'];
  return typeof reset === 'string' && /^\d{1,12}$/.test(reset) ? untilDate(Number(reset) * 1_000) : Infinity;
}

/** The header has seconds or a date. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfter(header: AnswerHead['headers'][string]): number | undefined {
  if (typeof header !== 'string') return undefined;
  return /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : untilDate(Date.parse(header));
}

function untilDate(time: number): number | undefined {
  return Number.isFinite(time) ? Math.max(0, time - Date.now()) : undefined;
}

/** Maximum nesting of objects and arrays: more than any response has. */
const MAX_DEPTH = 100;

/**
 * A response's JSON, validated. A truncated one or one of another shape may be complete on the next try. @throws
 * CallFailure
 */
export function parsedAnswer<T>(what: string, schema: z.ZodType<T>, bytes: Uint8Array): T {
  const parsed = parseJson(bytes, { maxDepth: MAX_DEPTH, loneSurrogates: true });
  const checked = parsed.ok ? schema.safeParse(parsed.value) : undefined;
  if (checked?.success) return checked.data;
  const [issue] = checked?.error.issues ?? [];
  const why = parsed.ok ? `${issue?.path.join('.') || 'the whole'}: ${issue?.message}` : parsed.issue.message;
  const message = `${what} was answered with something else than requested: ${spoken(why)}`;
  throw new CallFailure('invalid', message, checked === undefined ? {} : { cause: checked.error });
}

/** External text as part of one sentence. */
export function spoken(text: string): string {
  return showUnseen(text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
    .replace(/[.\s]+$/, '');
}
