import { downloadAddress, isShownTo } from './artifact-service.ts';
import type { StoredArtifact, WorkflowRun, World } from './model.ts';
import { Refusal, empty, json, type Reply, type ServiceRequest } from './protocol.ts';
import { authorise, tokenOf } from './rest-access.ts';
import { pageOf, restTime } from './rest-pages.ts';
import type { RestRoute } from './rest-route.ts';

/** https://docs.github.com/rest/actions/artifacts */
export const ARTIFACT_ROUTES: readonly RestRoute[] = [
  { name: 'actions/list-artifacts-for-repo', method: 'GET', path: '/actions/artifacts', work: listOfRepository },
  { name: 'actions/get-artifact', method: 'GET', path: '/actions/artifacts/:id', work: get },
  { name: 'actions/delete-artifact', method: 'DELETE', path: '/actions/artifacts/:id', work: remove },
  { name: 'actions/download-artifact', method: 'GET', path: '/actions/artifacts/:id/zip', work: download },
  { name: 'actions/list-workflow-run-artifacts', method: 'GET', path: '/actions/runs/:id/artifacts', work: listOfRun },
];

function listOfRepository(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  return listing(world, request, repository, () => true);
}

function listOfRun(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  if (world.runs.get(id)?.repository !== repository) throw new Refusal(404, 'Not Found');
  return listing(world, request, repository, ({ run }) => run === id);
}

/** Newest first, expired ones too. */
function listing(
  world: World,
  request: ServiceRequest,
  repository: string,
  belongs: (artifact: StoredArtifact) => boolean,
): Reply {
  const name = request.url.searchParams.get('name');
  const caller = tokenOf(world, request)?.caller;
  const found = world.artifacts
    .filter((artifact) => isShown(world, artifact, repository) && belongs(artifact))
    .filter((artifact) => isShownTo(world, artifact, caller))
    .filter((artifact) => name === null || artifact.name === name)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
  const { items, headers } = pageOf(request, found);
  const artifacts = items.map((artifact) => document(world, artifact, repository));
  return json(200, { total_count: found.length, artifacts }, headers);
}

function get(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  return json(200, document(world, artifactOf(world, repository, id), repository));
}

/** Leads to the artifact's own bytes: a zip, or the file that was uploaded as it is. */
function download(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  const artifact = artifactOf(world, repository, id);
  if (artifact.expiresAt <= world.now()) throw new Refusal(410, 'Artifact has expired');
  return empty(302, { location: downloadAddress(world, artifact, tokenOf(world, request)?.caller) });
}

function remove(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  authorise(world, request, repository, ['actions'], 'write');
  world.artifacts.splice(world.artifacts.indexOf(artifactOf(world, repository, id)), 1);
  return empty(204);
}

function artifactOf(world: World, repository: string, id: number): StoredArtifact {
  const artifact = world.artifacts.find((one) => one.id === id && isShown(world, one, repository));
  if (artifact === undefined) throw new Refusal(404, 'Not Found');
  return artifact;
}

function isShown(world: World, artifact: StoredArtifact, repository: string): boolean {
  const run = world.runs.get(artifact.run);
  const isOfNewest = run?.attempt === artifact.attempt;
  const isHidden = world.behaviour.earlierAttempts === 'hidden' && !isOfNewest;
  return run?.repository === repository && artifact.finalized && !isHidden;
}

/** Nothing where the fork is deleted. */
function headRepositoryId(run: WorkflowRun | undefined, repository: string): number | null {
  if (run === undefined || run.headRepository === '') return null;
  return run.headRepository === repository ? 1 : 2;
}

function document(world: World, artifact: StoredArtifact, repository: string): object {
  const url = `${world.origin}/repos/${repository}/actions/artifacts/${artifact.id}`;
  const run = world.runs.get(artifact.run);
  return {
    id: artifact.id,
    node_id: `A_${artifact.id}`,
    name: artifact.name,
    size_in_bytes: artifact.size,
    url,
    archive_download_url: `${url}/zip`,
    expired: artifact.expiresAt <= world.now(),
    digest: artifact.digest,
    created_at: restTime(artifact.createdAt),
    updated_at: restTime(artifact.createdAt),
    expires_at: restTime(artifact.expiresAt),
    workflow_run: {
      id: artifact.run,
      repository_id: 1,
      head_repository_id: headRepositoryId(run, repository),
      head_branch: run?.headBranch,
      head_sha: run?.headSha,
    },
  };
}
