import type { World } from './model.ts';
import { Refusal, type Operation, type ServiceRequest } from './protocol.ts';
import { rateLimitHeaders, tokenOf } from './rest-access.ts';
import { routeAccount } from './rest-account.ts';
import { ARTIFACT_ROUTES } from './rest-artifacts.ts';
import { CACHE_ROUTES } from './rest-caches.ts';
import { CHECK_ROUTES } from './rest-checks.ts';
import { COMMENT_ROUTES } from './rest-comments.ts';
import { GIT_ROUTES } from './rest-git.ts';
import { RUN_ROUTES } from './rest-runs.ts';
import { STEERING_ROUTES } from './rest-steering.ts';

const ROUTES = [
  ...ARTIFACT_ROUTES,
  ...CACHE_ROUTES,
  ...RUN_ROUTES,
  ...COMMENT_ROUTES,
  ...CHECK_ROUTES,
  ...STEERING_ROUTES,
  ...GIT_ROUTES,
].map((route) => ({
  ...route,
  pattern: new RegExp(
    `^/repos/([^/]+/[^/]+)${route.path.replace(':path', '(.+)').replaceAll(/:(?:id|n)/g, '([^/]+)')}$`,
  ),
}));

/**
 * The calls of REST that are about artifacts, caches, runs, jobs, comments, check runs, collaborators, what starts runs and marks
 * commits, objects of git, and the account.
 */
export function routeRest(request: ServiceRequest, world: World): Operation | undefined {
  for (const { name, method, pattern, work } of ROUTES) {
    const match = method === request.method ? pattern.exec(request.url.pathname) : null;
    if (match === null) continue;
    const [, repository = '', id, n] = match;
    const token = tokenOf(world, request);
    return {
      name,
      protocol: 'rest',
      caller: token?.caller,
      subject: request.url.searchParams.get('name') ?? id,
      carryOut: (received) => {
        if (token !== undefined) token.used += 1;
        const headers = token === undefined ? {} : rateLimitHeaders(world, token);
        try {
          const reply = work(world, received, repository, Number(id), n === undefined ? undefined : Number(n));
          return { ...reply, headers: { ...headers, ...reply.headers } };
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          throw new Refusal(error.status, error.message, { ...headers, ...error.headers });
        }
      },
    };
  }
  return routeAccount(request, world);
}
