import { z } from 'zod';
import { createBlob, signAddress } from './blobs.ts';
import type { Github } from './github.ts';
import { Refusal, json, parseBody, type Reply, type Request } from './http.ts';
import type { Artifact, JobIdentity } from './model.ts';
import { backendIds, type RuntimeToken } from './runtime-token.ts';

const owner = { workflow_run_backend_id: z.string(), workflow_job_run_backend_id: z.string() };
const createSchema = z.looseObject({
  ...owner,
  name: z.string().regex(/^[^":<>|*?\r\n\\/]+$/),
  version: z.int(),
  mime_type: z.string().default('application/zip'),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});
const finalizeSchema = z.looseObject({
  ...owner,
  name: z.string(),
  size: z.string().default('0'),
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});
const listSchema = z.looseObject({ ...owner, name_filter: z.string().optional(), id_filter: z.string().optional() });
const nameSchema = z.looseObject({ ...owner, name: z.string() });

const DEFAULT_RETENTION = 90 * 24 * 60 * 60 * 1000;
/** Artifacts of one job. */
const MAX_ARTIFACTS = 500;

type Method = (github: Github, token: RuntimeToken, request: Request) => Reply;

/** Methods of `github.actions.results.api.v1.ArtifactService`. */
export const ARTIFACT_METHODS: Readonly<Record<string, Method>> = {
  CreateArtifact: create,
  FinalizeArtifact: finalize,
  ListArtifacts: list,
  GetSignedArtifactURL: sign,
  DeleteArtifact: remove,
};

export function createArtifact(
  github: Github,
  job: JobIdentity,
  fields: Pick<Artifact, 'name' | 'mimeType'> & Partial<Artifact>,
): Artifact {
  const now = github.now();
  const artifact: Artifact = {
    ...job,
    id: 4_000_000_000 + github.nextNumber(),
    createdAt: now,
    expiresAt: new Date(now.getTime() + DEFAULT_RETENTION),
    finalized: false,
    size: 0,
    digest: '',
    blob: createBlob(),
    ...fields,
  };
  github.repository(job.repository).artifacts.push(artifact);
  return artifact;
}

/** A signed address with the headers of an artifact's download: an archive is attached, a raw file is shown. */
export function downloadAddress(github: Github, artifact: Artifact, job: JobIdentity | undefined): string {
  const { name, mimeType, blob } = artifact;
  const isZip = mimeType === 'application/zip';
  const file = isZip && !name.endsWith('.zip') ? `${name}.zip` : name;
  const names = `filename="${file.replaceAll(/[^\x20-\x7e]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(file)}`;
  const disposition = `${isZip ? 'attachment' : 'inline'}; ${names}`;
  const headers = { 'content-type': mimeType, 'content-disposition': disposition };
  return signAddress(github, { blob, mode: 'read', job, subject: name, headers });
}

function create(github: Github, token: RuntimeToken, request: Request): Reply {
  const { name, mime_type: mimeType, expires_at, ...ids } = parseBody(createSchema, request);
  verifyOwner(github, token, ids, true);
  const ofRun = github.repository(token.repository).artifacts.filter(({ runId }) => runId === token.runId);
  const isTaken = (other: Artifact): boolean =>
    other.name === name && (github.mode === 'run' || other.runAttempt === token.runAttempt);
  if (ofRun.some(isTaken)) throw new Refusal(409, 'an artifact with this name already exists on the workflow run');
  if (ofRun.filter((artifact) => isOfJob(artifact, token)).length >= MAX_ARTIFACTS)
    throw new Refusal(400, 'too many artifacts for this job');
  const { scopes: _, ...job } = token;
  const expiry = expires_at === undefined ? {} : { expiresAt: new Date(expires_at) };
  const { blob } = createArtifact(github, job, { name, mimeType, ...expiry });
  return json(200, { ok: true, signed_upload_url: signAddress(github, { blob, mode: 'write', job, subject: name }) });
}

function finalize(github: Github, token: RuntimeToken, request: Request): Reply {
  const { name, size, hash: digest, ...ids } = parseBody(finalizeSchema, request);
  verifyOwner(github, token, ids, true);
  const artifact = github
    .repository(token.repository)
    .artifacts.find((other) => other.name === name && !other.finalized && isOfJob(other, token));
  if (artifact === undefined) throw new Refusal(404, 'artifact not found');
  if (artifact.blob.content?.length !== Number(size)) throw new Refusal(400, 'the upload has another size');
  Object.assign(artifact, { finalized: true, size: Number(size), digest });
  return json(200, { ok: true, artifact_id: String(artifact.id) });
}

function list(github: Github, token: RuntimeToken, request: Request): Reply {
  const { name_filter: name, id_filter: id, ...ids } = parseBody(listSchema, request);
  verifyOwner(github, token, ids, false);
  const artifacts = visible(github, token).filter(
    (artifact) => artifact.name === (name ?? artifact.name) && String(artifact.id) === (id ?? String(artifact.id)),
  );
  return json(200, {
    artifacts: artifacts.map((artifact) => ({
      ...backendIds(github, artifact),
      database_id: String(artifact.id),
      name: artifact.name,
      size: String(artifact.size),
      created_at: artifact.createdAt.toISOString(),
      digest: artifact.digest,
    })),
  });
}

function sign(github: Github, token: RuntimeToken, request: Request): Reply {
  const { name, ...ids } = parseBody(nameSchema, request);
  verifyOwner(github, token, ids, false);
  const artifact = visible(github, token).find(
    (other) =>
      other.name === name && backendIds(github, other).workflow_job_run_backend_id === ids.workflow_job_run_backend_id,
  );
  if (artifact === undefined) throw new Refusal(404, 'artifact not found');
  return json(200, { signed_url: downloadAddress(github, artifact, token) });
}

/** Any job of a run may delete its artifacts. */
function remove(github: Github, token: RuntimeToken, request: Request): Reply {
  const { name, ...ids } = parseBody(nameSchema, request);
  verifyOwner(github, token, ids, false);
  const artifact = visible(github, token).find((other) => other.name === name);
  if (artifact === undefined) throw new Refusal(404, 'artifact not found');
  const { artifacts } = github.repository(token.repository);
  artifacts.splice(artifacts.indexOf(artifact), 1);
  return json(200, { ok: true, artifact_id: String(artifact.id) });
}

/** The artifacts that a job can read internally: of its whole run, or of its run attempt only. */
function visible(github: Github, { repository, runId, runAttempt }: RuntimeToken): Artifact[] {
  return github
    .repository(repository)
    .artifacts.filter((artifact) => artifact.runId === runId && artifact.finalized)
    .filter((artifact) => github.mode === 'run' || artifact.runAttempt === runAttempt)
    .filter(({ expiresAt }) => expiresAt > github.now());
}

function isOfJob(artifact: Artifact, token: RuntimeToken): boolean {
  return artifact.runId === token.runId && artifact.runAttempt === token.runAttempt && artifact.job === token.job;
}

/** Holds a request to the token's scope `Actions.Results:<run>:<job>`. */
function verifyOwner(
  github: Github,
  token: RuntimeToken,
  ids: { readonly workflow_run_backend_id: string; readonly workflow_job_run_backend_id: string },
  mustBeOfJob: boolean,
): void {
  const scope = backendIds(github, token);
  const isJob = ids.workflow_job_run_backend_id === scope.workflow_job_run_backend_id;
  if (ids.workflow_run_backend_id !== scope.workflow_run_backend_id || (mustBeOfJob && !isJob))
    throw new Refusal(403, 'the token is for another run or job');
}
