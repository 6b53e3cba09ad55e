import type { RestRequest } from './rest-call.ts';

/** Permissions of a job's token by the part of the API below a repository. https://docs.github.com/rest */
const AREAS: Readonly<Record<string, string>> = {
  actions: 'actions',
  'check-runs': 'checks',
  statuses: 'statuses',
  // Of issues, only the comments of pull requests are used.
  issues: 'pull-requests',
  pulls: 'pull-requests',
  commits: 'contents',
  git: 'contents',
};

/** What a job needs under `permissions:` for a request, such as `actions: write`; `undefined`: unknown. */
export function permissionFor({ method, path }: Pick<RestRequest, 'method' | 'path'>): string | undefined {
  const [area = '', ...below] = /^\/repos\/[^/]+\/[^/]+\/(.+)$/.exec(path)?.[1]?.split('/') ?? [];
  const name = below.at(-1) === 'check-runs' ? 'checks' : AREAS[area];
  return name && `${name}: ${method === 'GET' ? 'read' : 'write'}`;
}
