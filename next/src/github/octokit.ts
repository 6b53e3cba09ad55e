import type { getOctokit } from '@actions/github';
import { z } from 'zod';
import { GatelineError, messageOf } from '../errors.ts';
import { defaultPause } from './retry.ts';

export type Octokit = ReturnType<typeof getOctokit>;

/** Milliseconds that one REST request may take. */
export const REQUEST_MS = 20_000;

/**
 * GitHub's REST client with a time limit for each request, and without retries: reads are repeated by `withRetry`,
 * writes are sent once. `GITHUB_API_URL` is read by the client when it is loaded.
 */
export async function createOctokit(token: string, requestMs = REQUEST_MS): Promise<Octokit> {
  const { getOctokit } = await import('@actions/github');
  const octokit = getOctokit(token);
  octokit.hook.before('request', (options) => {
    options.request = { signal: AbortSignal.timeout(requestMs), ...options.request };
  });
  return octokit;
}

/** The parts of a RequestError (@octokit/request-error) that decide anything. */
const requestErrorSchema = z.object({
  status: z.int(),
  response: z.object({ headers: z.record(z.string(), z.unknown()) }).optional(),
});

/** Status of a failed REST request; undefined: there was no answer. */
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

/** The failure of a REST request in words, with the block of `permissions:` that is probably missing. */
export function explainRequestError(error: unknown, what: string, permission: Permission): GatelineError {
  const status = statusOf(error);
  const message = `${what} failed: ${messageOf(error)}`;
  return new GatelineError('platform', message, { hint: hintOf(error, status, permission), cause: error });
}

function hintOf(error: unknown, status: number | undefined, permission: Permission): string | undefined {
  const block = `Add to the job:\npermissions:\n  contents: read\n  ${permission}`;
  if (status === 401) return 'The token is wrong or has expired: pass `github-token: ${{ github.token }}`.';
  if (status === 403 && pauseAfterRequest(error, 1) !== undefined)
    return 'The requests of an hour are used up: run the job again later.';
  if (status === 403) return block;
  if (status === 404) return `GitHub also answers 404 if the token must not read it. ${block}`;
  return status === undefined || status >= 500
    ? 'Run the job again when GitHub works: https://githubstatus.com'
    : undefined;
}
