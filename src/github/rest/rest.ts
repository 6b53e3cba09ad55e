import type { z } from 'zod';
import { CallFailure, callFailureOf, parsedAnswer, refusal, type FailureKind } from '../call-failure.ts';
import { systemClock, type Clock } from '../clock.ts';
import { bytesOf, readBlob } from '../http.ts';
import { REST_LIMITS, type RestLimits } from '../limits.ts';
import { timeUntil } from '../outage-budget.ts';
import { retry, type Failure } from '../retry.ts';
import { redirectedTo } from '../service-address.ts';
import { nameOf, restCalls, type RestAccess, type RestAnswer, type RestCall, type RestRequest } from './rest-call.ts';
import { permissionFor } from './permission.ts';
import type { ErrorCode } from '../../errors/error-codes.ts';
import { GatelineError } from '../../errors/gateline-error.ts';

/** Options of a client. */
export interface RestOptions extends RestAccess {
  readonly limits?: Partial<RestLimits>;
  /** Ends every call when aborted. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Numbers from 0 to below 1, for jitter; default `Math.random`. */
  readonly random?: () => number;
}

/** The items of a list's pages, in their original order. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** False if there are more pages than were read: a missing item is then unknown, not absent. */
  readonly complete: boolean;
}

/**
 * GitHub's REST API through GitHub's own client. Every answer is parsed from `unknown`, every request has a time limit,
 * and repeatable requests are retried after 429, 5xx, a reset or a truncated response.
 * https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 *
 * All methods throw {@link GatelineError}: `REST_DENIED` (401, 403), `REST_NOT_FOUND` (404, 410; also GitHub's response
 * if access is denied), `REST_RATE_LIMITED`, `REST_OUTAGE` (5xx, no response, timeout), `REST_ANSWER_INVALID`
 * (truncated or not of the expected shape), `REST_REFUSED` (422 and the rest of 4xx).
 */
