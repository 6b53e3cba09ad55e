import { z } from 'zod';
import { CallFailure, callFailureOf, noAnswer, refusal } from '../call-failure.ts';
import { bytesOf, send, type HttpAnswer, type HttpRequest } from '../http.ts';

/** A job's access to GitHub's REST API. */
export interface RestAccess {
  /** `GITHUB_API_URL`, without a trailing slash. */
  readonly apiUrl: string;
  /** Never appears in a message. */
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  /** Called before each request, also before repeated and redirected ones. It may refuse it. @throws CallFailure */
  readonly onRequest?: () => void;
}

/** One call of the API. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /**
   * Below the API's address, with a slash in front; external parts are encoded. An `https:` address is used unchanged.
   */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Whether it may be sent again if the response was lost. Default: yes for GET and DELETE. */
  readonly repeatable?: boolean;
}

/** A complete response with a status below 400. A redirect away from the API is one. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Makes one try. @throws CallFailure; passing only if the request may be sent again */
export type RestCall = <T>(
  request: RestRequest,
  bounds: Pick<HttpRequest, 'limit' | 'idle' | 'maxBytes'>,
  accept: (answer: RestAnswer) => T | Promise<T>,
) => Promise<T>;

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The API through GitHub's own client, whose requests are sent by {@link send}. It is loaded on the first call. */
export function restCalls({ apiUrl, token, onRequest }: RestAccess): RestCall {
  const load = async () => (await import('@actions/github')).getOctokit(token, { baseUrl: apiUrl, log: SILENT });
  let loading: ReturnType<typeof load> | undefined;
  return async (request, bounds, accept) => {
    const { method, path, query, body } = request;
    const what = nameOf(request);
    try {
      const octokit = await (loading ??= load());
      const answer: { status: number; headers: object; data: unknown } = await octokit.request({
        method,
        url: withQuery(path, query),
        headers: { 'x-github-api-version': '2022-11-28' },
        ...(body === undefined ? {} : { data: body }),
        // The body is a stream: a truncated one is then detected here instead of being treated as an empty text.
        request: { fetch: fetchOver({ ...bounds, what }, onRequest), parseSuccessResponseBody: false },
      });
      const { status, headers, data } = answer;
      const bytes = data instanceof ReadableStream ? await bytesOf(data) : Buffer.alloc(0);
      return await accept({ status, headers: headers as RestAnswer['headers'], body: bytes });
    } catch (error) {
      throw failureOf(error, request, (text) => (token === '' ? text : text.replaceAll(token, '***')));
    }
  };
}

/** For messages. */
export function nameOf({ method, path }: RestRequest): string {
  return `${method} ${path}`;
}

function withQuery(path: string, query: RestRequest['query']): string {
  if (query === undefined) return path;
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `${path}?${new URLSearchParams(pairs).toString()}`;
}

/** The options that GitHub's client passes to `fetch`. */
interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** For a repository that was renamed twice. */
const MAX_MOVES = 2;

/** `fetch` for GitHub's client. Redirects within the API are followed: the API uses them for renamed repositories. */
function fetchOver(bounds: Pick<HttpRequest, 'what' | 'limit' | 'idle' | 'maxBytes'>, onRequest = (): void => {}) {
  return async (address: string, { method, headers, body }: FetchInit): Promise<Response> => {
    let url: string | undefined = address;
    let answer: HttpAnswer;
    let moves = 0;
    do {
      onRequest();
      answer = await send({ ...bounds, method, url, headers, ...(body !== undefined && { body }) });
      url = moves < MAX_MOVES ? movedTo(answer, url) : undefined;
      moves += 1;
      if (url !== undefined) answer.discard();
    } while (url !== undefined);
    const { status } = answer;
    const isEmpty = status === 204 || status === 205 || (status >= 300 && status < 400);
    if (isEmpty) answer.discard();
    const stream = isEmpty ? null : ReadableStream.from(answer.body);
    return new Response(stream, { status, headers: pairsOf(answer.headers) });
  };
}

/** On the same origin only: the token is sent along. */
function movedTo({ status, headers: { location } }: HttpAnswer, from: string): string | undefined {
  if (![301, 307, 308].includes(status) || typeof location !== 'string') return undefined;
  const next = URL.parse(location, from);
  return next?.origin === new URL(from).origin ? next.href : undefined;
}

function pairsOf(headers: HttpAnswer['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
}

/** The error of GitHub's client for a status of 400 and up. */
const answeredSchema = z.object({
  status: z.int(),
  response: z.object({ headers: z.record(z.string(), z.unknown()), data: z.unknown() }),
});
const messageSchema = z.object({ message: z.string() });

/** The failure of a request. `clean` removes secrets from the service's texts. */
export function failureOf(thrown: unknown, request: RestRequest, clean: (text: string) => string): CallFailure {
  const { method, repeatable = method === 'GET' || method === 'DELETE' } = request;
  const failure = describe(thrown, nameOf(request), clean);
  const { kind, message, status, cause } = failure;
  // A rate limit applies before anything is done. A response of another shape keeps its classification.
  const mayPass = kind === 'rate-limited' || (repeatable && !(cause instanceof z.ZodError));
  return mayPass ? failure : new CallFailure(kind, message, { passing: false, status, cause });
}

function describe(thrown: unknown, what: string, clean: (text: string) => string): CallFailure {
  const known = callFailureOf(thrown) ?? callFailureOf(thrown instanceof Error ? thrown.cause : undefined);
  if (known !== undefined) return known;
  const answered = answeredSchema.safeParse(thrown);
  if (!answered.success) return noAnswer(what, thrown);
  const { status, response } = answered.data;
  const said = messageSchema.safeParse(response.data).data?.message;
  const headers = response.headers as Record<string, string>;
  return refusal(what, { status, headers }, said === undefined ? undefined : clean(said));
}
