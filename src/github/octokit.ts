import type { getOctokit } from '@actions/github';
import { z } from 'zod';
import { GatelineError, messageOf } from '../errors.ts';
import { defaultPause, withRetry } from './retry.ts';

export type Octokit = ReturnType<typeof getOctokit>;

/** A repository as the parameters of Octokit name it. */
export interface RepositoryParameters {
  readonly owner: string;
  readonly repo: string;
}

/** @param name `owner/name` */
export function repositoryParameters(name: string): RepositoryParameters {
  const [owner = '', repo = ''] = name.split('/');
  return { owner, repo };
}

/** GitHub's API for a repository. */
export class Github {
  readonly place: RepositoryParameters;
  /** Prints a line in the log. */
  readonly report: (line: string) => void;
  readonly #open: () => Promise<Octokit>;
  #client: Promise<Octokit> | undefined;

  /**
   * @param open loads the client, at the first use
   * @param report prints a line in the log: also before each further try
   */
  constructor(repository: string, open: () => Promise<Octokit>, report: (line: string) => void) {
    this.place = repositoryParameters(repository);
    this.#open = open;
    this.report = report;
  }

  octokit(): Promise<Octokit> {
    return (this.#client ??= this.#open());
  }

  /**
   * Sends a read request, and again if that may help. @returns its data
   * @param what the request in messages: `The request for the comments`
   * @param permission that the token needs
   * @throws GatelineError `platform` with the block of `permissions:` that is probably missing
   */
  async read<T>(
    what: string,
    permission: Permission,
    request: (octokit: Octokit, place: RepositoryParameters) => Promise<{ readonly data: T }>,
  ): Promise<T> {
    const octokit = await this.octokit();
    const deadline = Date.now() + READ_MS;
    const limits = { tryMs: REQUEST_MS, deadline, pauseAfter: pauseAfterRequest, report: this.report };
    try {
      return (await withRetry(what, () => request(octokit, this.place), limits)).data;
    } catch (error) {
      throw explainRequestError(what, permission, error);
    }
  }
}

/** Whether two repositories, as `owner/name`, are one; undefined: deleted, or unknown. */
export function isSameRepository(name: string | undefined, other: string): boolean {
  return name?.toLowerCase() === other.toLowerCase();
}

/** Milliseconds that one REST request may take. */
const REQUEST_MS = 20_000;
/** Milliseconds in which tries of a read may start. */
const READ_MS = 60_000;

/**
 * GitHub's REST client with a time limit for each request, and without retries: reads are repeated by `withRetry`,
 * writes are sent once. `GITHUB_API_URL` is read by the client when it is loaded.
 */
export async function createOctokit(token: string): Promise<Octokit> {
  const { getOctokit } = await import('@actions/github');
  const octokit = getOctokit(token);
  octokit.hook.before('request', (options) => {
    options.request = { signal: AbortSignal.timeout(REQUEST_MS), ...options.request };
  });
  octokit.hook.after('request', ({ data, headers }) => {
    if (isCut(data, headers)) throw new Error('the response was cut off');
  });
  return octokit;
}

/**
 * Whether a response was cut off: the client then returns empty data, or a text for JSON.
 * `getResponseData` of https://github.com/octokit/request.js/blob/main/src/fetch-wrapper.ts
 */
function isCut(data: unknown, headers: Readonly<Record<string, string | number | undefined>>): boolean {
  if (/^application\/json\b/.test(String(headers['content-type']))) return typeof data === 'string';
  const isEmpty = data === '' || (data instanceof ArrayBuffer && data.byteLength === 0);
  return isEmpty && Number(headers['content-length']) > 0;
}

/** The parts of a RequestError (@octokit/request-error) that are used here. */
const requestErrorSchema = z.object({
  status: z.int(),
  response: z.object({ headers: z.record(z.string(), z.unknown()) }).optional(),
});

/** Status of a failed REST request; undefined: there was no response. */
export function statusOf(error: unknown): number | undefined {
  return requestErrorSchema.safeParse(error).data?.status;
}

/**
 * Milliseconds until a REST request is repeated; undefined: its error is final. The client ignores `retry-after`.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export function pauseAfterRequest(error: unknown, tries: number): number | undefined {
  const { status, response } = requestErrorSchema.safeParse(error).data ?? {};
  if (status === undefined || status === 408 || status >= 500) return defaultPause(tries);
  const seconds = (value: unknown): number => (typeof value === 'string' ? Number(value) : Number.NaN);
  const after = seconds(response?.headers['retry-after']);
  if ((status === 403 || status === 429) && after >= 0) return Math.max(1_000, after * 1_000);
  const reset = seconds(response?.headers['x-ratelimit-reset']);
  if (response?.headers['x-ratelimit-remaining'] === '0' && reset > 0)
    return Math.max(1_000, reset * 1_000 - Date.now());
  return status === 429 ? defaultPause(tries) : undefined;
}

/** An entry of `permissions:` in a workflow: `actions: read`. */
export type Permission = `${'actions' | 'contents' | 'pull-requests'}: ${'read' | 'write'}`;

/** The error for a failed REST request. */
export function explainRequestError(what: string, permission: Permission, error: unknown): GatelineError {
  const hint = hintOf(permission, error);
  return new GatelineError('platform', `${what} failed: ${messageOf(error)}`, { hint, cause: error });
}

/** A block with the missing permission and the others that our actions need, so that it has to be added only once. */
function permissionsBlock(missing: Permission): string {
  const all: readonly Permission[] = ['contents: read', 'actions: read', 'pull-requests: read', missing];
  const byName = new Map(all.map((permission) => [permission.split(':')[0], permission]));
  return ['Give the job at least these:', 'permissions:', ...[...byName.values()].map((line) => `  ${line}`)].join(
    '\n',
  );
}

function hintOf(permission: Permission, error: unknown): string {
  const block = permissionsBlock(permission);
  const status = statusOf(error);
  if (status === 401) return 'The token is wrong or has expired: leave out `github-token`.';
  if (status === 403 && pauseAfterRequest(error, 1) !== undefined)
    return 'The limit of requests is reached: run the job again later.';
  if (status === 403) return block;
  if (status === 404) return `GitHub also says so if the token may not read it. ${block}`;
  return 'Run the job again when GitHub works: https://githubstatus.com';
}
