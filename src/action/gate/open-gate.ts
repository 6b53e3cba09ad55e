import type { Folder } from '../../local/folder/folder.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors.ts';
import { NO_DIGEST, type Digest } from '../../json/digest.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import { checkpointOf } from '../../engine/plan/checkpoints.ts';
import { originHow } from '../../run/checkpoint.ts';
import { originOf } from '../../run/entry.ts';
import {
  approvalDigest,
  type DocumentReference,
  type HandedFile,
  type OutputDecision,
} from '../../store/github/document.ts';
import { findAttempt } from '../../store/github/find-attempt.ts';
import { createFileReader, readAttempt } from '../../store/github/attempts.ts';
import { explainDistrust, type ReuseScope } from '../../store/github/trusted-run.ts';
import { leadsOut } from '../../workspace/hand-on.ts';
import { parseVersion } from '../../workspace/tree.ts';
import { readCommentDecisions } from '../comment-decisions.ts';
import { verifyDecision } from '../verify-decision.ts';
import { parseRework, readRework } from '../rework.ts';
import { readDispatchDecisions, toDecisionEntry } from '../dispatch-decisions.ts';
import type { EarlierOutput } from './job-stores.ts';
import { mirrorJob, openJob, type OpenJob } from './gate-job.ts';
import { withSecretValues, type Inputs } from '../inputs.ts';
import { authorWithoutSecrets, type Job } from '../job.ts';
import { readNeeds } from './needs.ts';
import { prepareGate, type PreparedGate } from './prepare-gate.ts';
import { definitionPlace, type Services } from '../services.ts';

/** The gate of a job, opened in its folder, which has the files of its needs. */
export interface OpenGate extends OpenJob {
  readonly services: Services;
}

/** Opens the gate of a job: reads and verifies everything before an agent starts. */
export async function openGate(job: Job, inputs: Inputs<'gate'>, services: Services): Promise<OpenGate> {
  const prepared = await readGate(job, inputs, services);
  const environment = withSecretValues(services.environment, inputs['secret-values'], prepared.gate.secrets);
  for (const name of prepared.gate.secrets) services.runner.mask(environment[name] ?? '');
  const decided = await readDecisions(job, prepared, inputs, services, environment);
  const gateJob = {
    ...prepared.gateJob,
    entries: [...prepared.gateJob.entries, ...decided.entries],
    secrets: prepared.gate.secrets.filter((name) => environment[name]),
  };
  const gate: OpenGate = { ...(await openJob(gateJob, environment, services.observe)), services };
  gate.checkpoints.findEarlier = (fingerprint) => findEarlier(gate, job, inputs, fingerprint, decided.outputs);
  for (const text of [...prepared.contents, ...decided.contents]) await gate.ports.contents.put([text]);
  await writeHandedFiles(gate.folder, gateJob.inherited, createFileReader(services.artifacts, job.runId));
  await mirrorJob(gate);
  return gate;
}

/** Reads and verifies what the gate of a job works on. */
export function readGate(job: Job, inputs: Inputs<'gate'>, services: Services): Promise<PreparedGate> {
  return prepareGate(job, inputs, definitionPlace(job, services, inputs.path), {
    read: (jobs, pipeline) => readNeeds(services.artifacts, jobs, { pipeline, runId: job.runId }),
    verifyDecision: (document, pipeline) => verifyDecision(job, services, pipeline, document),
  });
}

/** The decisions about the unit in the inputs of a dispatch, and the rework that a report dispatched. */
async function readDecisions(
  job: Job,
  { gateJob, gate }: PreparedGate,
  inputs: Inputs<'gate'>,
  services: Services,
  environment: Environment,
) {
  const at = new Date().toISOString();
  const { entries: decisions, actor, output } = await readDispatchDecisions(job, gateJob, services.github);
  const entries = decisions.map((decision) => toDecisionEntry(gateJob, at, { ...decision, actor }));
  const unset = gate.secrets.filter((name) => !environment[name]).join(', ');
  const author = authorWithoutSecrets(job);
  if (unset !== '' && author !== undefined) {
    if (inputs['no-secret'] === 'fail')
      throw new GatelineError('failed', `${gate.id} needs ${unset}, and ${author} has no secrets`, {
        hint: '`no-secret: skip` lets such a gate be skipped there; Dependabot has secrets of its own.',
      });
    entries.push(
      toDecisionEntry(gateJob, at, { decision: 'skip', actor: 'gateline', reason: `${author} has no ${unset}` }),
    );
  }
  const outputs = output ? [output] : [];
  const rework = parseRework(job.dispatch.rework);
  if (rework?.gate !== gate.id) return { entries, contents: [], outputs };
  const { runId } = rework;
  const reason = await explainDistrust(services.github, scopeOf(job), { runId, runAttempt: 1 });
  if (reason !== undefined) throw new GatelineError('failed', `run ${runId} cannot send work back: ${reason}`);
  const source = { job: gate.id, pipeline: gateJob.pipeline.id, runId };
  const read = (reference: DocumentReference) => readAttempt(services.artifacts, reference, source);
  const { entry, values } = await readRework(gateJob, at, rework, read);
  return { entries: [...entries, entry], contents: values.map(canonicalJson), outputs };
}

function scopeOf({ repository, workflow, trust, pullRequest }: Job): ReuseScope {
  return {
    repository,
    workflow,
    branches: trust.usesFrom,
    pullRequest: trust.isOutside ? undefined : pullRequest?.number,
  };
}

