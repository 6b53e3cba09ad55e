import type { z } from 'zod';
import { systemClock, type Clock } from '../clock.ts';
import { bodyOf, readJson, type RestAnswer } from './rest-answer.ts';
import { describeFailure, outOfTime, withoutToken, type RestFailure } from './rest-failure.ts';
import type { RestRequest } from './rest-request.ts';
import { underLimit } from '../time-limit.ts';

/** How long and how often. */
export interface RestLimits {
  /** Milliseconds for one request with its answer; default 10,000. */
  readonly requestMs: number;
  /** Milliseconds for one call with all its tries and pauses; default 30,000. {@link RestClient.within} lowers it. */
  readonly totalMs: number;
  /** Tries of one call; default 4. */
  readonly tries: number;
  /** The longest pause between two tries, in milliseconds; default 10,000. Who is told to wait longer gives up. */
  readonly pauseMs: number;
  /** Largest answer in bytes; default 16 MiB. A download has its own. */
  readonly answerBytes: number;
}

/** What a client is made of. */
export interface RestOptions {
  /** `GITHUB_API_URL`, without a slash at the end. */
  readonly apiUrl: string;
  /** Never appears in a message. */
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly limits?: Partial<RestLimits>;
  /** Ends every call when aborted. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Numbers from 0 to below 1, for jitter; default `Math.random`. */
  readonly random?: () => number;
}

/** The items of a list's pages, in the order in which they came. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** False where there are more pages than were read: what is not among the items is unknown, not absent. */
  readonly complete: boolean;
}

/**
 * GitHub's REST API through GitHub's own client. Every answer is parsed from `unknown`, every request has a time limit,
 * and what may be sent again is sent again after 429, 5xx, a reset or a torn answer.
 * https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 *
 * All methods throw {@link GatelineError}: `REST_DENIED` (401, 403), `REST_NOT_FOUND` (404, 410; GitHub also says so to
 * whom it denies), `REST_RATE_LIMITED`, `REST_OUTAGE` (5xx, no answer, out of time), `REST_ANSWER_INVALID` (torn or not
 * of the expected shape), `REST_REFUSED` (422 and the rest of 4xx).
 */
export interface RestClient {
  /** `owner/name`. */
  readonly repository: string;
  readonly apiUrl: string;
  /** One request, its answer parsed. An answer without a body is `undefined` to the schema. */
  call<T>(request: RestRequest, schema: z.ZodType<T>): Promise<T>;
  /** A list, page by page: one request a page. `schema` takes one page's answer to its items. Defaults: 100 items a page, 10 pages. */
  list<T>(request: RestRequest, schema: z.ZodType<readonly T[]>, bounds?: ListBounds<T>): Promise<Listing<T>>;
  /** The bytes of an answer, redirects followed (the token does not go along to another origin). */
  download(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The same client, all of whose calls together end so many milliseconds from now. */
  within(milliseconds: number): RestClient;
}

/** How much of a list is read. */
export interface ListBounds<T> {
  readonly pages?: number;
  readonly pageSize?: number;
  /** Asked after each page: no more are read once it says so. */
  readonly enough?: (items: readonly T[]) => boolean;
}

const DEFAULT_LIMITS: RestLimits = {
  requestMs: 10_000,
  totalMs: 30_000,
  tries: 4,
  pauseMs: 10_000,
  answerBytes: 16 * 1024 * 1024,
};

/** The first pause between two tries, before jitter; each later one is twice as long. */
const FIRST_PAUSE_MS = 250;

/** A client for one repository and token. Nothing is loaded or sent before the first call. */
export function createRestClient(options: RestOptions): RestClient {
  return clientOf({
    ...options,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    deadline: Infinity,
    load: lazySender(options),
  });
}

interface Calling extends RestOptions {
  readonly limits: RestLimits;
  readonly clock: Clock;
  readonly random: () => number;
  /** On the clock. */
  readonly deadline: number;
  /** Loads GitHub's client, which takes no part of a request's time. */
  readonly load: () => Promise<Send>;
}

type Send = (request: RestRequest, signal: AbortSignal) => Promise<RestAnswer>;

function clientOf(calling: Calling): RestClient {
  const { limits, repository, apiUrl } = calling;
  return {
    repository,
    apiUrl,
    call: (request, schema) =>
      perform(calling, request, async (answer) => schema.parse(await readJson(answer, limits.answerBytes))),
    list: (request, schema, bounds = {}) => readPages(calling, request, schema, bounds),
    download: (path, maxBytes) => perform(calling, { method: 'GET', path }, (answer) => bodyOf(answer, maxBytes)),
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
    const answer = await perform(calling, asked, async (given) => ({
      items: schema.parse(await readJson(given, calling.limits.answerBytes)),
      more: /\brel="next"/.test(given.headers.link ?? ''),
    }));
    items.push(...answer.items);
    if (!answer.more) return { items, complete: true };
    if (enough(items)) break;
  }
  return { items, complete: false };
}

/** One call with all its tries. */
async function perform<T>(
  calling: Calling,
  request: RestRequest,
  accept: (answer: RestAnswer) => Promise<T>,
): Promise<T> {
  const { limits, clock, signal } = calling;
  const send = await calling.load();
  const deadline = Math.min(calling.deadline, clock.now() + limits.totalMs);
  for (let tries = 1; ; tries += 1) {
    const left = deadline - clock.now();
    if (left <= 0) throw outOfTime(request);
    try {
      return await underLimit(Math.min(limits.requestMs, left), signal, async (limit) =>
        accept(await send(request, limit)),
      );
    } catch (thrown) {
      const failure = describeFailure(thrown, request, withoutToken(calling.token));
      const pause = pauseAfter(calling, failure, tries);
      const isOver = signal?.aborted === true || tries >= limits.tries;
      if (isOver || !mayRepeat(request, failure) || pause > limits.pauseMs) throw failure.error;
      // Waiting into the deadline would only make the same failure late.
      if (clock.now() + pause >= deadline) throw failure.error;
      await clock.sleep(pause, signal);
    }
  }
}

function mayRepeat(
  { method, repeatable = method === 'GET' || method === 'DELETE' }: RestRequest,
  failure: RestFailure,
) {
  return failure.effect === 'none' || (failure.effect === 'unknown' && repeatable);
}

/** As long as the service says, else growing; some jitter, so that jobs that failed together do not come back together. */
function pauseAfter({ random }: Calling, { retryAfterMs }: RestFailure, tries: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs + random() * FIRST_PAUSE_MS;
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + random());
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** GitHub's client, loaded once. It keeps to proxies as the runner sets them. */
function lazySender({ apiUrl, token }: RestOptions): () => Promise<Send> {
  const load = async (): Promise<Send> => {
    const { getOctokit } = await import('@actions/github');
    const octokit = getOctokit(token, { baseUrl: apiUrl, log: SILENT });
    return async ({ method, path, query, body }, signal) =>
      octokit.request({
        method,
        url: withQuery(path, query),
        headers: { 'x-github-api-version': '2022-11-28' },
        ...(body === undefined ? {} : { data: body }),
        // The body comes as a stream: a torn or an endless one is then seen here, not taken for an empty text.
        request: { signal, parseSuccessResponseBody: false },
      });
  };
  let loading: Promise<Send> | undefined;
  return () => (loading ??= load());
}

function withQuery(path: string, query: RestRequest['query']): string {
  if (query === undefined) return path;
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `${path}?${new URLSearchParams(pairs).toString()}`;
}
