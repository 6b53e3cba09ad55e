import { z } from 'zod';
import type { Caller } from './caller.ts';
import { DEFAULT_RETENTION_DAYS, type StoredArtifact, type World } from './model.ts';
import { Refusal, json, parseBody, type Reply, type ServiceRequest } from './protocol.ts';
import { backendIds, type RuntimeToken } from './runtime-token.ts';

const owner = { workflow_run_backend_id: z.string(), workflow_job_run_backend_id: z.string() };
const createSchema = z.looseObject({
  ...owner,
  name: z.string().min(1),
  version: z.int(),
  mime_type: z.string().default('application/zip'),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});
const finalizeSchema = z.looseObject({
  ...owner,
  name: z.string().min(1),
  size: z.string().default('0'),
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});
const listSchema = z.looseObject({
  ...owner,
  name_filter: z.string().optional(),
  id_filter: z.string().optional(),
});
const namedSchema = z.looseObject({ ...owner, name: z.string().min(1) });

const FORBIDDEN_IN_NAMES = /[":<>|*?\r\n\\/]/;
const DAY = 24 * 60 * 60 * 1000;

/** Methods of `github.actions.results.api.v1.ArtifactService`. */
export const ARTIFACT_METHODS: Readonly<
  Record<string, (world: World, token: RuntimeToken, request: ServiceRequest) => Reply>
> = {
  CreateArtifact: create,
  FinalizeArtifact: finalize,
  ListArtifacts: list,
  GetSignedArtifactURL: signedUrl,
  DeleteArtifact: remove,
};

/** Whether listings show it to whoever asks: to its own job at once, to others when its time has come. */
export function isShownTo(
  { behaviour, now }: Pick<World, 'behaviour' | 'now'>,
  { run, attempt, job, createdAt }: StoredArtifact,
  caller: Caller | undefined,
): boolean {
  const isOwn = run === caller?.run && attempt === caller.attempt && job === caller.job;
  return isOwn || createdAt.getTime() + behaviour.shownAfter <= now().getTime();
}

/** Whether a job may read it. */
function isVisible(world: World, token: RuntimeToken, artifact: StoredArtifact): boolean {
  const ofAttempt =
    artifact.attempt === token.attempt ||
    (world.behaviour.earlierAttempts === 'visible' && artifact.attempt < token.attempt);
  return ofAttempt && artifact.run === token.run && artifact.finalized && artifact.expiresAt > world.now();
}

/** An address under which an artifact may be read, with the headers of an artifact's download. */
export function downloadAddress(world: World, artifact: StoredArtifact, caller: Caller | undefined): string {
  const isZip = artifact.mimeType === 'application/zip';
  const file = isZip && !artifact.name.endsWith('.zip') ? `${artifact.name}.zip` : artifact.name;
  const encoded = encodeURIComponent(file);
  const disposition = `${isZip ? 'attachment' : 'inline'}; filename="${file.replaceAll(/[^\x20-\x7e]/g, '_')}"; filename*=UTF-8''${encoded}`;
  const headers = { 'content-type': artifact.mimeType, 'content-disposition': disposition };
  const grant = { blob: artifact.blob, permission: 'read', caller, subject: artifact.name, headers } as const;
  return world.origin + world.blobs.sign(grant);
}

function create(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  const asked = parseBody(createSchema, request);
  verifyOwner(world, token, asked, 'job');
  const { behaviour, artifacts } = world;
  if (FORBIDDEN_IN_NAMES.test(asked.name)) throw new Refusal(400, 'artifact name contains invalid characters');
  if (asked.mime_type !== 'application/zip' && behaviour.rawUploads === 'refused') {
    throw new Refusal(400, 'unknown field "mime_type"');
  }
  const taken = artifacts.some(
    ({ run, attempt, name }) =>
      run === token.run &&
      name === asked.name &&
      (attempt === token.attempt || behaviour.sameNameOnRerun === 'conflict'),
  );
  if (taken) throw new Refusal(409, 'an artifact with this name already exists on the workflow run');
  const ofJob = artifacts.filter(
    ({ run, attempt, job }) => run === token.run && attempt === token.attempt && job === token.job,
  );
  if (ofJob.length >= behaviour.artifactsPerJob) throw new Refusal(400, 'too many artifacts for this job');
  const number = world.nextNumber();
  const createdAt = world.now();
  const latest = new Date(createdAt.getTime() + DEFAULT_RETENTION_DAYS * DAY);
  const artifact: StoredArtifact = {
    run: token.run,
    attempt: token.attempt,
    job: token.job,
    id: artifactId(behaviour.artifactIds, number),
    name: asked.name,
    mimeType: asked.mime_type,
    blob: `artifacts/${number}${asked.mime_type === 'application/zip' ? '.zip' : ''}`,
    createdAt,
    expiresAt: asked.expires_at === undefined ? latest : new Date(asked.expires_at),
    finalized: false,
    size: 0,
    digest: '',
  };
  artifacts.push(artifact);
  const grant = { blob: artifact.blob, permission: 'write', caller: token, subject: asked.name, headers: {} } as const;
  return json(200, { ok: true, signed_upload_url: world.origin + world.blobs.sign(grant) });
}

/** Unique for each of the first 100,000 numbers. */
function artifactId(order: 'rising' | 'falling' | 'shuffled', number: number): number {
  if (order === 'rising') return 4_000_000_000 + number;
  if (order === 'falling') return 4_000_000_000 - number;
  return 4_000_000_000 + ((number * 48_271) % 104_729);
}

function finalize(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  const asked = parseBody(finalizeSchema, request);
  verifyOwner(world, token, asked, 'job');
  const artifact = world.artifacts.find(
    (one) =>
      (!one.finalized || (world.behaviour.finalizeAgain === 'accepted' && one.digest === asked.hash)) &&
      one.name === asked.name &&
      one.run === token.run &&
      one.attempt === token.attempt &&
      one.job === token.job,
  );
  if (artifact === undefined) throw new Refusal(404, 'artifact not found');
  const size = world.blobs.blobs.get(artifact.blob)?.content.length;
  if (size === undefined) throw new Refusal(400, 'the artifact was not uploaded');
  if (size !== Number(asked.size)) throw new Refusal(400, `size ${asked.size} was told, ${size} bytes were uploaded`);
  Object.assign(artifact, { finalized: true, size, digest: asked.hash });
  return json(200, { ok: true, artifact_id: String(artifact.id) });
}

function list(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  const asked = parseBody(listSchema, request);
  verifyOwner(world, token, asked, 'run');
  const found = world.artifacts.filter(
    (artifact) =>
      isVisible(world, token, artifact) &&
      isShownTo(world, artifact, token) &&
      (asked.name_filter === undefined || artifact.name === asked.name_filter) &&
      (asked.id_filter === undefined || String(artifact.id) === asked.id_filter),
  );
  const listed = found.toSorted((a, b) => a.id - b.id).slice(0, world.behaviour.listingLimit);
  return json(200, {
    artifacts: listed.map((artifact) => ({
      ...ownerOf(world, artifact),
      database_id: String(artifact.id),
      name: artifact.name,
      size: String(artifact.size),
      created_at: artifact.createdAt.toISOString(),
      digest: artifact.digest,
    })),
  });
}

function signedUrl(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  return json(200, { signed_url: downloadAddress(world, named(world, token, request), token) });
}

function remove(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  const artifact = named(world, token, request);
  world.artifacts.splice(world.artifacts.indexOf(artifact), 1);
  return json(200, { ok: true, artifact_id: String(artifact.id) });
}

/**
 * The artifact that a request names, of whichever job of the run: any job may read and delete any artifact of its run. Where
 * each attempt has an id of its own, that of the artifact's attempt is asked for: under any other there is no such artifact.
 */
function named(world: World, token: RuntimeToken, request: ServiceRequest): StoredArtifact {
  const asked = parseBody(namedSchema, request);
  if (world.behaviour.backendIds === 'per-run') verifyOwner(world, token, asked, 'run');
  const artifact = world.artifacts.find((one) => {
    const ids = ownerOf(world, one);
    return (
      isVisible(world, token, one) &&
      one.name === asked.name &&
      ids.workflow_run_backend_id === asked.workflow_run_backend_id &&
      ids.workflow_job_run_backend_id === asked.workflow_job_run_backend_id
    );
  });
  if (artifact === undefined) throw new Refusal(404, 'artifact not found');
  return artifact;
}

interface Owner {
  readonly workflow_run_backend_id: string;
  readonly workflow_job_run_backend_id: string;
}

function ownerOf({ behaviour }: World, of: Caller): Owner {
  const { run, job } = backendIds(of, behaviour.backendIds);
  return { workflow_run_backend_id: run, workflow_job_run_backend_id: job };
}

/** Holds a request to the token's scope, `Actions.Results:<run>:<job>`. */
function verifyOwner({ behaviour }: World, token: RuntimeToken, asked: Owner, level: 'run' | 'job'): void {
  const ids = backendIds(token, behaviour.backendIds);
  const ofJob = level === 'run' || asked.workflow_job_run_backend_id === ids.job;
  if (asked.workflow_run_backend_id !== ids.run || !ofJob) {
    throw new Refusal(403, 'the token is for another run or job');
  }
}
