import type { Github } from './github.ts';
import { executeGraphql } from './graphql.ts';
import { Refusal, type Operation, type Reply, type Request } from './http.ts';
import type { Repository, RestToken } from './model.ts';
import { ACTIONS_ROUTES } from './rest-actions.ts';
import { ISSUE_ROUTES } from './rest-issues.ts';

/** What the handler of a route works with. */
export interface RestCall {
  readonly github: Github;
  readonly repository: Repository;
  readonly token: RestToken;
  readonly request: Request;
  /** Parameters of the path in their order. */
  readonly params: readonly string[];
}

/**
 * `path` is below `/repos/:owner/:repo`. `permission` is what GitHub demands of the token: `actions: read`; of several
 * names one suffices: `issues|pull-requests: write`; '': any token.
 */
export type RestRoute = readonly [
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  permission: string,
  work: (call: RestCall) => Reply,
];

const ROUTES = [...ACTIONS_ROUTES, ...ISSUE_ROUTES].map(([method, path, permission, work]) => ({
  method,
  route: `${method} ${path === '' ? '/' : path}`,
  pattern: new RegExp(
    `^/repos/([^/]+/[^/]+)${path.replaceAll(/:(\w+)/g, (_, name) => (name === 'path' ? '(.+)' : '([^/]+)'))}$`,
  ),
  permission,
  work,
}));

export function routeRest(github: Github, request: Request): Operation | undefined {
  const { method, url, headers } = request;
  const token = github.tokens.get((headers.authorization ?? '').replace(/^(?:token|bearer) /i, ''));
  const operation = { protocol: 'rest', job: token?.job } as const;
  if (method === 'POST' && url.pathname === '/graphql') {
    const execute = () => executeGraphql(github, known(token), request);
    return { ...operation, route: 'POST /graphql', subject: undefined, execute };
  }
  for (const { route, pattern, permission, work, ...entry } of ROUTES) {
    const match = entry.method === method ? pattern.exec(url.pathname) : null;
    if (match === null) continue;
    const [, name = '', ...params] = match.map(decodeURIComponent);
    const execute = (): Reply => {
      const repository = github.repositories.get(name);
      if (repository === undefined || known(token).repository !== name) throw new Refusal(404, 'Not Found');
      if (!isPermitted(known(token), permission)) throw new Refusal(403, 'Resource not accessible by integration');
      return work({ github, repository, token: known(token), request, params });
    };
    return { ...operation, route, subject: url.searchParams.get('name') ?? params[0], execute };
  }
  return undefined;
}

function known(token: RestToken | undefined): RestToken {
  if (token === undefined) throw new Refusal(401, 'Bad credentials');
  return token;
}

function isPermitted({ permissions }: RestToken, permission: string): boolean {
  if (permission === '' || permissions === 'all') return true;
  const [names = '', level] = permission.split(': ');
  return names.split('|').some((name) => permissions[name] === 'write' || permissions[name] === level);
}
