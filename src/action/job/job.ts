import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { arch, pid, platform } from 'node:process';
import type { AttemptFiles } from '../../agent/attempt-files.ts';
import { createAttemptFiles } from '../../agent/process/attempt-directory.ts';
import { createProcessAgent } from '../../agent/process/process-agent.ts';
import { toolVersion } from '../../agent/process/tool-version.ts';
import type { Assignment } from '../../engine/call/call.ts';
import type { ClaimToken } from '../../engine/attempt/claim-token.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { JobCall } from '../../engine/upstream/job-call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { AgentStateFiles } from '../../local/state-files/agent-state-files.ts';
import { orchestratorMetadata } from '../../formats/state-guide/state-metadata.ts';
import { withReportedMetrics } from '../../local/reported-metrics.ts';
import type { MirrorFormat } from '../../pipeline/job-settings.ts';
import { unitKey, type Gate, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import { withoutNamed, type Environment } from '../../environment.ts';
import { loadSchemaLibraries } from '../../verdict/json-schema/compile-schema.ts';
import { openWorkspace, type WorkspaceOptions } from '../../workspace/open-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { awaitingList } from '../records/awaited-records.ts';
import { begunPipeline, unknownToken } from './begun-pipeline.ts';
import { claimListing } from '../records/claim-listing.ts';
import { commandEnvironment, jobTokens } from './command-environment.ts';
import { findDefinition, type Definition } from './definition.ts';
import { pipelineIdOf } from './describe-gate.ts';
import { readGivenMetrics } from './given-metrics.ts';
import { withGivenOutput } from './given-output.ts';
import type { ActionInvocation } from '../invocation.ts';
import { isJobOver, numbersOf, processesOf, writerOf } from '../event/job-identity.ts';
import { endedJobs, outputDigests } from '../inputs/job-results.ts';
import { jobSubject, setOfJob } from './job-subject.ts';
import { openJobStore, type JobStore } from '../records/job-store.ts';
import { definedInFile, describedHere, standInsOf } from './gate-of-job.ts';
import { generatedFiles, mirroredFiles, withOutputFile } from './output-file.ts';
import { withoutRepository } from './unreadable-workspace.ts';
import { underReview } from '../event/head-commit.ts';
import { restOfStep } from '../event/rest-client.ts';
import { decisionSource } from '../decisions/decision-source.ts';
import { workflowBlob } from '../event/workflow-blob.ts';
import { checkInputs } from './wrong-inputs.ts';

/** The context of every step that works on a gate. */
export interface JobContext {
  readonly definition: Definition;
  readonly store: JobStore;
  readonly ports: EnginePorts;
  /** The systems whose files the job has, as the step or the definition asks. Without `stateFiles`: none. */
  readonly mirror: readonly MirrorFormat[];
  readonly stateFiles?: AgentStateFiles;
}

/** Everything that a step needs to work on the gate of its job. */
export interface Job extends JobContext {
  readonly assignment: Assignment;
  readonly gate: Gate;
  readonly key: UnitKey;
  readonly call: JobCall;
}

/**
 * Opens the gate of this job: the definition for this event, the run's records, and the engine's ports.
 * @throws GatelineError, ActionInputsError, PipelineInvalidError for any problem; nothing has been written then
 */
export async function openJob(invocation: ActionInvocation): Promise<Job> {
  const { inputs, event } = invocation;
  const around = await openSurroundings(invocation);
  const { definition, store, ports } = around;
  const input = await checkInputs(inputs, event, definition);
  const found =
    definition.pipeline === undefined
      ? await describedHere(invocation, store)
      : definedInFile(definition.pipeline, invocation);
  const { gate, pipeline } = found;
  const set = await setOfJob(invocation, around);
  const subject = set?.subject;
  // While GitHub is asked for records. Whoever compiles the schema gets the error.
  if (gate.contract.schema !== undefined) loadSchemaLibraries().catch(() => undefined);
  const isInWorkflow = gate.run === undefined && gate.uses === undefined;
  const workflow = isInWorkflow ? await workflowBlob(event, ports.environment, definition.commit) : undefined;
  const given = { ...pipeline.metadata, ...inputs.metadata, ...subject?.metadata };
  const metadata = { ...orchestratorMetadata(input), ...given };
  const assignment: Assignment = {
    pipeline,
    ...found.about,
    task: subject?.task ?? inputs.task ?? pipeline.task,
    metadata,
    input,
    rework: event.rework,
    ...(await standInsOf(invocation, around, { ...found.about, pipeline, metadata })),
    ...(workflow && { workflow }),
  };
  const resumedRun = store.resumed?.runNumber;
  const call: JobCall = {
    ...found.call,
    call: { ...found.call.call, ...(resumedRun !== undefined && { resumedRun }) },
    commit: event.trust.contractFrom.commit,
    digests: outputDigests(inputs.needs),
    hiddenBy: () => store.artifacts.hiddenBy(),
  };
  return { ...around, ports: set?.portsFor(assignment) ?? ports, assignment, gate, key: found.key, call };
}

/**
 * Opens the gate of a claim, for the steps after the agent: details of the gate that are not in a file are in its
 * request. The claim is on this runner, where `begin` stored it; GitHub is asked only if it is not.
 * @param store opened to end this claim
 * @throws GatelineError as {@link openJob}; `TOKEN_UNKNOWN` if no record matches the token, `ARTIFACTS_OUTAGE` if that
 *   cannot be determined
 */
export async function openClaimedJob(invocation: ActionInvocation, token: ClaimToken, store: JobStore): Promise<Job> {
  const { inputs, event } = invocation;
  const around = await openSurroundings(invocation, { token, store });
  const { definition } = around;
  const key = unitKey(token.gate, token.leg);
  const pipelineId = token.pipeline ?? definition.pipeline?.id ?? inputs.pipeline ?? pipelineIdOf(event.startedFile);
  const listing = await claimListing(store, pipelineId, token);
  const fromFile = definition.pipeline?.id === pipelineId ? definition.pipeline : undefined;
  const pipeline = fromFile
    ? withLegOf(token, fromFile)
    : await begunPipeline(store.records, pipelineId, listing.records, token);
  const gate = pipeline.gates.find(({ id }) => id === token.gate);
  if (gate === undefined) throw unknownToken(token);
  const assignment: Assignment = { pipeline, subject: token.subject, metadata: {}, input: null };
  return { ...around, assignment, gate, key, call: { call: { numbers: numbersOf(event), listing } } };
}

/** The leg of a claim exists, whatever the output that it came from says now. Its values are in its request. */
function withLegOf({ gate, leg }: ClaimToken, pipeline: Pipeline): Pipeline {
  const own = pipeline.gates.find(({ id }) => id === gate);
  if (own?.legsFrom === undefined || leg === '') return pipeline;
  const gates = pipeline.gates.map((one) => {
    if (one !== own) return one;
    const { legsFrom: _, ...rest } = one;
    return { ...rest, legs: [{ id: leg, matrix: {} }] };
  });
  return { ...pipeline, gates };
}

/**
 * Opens what does not depend on one gate.
 * @param ending the claim to end, and the store that was opened for it; an unreadable repository does not prevent
 *   ending it
 * @throws GatelineError, PipelineInvalidError
 */
export async function openSurroundings(
  invocation: ActionInvocation,
  ending?: { readonly token: ClaimToken; readonly store: JobStore },
): Promise<JobContext> {
  const { world, inputs, event } = invocation;
  const given = await commandEnvironment(world.environment, event.temp);
  const [{ definition, workspace }, opened] = await Promise.all([
    findFiles(invocation, given.environment, ending?.token),
    ending?.store ?? openJobStore(invocation),
  ]);
  const environment = { ...given.environment, ...secretsNamed(definition, inputs, world.runner) };
  const store =
    ending === undefined
      ? { ...opened, records: { ...opened.records, list: patientList(invocation, definition, opened) } }
      : opened;
  for (const notice of definition.notices) world.runner.annotate('warning', notice);
  // `needs` has job ids of the workflow that was started; records have those of the file that defines a job. A
  // different job with the same id may therefore look finished. Only a report, which comes last, may use them.
  const ended = inputs.command === 'report' ? endedJobs(inputs.needs) : new Set<string>();
  const me = writerOf(event, pid, randomUUID());
  const ports: EnginePorts = {
    store: store.records,
    workspace,
    agent: createProcessAgent(),
    attempts: attemptFiles(invocation),
    now: world.now,
    me,
    isGone: async (writer) => isJobOver(event, ended, writer),
    processes: await processesOf(event),
    environment,
    alsoSecret: jobTokens(world.environment, inputs.githubToken),
    platform: { os: platform, arch },
    toolVersion: (tool) =>
      toolVersion(tool, { workingDirectory: definition.root, env: environment, signal: invocation.world.signal }),
    contractFiles: definition.files,
    checkpoints: store.checkpoints,
    ...(ending === undefined && { decisions: decisionsOf(invocation, definition, store.resumed, me) }),
    underReview: () => underReview(event, restOfStep(invocation)),
  };
  const { mirror, ...files } = await mirroredFiles(invocation, definition, ports);
  return { definition, store, mirror, ports: { ...ports, ...files }, ...files };
}

/** The secrets that gates name, of those that the step was given in one text. Nothing else becomes a variable. */
function secretsNamed(
  { pipeline }: Definition,
  { secretValues }: Pick<ActionInvocation['inputs'], 'secretValues'>,
  runner: Pick<ActionInvocation['world']['runner'], 'mask'>,
): Record<string, string> {
  const named = new Set(pipeline?.gates.flatMap(({ secrets }) => secrets));
  const values = Object.entries(secretValues).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  for (const [, value] of values) runner.mask(value);
  return Object.fromEntries(values.filter(([name]) => named.has(name)));
}

/** After the agent nothing is decided: a decision about its output is made later. */
function decisionsOf(
  invocation: ActionInvocation,
  { pipeline: defined }: Definition,
  resumed: JobStore['resumed'],
  me: EnginePorts['me'],
): NonNullable<EnginePorts['decisions']> {
  const { inputs, event } = invocation;
  const pipeline = defined?.id ?? inputs.pipeline ?? pipelineIdOf(event.startedFile);
  const isWhole = defined !== undefined;
  return decisionSource(invocation, { rest: restOfStep(invocation), resumed, pipeline, isWhole, me });
}

/** A listing that waits for the records that needed jobs reported. */
function patientList(
  { world, inputs, event }: ActionInvocation,
  { pipeline }: Definition,
  { records, listingLimits: limits }: JobStore,
): JobStore['records']['list'] {
  return awaitingList(records, {
    runNumber: event.runNumber,
    runAttempt: event.runAttempt,
    digests: outputDigests(inputs.needs),
    subject: jobSubject({ inputs, event }, pipeline).subject,
    pipeline,
    limits,
    signal: world.signal,
    onWait: (gates) => world.runner.info(`waiting until GitHub lists the records of these gates: ${gates.join(', ')}`),
  });
}

/** The definition and the files of the workspace. */
async function findFiles(
  invocation: ActionInvocation,
  environment: Environment,
  claim: ClaimToken | undefined,
): Promise<{ readonly definition: Definition; readonly workspace: Workspace }> {
  const { inputs, event } = invocation;
  try {
    const definition = await findDefinition(asBegun(event, claim), inputs, environment);
    if (claim?.file === true && definition.pipeline === undefined) throw definitionGone(event);
    const generated = await generatedFiles(inputs, definition);
    const options = { ...jobWorkspace(invocation, definition, environment, claim), ...generated };
    return { definition, workspace: await openWorkspace(definition.root, options) };
  } catch (error) {
    if (claim === undefined || !(error instanceof GatelineError)) throw error;
    return withoutRepository(event.workspace, error);
  }
}

/** The event as `begin` read it: the agent may have edited its payload since. */
function asBegun(event: ActionInvocation['event'], claim: ClaimToken | undefined): ActionInvocation['event'] {
  if (claim?.commit === undefined) return event;
  const { trust } = event;
  return { ...event, trust: { ...trust, contractFrom: { ...trust.contractFrom, commit: claim.commit } } };
}

/** The job's checkout, and a folder for our git objects until the job ends. */
function jobWorkspace(
  { inputs, event: { temp } }: ActionInvocation,
  { pipeline }: Definition,
  environment: Environment,
  claim: ClaimToken | undefined,
): WorkspaceOptions {
  const described = inputs.description['secrets'];
  const secrets = [
    ...(pipeline?.gates.flatMap((gate) => gate.secrets) ?? []),
    ...(Array.isArray(described) ? described.filter((one) => typeof one === 'string') : []),
  ];
  return {
    // Filters are programs that git starts.
    environment: withoutNamed(environment, secrets),
    kind: 'job',
    store: join(temp, 'gateline', 'git'),
    gitTimeoutMs: inputs.gitTimeoutSeconds * 1_000,
    ...(claim?.git !== undefined && { git: claim.git }),
  };
}

/** Without its definition, only the gate's output would be judged: no pause, for example. */
function definitionGone({ workspace }: ActionInvocation['event']): GatelineError {
  const message = `the definition that the gate began with is no longer in ${workspace}`;
  return new GatelineError('PIPELINE_MISSING', message);
}

/** Where agents write their output and metrics, or other places that the step names. */
function attemptFiles({ inputs, event }: ActionInvocation): AttemptFiles {
  const { workspace, temp } = event;
  const { metrics } = inputs;
  const attempts = withReportedMetrics(
    createAttemptFiles({ root: join(temp, 'gateline', 'attempts') }),
    metrics === undefined ? undefined : (limit) => readGivenMetrics({ workspace, temp, path: metrics }, limit),
  );
  if (inputs.output !== undefined) return withGivenOutput(attempts, inputs.output);
  if (inputs.outputFile === undefined) return attempts;
  return withOutputFile(attempts, { workspace, temp, path: inputs.outputFile });
}
