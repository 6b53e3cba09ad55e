import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';

/** The account of a job's own token. */
export const ACTIONS_BOT = 'github-actions[bot]';

const viewerSchema = z.object({ data: z.object({ viewer: z.object({ login: z.string().min(1) }) }) });
const userSchema = z.object({ login: z.string().min(1) });

/**
 * The login that a token's comments have. GraphQL's `viewer` returns it for every kind of token; `GET /user`, which is
 * not available to apps and to a job's own token, is used if there is no GraphQL. If neither returns it, the token is
 * assumed to be a job's own. One request; two or three without GraphQL.
 *
 * Only a hint: the author in the answer to a new comment takes precedence.
 *
 * @throws GatelineError `REST_OUTAGE`, `REST_RATE_LIMITED`
 */
export async function identify(rest: RestClient): Promise<string> {
  const viewer = await unlessRefused(async () => {
    const body = { query: 'query { viewer { login } }' };
    const request = { method: 'POST', path: graphqlAddress(rest.apiUrl), body, repeatable: true } as const;
    return (await rest.call(request, viewerSchema)).data.viewer;
  });
  const user = viewer ?? (await unlessRefused(() => rest.call({ method: 'GET', path: '/user' }, userSchema)));
  return user?.login ?? ACTIONS_BOT;
}

/** On an Enterprise Server, GraphQL is next to `/api/v3`. */
function graphqlAddress(apiUrl: string): string {
  return `${apiUrl.replace(/\/api\/v3$/, '/api')}/graphql`;
}

const REFUSALS = new Set(['REST_DENIED', 'REST_NOT_FOUND', 'REST_REFUSED', 'REST_ANSWER_INVALID']);

async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GatelineError && REFUSALS.has(error.code)) return undefined;
    throw error;
  }
}
