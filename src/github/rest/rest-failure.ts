import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { showUnseen } from '../../json/visible.ts';
import { AnswerError } from './rest-answer.ts';
import type { RestRequest } from './rest-request.ts';

/** A request that failed. */
export interface RestFailure {
  readonly error: GatelineError;
  /**
   * What it did all the same. `none`: nothing, and later it may work. `unknown`: the answer is lost, it may have been carried
   * out. `final`: the same request gets the same answer.
   */
  readonly effect: 'none' | 'unknown' | 'final';
  /** How long the service says to wait, in milliseconds; `Infinity` for longer than anybody waits. */
  readonly retryAfterMs?: number;
}

/** What GitHub's client throws for an answer of 400 and up; for a connection that broke there is no `response`. */
const httpErrorSchema = z.object({
  status: z.number(),
  message: z.string(),
  request: z.object({ url: z.string() }),
  response: z.object({ url: z.string(), headers: z.record(z.string(), z.unknown()), data: z.unknown() }),
});
type HttpError = z.infer<typeof httpErrorSchema>;

const errorBodySchema = z.object({ message: z.string() });

const RATE_LIMIT_WORDS = /rate limit/i;

/** Takes a token out of a text. */
export function withoutToken(token: string): (text: string) => string {
  return (text) => (token === '' ? text : text.replaceAll(token, '***'));
}

/** What a request came to. `clean` takes secrets out of texts of the service. */
export function describeFailure(thrown: unknown, request: RestRequest, clean: (text: string) => string): RestFailure {
  const asked = nameOf(request);
  if (thrown instanceof AnswerError || thrown instanceof z.ZodError) return invalid(thrown, asked, clean);
  const http = httpErrorSchema.safeParse(thrown);
  if (http.success) return statusFailure(http.data, asked, clean);
  const message = `GitHub did not answer ${asked}: ${spoken(thrown instanceof Error ? thrown.message : 'no reason given', clean)}.`;
  return { error: outage(message), effect: 'unknown' };
}

/** The time for a call is over before it could be sent. */
export function outOfTime(request: RestRequest): GatelineError {
  return outage(`No time was left for ${nameOf(request)}.`);
}

function invalid(thrown: Error, asked: string, clean: (text: string) => string): RestFailure {
  const why = thrown instanceof z.ZodError ? firstIssue(thrown) : thrown.message;
  const message = `GitHub's answer to ${asked} cannot be read: ${spoken(why, clean)}.`;
  const error = new GatelineError('REST_ANSWER_INVALID', message);
  return { error, effect: thrown instanceof AnswerError && thrown.torn ? 'unknown' : 'final' };
}

function statusFailure(http: HttpError, asked: string, clean: (text: string) => string): RestFailure {
  const { status } = http;
  const said = `GitHub answered ${status} to ${asked}: ${spoken(saidBy(http), clean)}.`;
  if (isElsewhere(http) || status >= 500) return { error: outage(said), effect: 'unknown', ...retryAfter(http) };
  if (status === 429 || isRateLimit(http)) return rateLimited(http, said);
  if (status === 401 || status === 403) return { error: denied(said), effect: 'final' };
  if (status === 404 || status === 410) {
    const hint = "It does not exist, or the token cannot read it: GitHub's response is the same for both.";
    return { error: new GatelineError('REST_NOT_FOUND', said, { hint }), effect: 'final' };
  }
  const hint = "See GitHub's response.";
  return { error: new GatelineError('REST_REFUSED', said, { hint }), effect: 'final' };
}

/** The API sent on to a store of blobs, and that one failed: a new address may help, whatever its status says. */
function isElsewhere({ request, response }: HttpError): boolean {
  const [asked, answered] = [URL.parse(request.url), URL.parse(response.url)];
  return answered !== null && (asked?.origin !== answered.origin || asked.pathname !== answered.pathname);
}

/** GitHub tells a spent limit as 403 too. https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function isRateLimit(http: HttpError): boolean {
  if (http.status !== 403) return false;
  const { headers } = http.response;
  return headers['x-ratelimit-remaining'] === '0' || 'retry-after' in headers || RATE_LIMIT_WORDS.test(saidBy(http));
}

function rateLimited(http: HttpError, said: string): RestFailure {
  const wait = retryAfter(http);
  const hint = "GitHub allows a job's token 1,000 requests an hour and repository. Run the job again later.";
  const error = new GatelineError('REST_RATE_LIMITED', said, { hint });
  // Without a word about when, a spent limit lasts for minutes; a plain 429 is worth a try.
  const unsaid = http.status === 429 ? {} : { retryAfterMs: Infinity };
  return { error, effect: 'none', ...unsaid, ...wait };
}

/** Seconds; a date, which HTTP allows too, GitHub does not send. */
function retryAfter({ response: { headers } }: HttpError): { readonly retryAfterMs?: number } {
  const text = headers['retry-after'];
  return typeof text === 'string' && /^\d{1,6}$/.test(text) ? { retryAfterMs: Number(text) * 1_000 } : {};
}

function denied(said: string): GatelineError {
  return new GatelineError('REST_DENIED', said);
}

function outage(message: string): GatelineError {
  return new GatelineError('REST_OUTAGE', message);
}

function saidBy({ response: { data }, message }: HttpError): string {
  const said = errorBodySchema.safeParse(data);
  return said.success ? said.data.message : message;
}

function firstIssue({ issues: [first] }: z.ZodError): string {
  return `${first?.path.join('.') || 'the whole'}: ${first?.message ?? 'invalid'}`;
}

/** A text from outside as part of one sentence. */
function spoken(text: string, clean: (text: string) => string): string {
  return showUnseen(clean(text))
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
    .replace(/[.\s]+$/, '');
}

function nameOf({ method, path }: RestRequest): string {
  return `${method} ${path}`;
}