/** Finds the output of an earlier job for a request, and stores its contents and files here. */
async function findEarlier(
  gate: OpenGate,
  job: Job,
  inputs: Inputs<'gate'>,
  fingerprint: Digest,
  dispatched: readonly OutputDecision[],
): Promise<EarlierOutput | undefined> {
  const { gateJob, services, unit, ports, folder } = gate;
  // Read early only in a re-run: its earlier attempts may have outputs that only a comment approves.
  const comments = job.runAttempt > 1 ? readComments(gate) : undefined;
  const { attempt, notes, refusal } = await findAttempt(
    { ...services, job },
    {
      fingerprint,
      pipeline: gateJob.pipeline.id,
      unit: unit.key,
      scope: scopeOf(job),
      resume: runToResume(inputs.resume ?? job.dispatch.resume),
      preferred: new Set(dispatched.map(({ digest }) => digest)),
      approvals: comments ? comments.then((list) => new Set(list.map(({ digest }) => digest))) : new Set(),
    },
  );
  for (const note of notes) services.runner.info(note);
  // The next iteration of a loop resumes by itself: there the agent works again.
  if (refusal !== undefined && job.dispatch.rework === undefined)
    throw new GatelineError('failed', refusal, { hint: FORGOTTEN });
  if (attempt === undefined) {
    services.runner.info(`No earlier run has an output of ${unit.key} for this request.`);
    if (unit.gate.inputs === undefined) services.runner.info(READS_ALL);
    return undefined;
  }
  const { document, reference } = attempt;
  const { entry, output, startedAt, costOfOutput } = document;
  const files = document.files.filter((file) => file.unit === unit.key);
  try {
    await storeFiles(folder, files, createFileReader(services.artifacts, document.job.runId));
  } catch (error) {
    services.runner.info(`run ${document.job.runId} is not used: ${messageOf(error)}`);
    return undefined;
  }
  if (output !== undefined) await ports.contents.put([canonicalJson(output)]);
  const decisions = [...dispatched, ...(await (comments ?? readComments(gate)))];
  const digest = approvalDigest(entry.fingerprint, reference.digest);
  // NO_DIGEST differs from every contract, so the engine judges the output again and makes its exports.
  const judged = { ...entry, contract: NO_DIGEST };
  const checkpoint = checkpointOf(judged, { attempt: originOf(entry), how: originHow(entry.how), startedAt });
  const decision = decisions.findLast((other) => other.digest === digest);
  return { checkpoint: { ...checkpoint, ...costOfOutput }, document, reference, decision };
}

const READS_ALL =
  'A gate without `inputs` reads every file, so each change is another request: name there what the agent reads.';

const FORGOTTEN =
  'GitHub removes entries of the cache that nobody has read for a week, and old ones over 10 GB. Start the workflow without `resume`: the agent works again.';

/** Reads decisions in comments on the pull request, if outputs of the gate may need an approval. */
async function readComments({ gateJob, unit, services }: OpenGate): Promise<readonly OutputDecision[]> {
  const { approval, contract } = unit.gate;
  const canBePartial = contract.score !== undefined && contract.partial !== 'continue';
  if (gateJob.pullRequest === undefined || (approval === undefined && !canBePartial)) return [];
  try {
    return await readCommentDecisions(services.github, gateJob.pullRequest, unit.key);
  } catch (error) {
    const hint = 'Its job needs `pull-requests: read`.';
    const message = `The comments cannot be read, so nothing is approved: ${messageOf(error)}. ${hint}`;
    services.runner.annotate('warning', message);
    return [];
  }
}

function runToResume(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = /(?:^|\/runs\/)(\d{1,16})(?:[/?#].*)?$/.exec(text.trim())?.[1];
  if (id !== undefined) return Number(id);
  throw new GatelineError('usage', '`resume` is not the id or the address of a run', {
    hint: 'Both are in the address of its page: https://github.com/OWNER/NAME/actions/runs/ID.',
  });
}

type ReadFile = (file: HandedFile) => Promise<Uint8Array>;

/**
 * Stores the handed-on versions of files.
 * @throws GatelineError `failed` if bytes do not match the version, or a link leads out of the folder
 */
async function storeFiles({ git }: Folder, files: readonly HandedFile[], readBytes: ReadFile): Promise<void> {
  for (const file of files) {
    const version = parseVersion(file.after);
    if (version === undefined) continue;
    const bytes = await readBytes(file);
    if (leadsOut(file.path, file.after, bytes))
      throw new GatelineError('failed', `the link ${file.path} of ${file.unit} leads out of the folder`);
    const blob = await git.storeBytes(bytes);
    if (blob !== version.blob)
      throw new GatelineError('failed', `the file ${file.path} of ${file.unit} is not what its document says`);
  }
}

/**
 * Writes the files that needs hand on, over the versions that their gates found.
 * @throws GatelineError `failed` naming a file with another version here
 */
export async function writeHandedFiles(
  folder: Folder,
  files: readonly HandedFile[],
  readBytes: ReadFile,
): Promise<void> {
  if (files.length === 0) return;
  const versions = await folder.git.listFiles(await folder.git.takeSnapshot());
  const changes = files.flatMap((file) => {
    const { path, base, found, after, unit } = file;
    const before = versions.get(path) ?? null;
    if (before === after) return [];
    if (before === base || found.includes(before)) return [{ file, change: { path, before, after } }];
    throw new GatelineError('failed', `${path} has another version here than ${unit} found and made`, {
      hint: `A step before this one changed it, or the checkout is of another commit than that of ${unit}.`,
    });
  });
  await storeFiles(
    folder,
    changes.map(({ file }) => file),
    readBytes,
  );
  const refused = await folder.git.put(changes.map(({ change }) => change));
  if (refused.length > 0)
    throw new GatelineError('failed', `files that gates before made cannot be written: ${refused.join(', ')}`);
}
