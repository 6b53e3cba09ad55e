import { z } from 'zod';
import type { StoredCheckRun, World } from './model.ts';
import { Refusal, json, parseBody, type Reply, type ServiceRequest } from './protocol.ts';
import { authorise } from './rest-access.ts';
import { pageOf, restTime } from './rest-pages.ts';
import type { RestRoute } from './rest-route.ts';

/** Check runs, and what is asked of people and of commits. */
export const CHECK_ROUTES: readonly RestRoute[] = [
  { name: 'checks/create', method: 'POST', path: '/check-runs', work: create },
  { name: 'checks/list-for-ref', method: 'GET', path: '/commits/:id/check-runs', work: list },
  { name: 'repos/get-commit', method: 'GET', path: '/commits/:id', work: commit },
  {
    name: 'repos/get-collaborator-permission-level',
    method: 'GET',
    path: '/collaborators/:id/permission',
    work: permission,
  },
];

const bodySchema = z.looseObject({
  name: z.string(),
  head_sha: z.string(),
  external_id: z.string().max(255).default(''),
  status: z.literal('completed'),
  conclusion: z.enum(['success', 'failure', 'neutral']),
  output: z.looseObject({ title: z.string(), summary: z.string().max(65_535) }),
});

/** https://docs.github.com/rest/checks/runs */
function create(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['checks'], 'write');
  const { name, head_sha: headSha, external_id: externalId, conclusion, output } = parseBody(bodySchema, request);
  const id = 3_000_000_000 + world.nextNumber();
  const run: StoredCheckRun = {
    id,
    repository,
    name,
    headSha,
    externalId,
    conclusion,
    output,
    app: 'github-actions',
  };
  world.checkRuns.push(run);
  return json(201, document(world, run));
}

/** Newest first; without `filter=all` only the newest of each name and app. */
function list(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['checks'], 'read');
  const { searchParams } = request.url;
  const name = searchParams.get('check_name');
  const sha = wordIn(request, /\/commits\/([^/]+)\/check-runs$/);
  const found = world.checkRuns
    .filter((run) => run.repository === repository && run.headSha === sha && (name === null || run.name === name))
    .toReversed();
  const latest = [...new Map(found.toReversed().map((run) => [`${run.app} ${run.name}`, run])).values()];
  const shown = searchParams.get('filter') === 'all' ? found : latest;
  const { items, headers } = pageOf(request, shown);
  return json(200, { total_count: shown.length, check_runs: items.map((run) => document(world, run)) }, headers);
}

/** https://docs.github.com/rest/commits/commits#get-a-commit */
function commit(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'read');
  const sha = wordIn(request, /\/commits\/([^/]+)$/);
  const login = world.authors.get(sha);
  return json(200, { sha, author: login === undefined ? null : { login, type: 'User' } });
}

/** https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user */
function permission(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['actions', 'contents', 'checks', 'issues', 'pull-requests'], 'read');
  const login = decodeURIComponent(wordIn(request, /\/collaborators\/([^/]+)\/permission$/));
  const level = world.collaborators.get(login) ?? 'none';
  const type = login.endsWith('[bot]') ? 'Bot' : 'User';
  return json(200, { permission: level, role_name: level, user: { login, type } });
}

function wordIn({ url }: ServiceRequest, pattern: RegExp): string {
  const word = pattern.exec(url.pathname)?.[1];
  if (word === undefined) throw new Refusal(404, 'Not Found');
  return word;
}

function document(world: World, run: StoredCheckRun): object {
  const { id, name, headSha, externalId, conclusion, output, app } = run;
  return {
    id,
    name,
    head_sha: headSha,
    external_id: externalId,
    status: 'completed',
    conclusion,
    completed_at: restTime(world.now()),
    output: { ...output, text: null },
    app: { slug: app },
  };
}
