import { z } from 'zod';
import type { StoredPull, World } from './model.ts';
import { Refusal, empty, json, parseBody, type Reply, type ServiceRequest } from './protocol.ts';
import { authorise } from './rest-access.ts';
import { pageOf, restTime } from './rest-pages.ts';
import type { RestRoute } from './rest-route.ts';
import { addRun } from './workflow-runs.ts';

/** What starts runs and marks commits. `:path` is the rest of a path, with slashes. */
export const STEERING_ROUTES: readonly RestRoute[] = [
  {
    name: 'actions/create-workflow-dispatch',
    method: 'POST',
    path: '/actions/workflows/:id/dispatches',
    work: dispatch,
  },
  { name: 'git/get-ref', method: 'GET', path: '/git/ref/:path', work: getRef },
  { name: 'pulls/list', method: 'GET', path: '/pulls', work: listPulls },
  { name: 'pulls/create', method: 'POST', path: '/pulls', work: createPull },
  { name: 'pulls/get', method: 'GET', path: '/pulls/:id', work: getPull },
  { name: 'repos/create-commit-status', method: 'POST', path: '/statuses/:id', work: createStatus },
];

const dispatchSchema = z.object({ ref: z.string(), inputs: z.record(z.string(), z.string()).default({}) });

/** Most characters of all inputs together. */
const LONGEST_INPUTS = 65_535;

/** https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event */
function dispatch(world: World, request: ServiceRequest, repository: string): Reply {
  const { identity } = authorise(world, request, repository, ['actions'], 'write');
  const [, file = ''] = /\/actions\/workflows\/([^/]+)\/dispatches$/.exec(request.url.pathname) ?? [];
  const workflow = world.workflows.get(`.github/workflows/${decodeURIComponent(file)}`);
  if (workflow === undefined) throw new Refusal(404, 'Not Found');
  const { ref, inputs } = parseBody(dispatchSchema, request);
  const branch = ref.replace(/^refs\/heads\//, '');
  const headSha = world.heads.get(branch);
  if (headSha === undefined) throw new Refusal(422, `No ref found for: ${ref}`);
  if (workflow.inputs === undefined) throw new Refusal(422, "Workflow does not have 'workflow_dispatch' trigger");
  const unknown = Object.keys(inputs).filter((name) => !workflow.inputs!.includes(name));
  if (unknown.length > 0) throw new Refusal(422, `Unexpected inputs provided: ${JSON.stringify(unknown)}`);
  if (JSON.stringify(inputs).length > LONGEST_INPUTS) throw new Refusal(422, 'inputs are too large.');
  const run = addRun(world, {
    id: 90_000 + world.nextNumber(),
    repository,
    event: 'workflow_dispatch',
    path: workflow.path,
    headBranch: branch,
    headSha,
    actor: identity.login,
    status: 'queued',
    displayTitle: workflow.titleOf(inputs),
  });
  world.dispatches.push({ run: run.id, ref, inputs, sender: identity });
  return empty(204);
}

/** https://docs.github.com/rest/git/refs#get-a-reference */
function getRef(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['contents'], 'read');
  const [, branch = ''] = /\/git\/ref\/heads\/(.+)$/.exec(decodeURIComponent(request.url.pathname)) ?? [];
  const sha = world.heads.get(branch);
  if (sha === undefined) throw new Refusal(404, 'Not Found');
  return json(200, { ref: `refs/heads/${branch}`, object: { type: 'commit', sha } });
}

/** https://docs.github.com/rest/pulls/pulls#get-a-pull-request */
function getPull(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  authorise(world, request, repository, ['pull-requests'], 'read');
  const pull = world.pulls.find(({ number }) => number === id);
  if (pull === undefined) throw new Refusal(404, 'Not Found');
  return json(200, pullDocument(pull, repository));
}

/** Newest first. `head` is `<owner>:<branch>`. https://docs.github.com/rest/pulls/pulls#list-pull-requests */
function listPulls(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['pull-requests'], 'read');
  const { searchParams } = request.url;
  const state = searchParams.get('state') ?? 'open';
  const is = (name: string, value: string): boolean => [null, value].includes(searchParams.get(name));
  const found = world.pulls
    .filter((pull) => (state === 'all' || pull.state === state) && is('base', pull.base.ref))
    .filter(({ head }) => is('head', `${head.repository.split('/')[0]}:${head.ref}`))
    .toReversed();
  const { items, headers } = pageOf(request, found);
  return json(
    200,
    items.map((pull) => pullDocument(pull, repository)),
    headers,
  );
}

const pullSchema = z.object({ title: z.string(), head: z.string(), base: z.string(), body: z.string() });

/** https://docs.github.com/rest/pulls/pulls#create-a-pull-request */
function createPull(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['pull-requests'], 'write');
  const { title, head, base, body } = parseBody(pullSchema, request);
  const [from, into] = [world.heads.get(head), world.heads.get(base)];
  if (from === undefined || into === undefined) throw new Refusal(422, 'Validation Failed');
  const sides = { head: { ref: head, sha: from, repository }, base: { ref: base, sha: into } };
  const pull: StoredPull = { number: 100 + world.pulls.length, state: 'open', title, body, ...sides };
  world.pulls.push(pull);
  return json(201, pullDocument(pull, repository));
}

function pullDocument({ number, state, head, base }: StoredPull, repository: string): object {
  const side = ({ ref, sha, repository: of }: StoredPull['head']): object => {
    return { ref, sha, repo: of === '' ? null : { id: of === repository ? 1 : 2, full_name: of } };
  };
  return { number, state, head: side(head), base: side({ ...base, repository }) };
}

const statusSchema = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: z.string().default('default'),
  description: z.string().max(140).nullish(),
  target_url: z.string().nullish(),
});

/** https://docs.github.com/rest/commits/statuses#create-a-commit-status */
function createStatus(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['statuses'], 'write');
  const [, sha = ''] = /\/statuses\/([^/]+)$/.exec(request.url.pathname) ?? [];
  const { state, context, description, target_url: url } = parseBody(statusSchema, request);
  world.statuses.push({ sha, state, context, description: description ?? '', url: url ?? '' });
  return json(201, { state, context, description, target_url: url, created_at: restTime(world.now()) });
}