export interface RestClient {
  /** `owner/name`. */
  readonly repository: string;
  readonly apiUrl: string;
  /** One request with its response parsed. For a response without a body, the schema gets `undefined`. */
  call<T>(request: RestRequest, schema: z.ZodType<T>): Promise<T>;
  /**
   * A list, page by page: one request per page. `schema` converts the response of one page into its items. Defaults:
   * 100 items per page, 10 pages.
   */
  list<T>(request: RestRequest, schema: z.ZodType<readonly T[]>, bounds?: ListBounds<T>): Promise<Listing<T>>;
  /** The bytes of a download, at the address given by the API: no token is sent along. */
  download(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The same client with a deadline, this many milliseconds from now, for all its calls together. */
  within(milliseconds: number): RestClient;
}

/** How much of a list is read. */
export interface ListBounds<T> {
  readonly pages?: number;
  readonly pageSize?: number;
  /** Called after each page: reading stops when it returns true. */
  readonly enough?: (items: readonly T[]) => boolean;
}

/** A client for one repository and token. Nothing is loaded or sent before the first call. */
export function createRestClient(options: RestOptions): RestClient {
  return clientOf({
    ...options,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    limits: { ...REST_LIMITS, ...options.limits },
    deadline: Infinity,
    once: restCalls(options),
  });
}

interface Calling extends RestOptions {
  readonly limits: RestLimits;
  readonly clock: Clock;
  readonly random: () => number;
  /** On the clock. */
  readonly deadline: number;
  readonly once: RestCall;
}

function clientOf(calling: Calling): RestClient {
  const { repository, apiUrl } = calling;
  return {
    repository,
    apiUrl,
    call: (request, schema) => perform(calling, request, (answer) => jsonOf(request, answer, schema)),
    list: (request, schema, bounds = {}) => readPages(calling, request, schema, bounds),
    download: (path, maxBytes) =>
      perform(calling, { method: 'GET', path }, (answer) => downloaded(calling, path, answer, maxBytes), maxBytes),
    within: (milliseconds) =>
      clientOf({ ...calling, deadline: Math.min(calling.deadline, calling.clock.now() + milliseconds) }),
  };
}

async function readPages<T>(
  calling: Calling,
  request: RestRequest,
  schema: z.ZodType<readonly T[]>,
  { pages = 10, pageSize = 100, enough = () => false }: ListBounds<T>,
): Promise<Listing<T>> {
  const items: T[] = [];
  for (let page = 1; page <= pages; page += 1) {
    const asked = { ...request, query: { ...request.query, per_page: pageSize, page } };
    const answer = await perform(calling, asked, (given) => ({
      items: jsonOf(request, given, schema),
      more: /\brel="next"/.test(given.headers['link'] ?? ''),
    }));
    items.push(...answer.items);
    if (!answer.more) return { items, complete: true };
    if (enough(items)) break;
  }
  return { items, complete: false };
}

/** For a response without a body, the schema gets `undefined`. */
function jsonOf<T>(request: RestRequest, answer: RestAnswer, schema: z.ZodType<T>): T {
  if (answer.status >= 300) throw refusal(nameOf(request), answer);
  const none = answer.status === 204 ? schema.safeParse(undefined) : undefined;
  return none?.success ? none.data : parsedAnswer(nameOf(request), schema, answer.body);
}

async function downloaded(
  { apiUrl, limits: { requestMs } }: Calling,
  path: string,
  answer: RestAnswer,
  maxBytes: number,
): Promise<Uint8Array> {
  if (answer.status === 200) return answer.body;
  const what = `the download of ${path}`;
  const url = redirectedTo(what, answer, apiUrl);
  try {
    return await bytesOf((await readBlob({ what, url, limit: requestMs, maxBytes })).body);
  } catch (error) {
    if (!(error instanceof CallFailure) || error.status === undefined) throw error;
    // An address is valid for a minute: a new one may work, whatever the status.
    throw new CallFailure('outage', error.message, { cause: error });
  }
}

/** One call with all its tries. */
async function perform<T>(
  { limits, clock, random, signal, once, deadline }: Calling,
  request: RestRequest,
  accept: (answer: RestAnswer) => T | Promise<T>,
  maxBytes = limits.answerBytes,
): Promise<T> {
  const budget = timeUntil(Math.min(deadline, clock.now() + limits.totalMs), clock);
  const asked = nameOf(request);
  if (budget.left() <= 0) throw restError(new CallFailure('outage', `No time was left for ${asked}`), asked);
  const { requestMs: idle } = limits;
  const call = (): Promise<T> => {
    const limit = Math.max(1, Math.min(idle, budget.left()));
    return once(request, { limit, idle, maxBytes }, accept);
  };
  const options = { rules: limits, budget, clock, random, signal, failureOf: callFailureOf };
  const came = await retry(call, options);
  if (came.ok) return came.value;
  throw restError(came.failure, asked, permissionFor(request));
}

const CODES: Readonly<Record<FailureKind, ErrorCode>> = {
  outage: 'REST_OUTAGE',
  'rate-limited': 'REST_RATE_LIMITED',
  denied: 'REST_DENIED',
  absent: 'REST_NOT_FOUND',
  refused: 'REST_REFUSED',
  invalid: 'REST_ANSWER_INVALID',
  'too-large': 'REST_ANSWER_INVALID',
  altered: 'REST_ANSWER_INVALID',
};

/**
 * The error for a request that finally failed, for people.
 * @param permission that the request needs
 */
export function restError(failure: Failure, what: string, permission?: string): GatelineError {
  if (failure instanceof CallFailure) {
    const isDenied = failure.kind === 'denied' && permission !== undefined;
    const hint = `Give the job \`${permission}\` under \`permissions:\`. Runs of pull requests from forks can only read.`;
    return new GatelineError(CODES[failure.kind], `${failure.message}.`, isDenied ? { hint } : {});
  }
  return new GatelineError('REST_OUTAGE', `${what} failed: ${failure.message}.`);
}
