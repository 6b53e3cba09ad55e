import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Assignment, Order, Ports, UnitOutput } from '../../engine/ports.ts';
import { ENTITY_LOCKS_VARIABLE, JOB_LOCK, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import { digestOfJson, digestSchema, type Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { Folder } from '../../local/folder/folder.ts';
import { secretValues } from '../../local/runs/order.ts';
import { createAgentStateFiles, mirrorGuide, withStandIns } from '../../local/exchange/system-files.ts';
import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { EntityEntry } from '../../run/entity/entity-log.ts';
import type { Entry } from '../../run/entry.ts';
import type { EngineEvent } from '../../run/events.ts';
import { sumOf } from '../../run/figures.ts';
import { gateOf, UnitGraph, type Unit } from '../../run/units.ts';
import type { HandedFile, JobRef } from '../../store/github/document.ts';
import { openStateFolder, type StateFolder } from '../../store/files/state-folder.ts';
import { createRunView } from '../../report/run-view.ts';
import type { RunView } from '../../report/view.ts';
import { createRedactor } from '../../untrusted/redact.ts';
import type { Contract } from '../../verdict/contract.ts';
import { JobCheckpoints, JobEntities, JobLog } from './job-stores.ts';
import type { Job } from '../job.ts';
import { trustCheckout } from '../services.ts';
import type { Trust } from '../trust.ts';

/**
 * The gate of a job, as plain data. `begin` writes it to a file whose digest is in its token, so that `complete` continues
 * from the same data, whatever an agent has changed meanwhile.
 */
export interface GateJob {
  readonly job: JobRef;
  readonly trust: Trust;
  readonly pullRequest: number | undefined;
  readonly ref: string;
  /** Outputs that the dispatch of the run approves: unit and digest. */
  readonly approvals: readonly (readonly [unit: string, digest: string])[];
  readonly ownInputs: Job['ownInputs'];
  /** Absolute path of the folder that gates work in. */
  readonly root: string;
  /** Absolute path of Gateline's folder outside of the checkout. */
  readonly state: string;
  /** The pipeline, its matrices narrowed to the legs that are known. */
  readonly pipeline: Pipeline;
  readonly definitionFile: string;
  readonly contracts: readonly (readonly [string, Contract])[];
  readonly assignment: Assignment;
  readonly unit: UnitKey;
  /** Ids of all legs of the gate, in their order; empty: no matrix. */
  readonly legs: readonly string[];
  readonly outputs: readonly (readonly [UnitKey, UnitOutput])[];
  /** The ends of its needs in this run, and decisions about it. */
  readonly entries: readonly Entry[];
  /** Files that its needs hand on. */
  readonly inherited: readonly HandedFile[];
  /** Time and cost of the units before it in this run. */
  readonly costSoFar: Readonly<Record<UnitKey, { readonly ms: number; readonly costUsd?: number | undefined }>>;
  /** Changes of entities by the units before it. */
  readonly entities: readonly EntityEntry[];
  /** Names of secrets that were set when the job was opened: `complete` needs their values to redact the output. */
  readonly secrets: readonly string[];
  readonly outageMs: number;
  /** What earlier iterations of a loop have cost in their runs, in US dollars. */
  readonly spentUsd: number;
  readonly retentionDays: number | undefined;
}

/** The gate of a job, opened for the engine. */
export interface OpenJob {
  readonly gateJob: GateJob;
  readonly folder: Folder;
  readonly ports: Ports;
  readonly order: Order;
  readonly unit: Unit;
  readonly log: JobLog;
  readonly checkpoints: JobCheckpoints;
  readonly entities: JobEntities;
  /** `.state/` of the checkout, if `mirror` names systems. */
  readonly stateFolder: StateFolder | undefined;
}

/** Opens the gate of a job for the engine. */
export async function openJob(
  gateJob: GateJob,
  environment: Environment,
  observe: (event: EngineEvent) => void,
): Promise<OpenJob> {
  const { pipeline, root, assignment, contracts, job, outputs } = gateJob;
  const folder = await openFolder(gateJob, environment, observe);
  const gate = gateOf(gateJob.unit);
  const base: Order = {
    ...assignment,
    pipeline,
    definitionFile: gateJob.definitionFile,
    contracts: new Map(contracts),
    redactor: createRedactor(secretValues(pipeline, environment)),
    only: new Set([gate]),
    // Work is sent back by the report: other jobs do it.
    maxIterations: 1,
    run: job.runNumber,
    outputs: new Map(outputs),
    spentUsd: spentOutside(gateJob),
  };
  const order = await withStandIns(folder, base);
  const log = new JobLog(gateJob.entries);
  const checkpoints = new JobCheckpoints();
  const entities = new JobEntities(gateJob.entities);
  // Agents of other systems look for their files in the checkout.
  const stateFolder = pipeline.mirror.length > 0 ? await openStateFolder(join(root, '.state')) : undefined;
  const ports: Ports = {
    ...folder.ports,
    log,
    checkpoints,
    entities,
    stateFiles: stateFolder && createAgentStateFiles(stateFolder, order),
    environment: agentEnvironmentOf(environment),
  };
  const unit = new UnitGraph(pipeline).requireUnit(gateJob.unit);
  return { gateJob, folder, ports, order, unit, log, checkpoints, entities, stateFolder };
}

/** Opens the checkout with a state folder outside of it, which only this user can read. */
export async function openFolder(
  { root, state, pipeline }: Pick<GateJob, 'root' | 'state' | 'pipeline'>,
  environment: Environment,
  observe: (event: EngineEvent) => void,
): Promise<Folder> {
  await mkdir(state, { recursive: true, mode: 0o700 });
  return Folder.open({
    root,
    state: join(state, 'state'),
    pipeline,
    access: 'engine',
    seedIndex: true,
    environment: trustCheckout(environment),
    observe,
  });
}

/** The view of the run, as far as this job knows it. @param earlier entries before those of its log */
export async function viewJob({ order, log }: OpenJob, earlier: readonly Entry[] = []): Promise<RunView> {
  const { pipeline, subject, metadata } = order;
  const entries = [...earlier, ...(await log.read())];
  return createRunView({ pipeline, subject, metadata, entries, isAlive: () => true, history: [] });
}

/** Writes the files of the state guide into `.state/` of the checkout, if `mirror` names it. */
export async function mirrorJob(open: OpenJob): Promise<void> {
  const { stateFolder, folder, order } = open;
  if (stateFolder && order.pipeline.mirror.includes('state-guide'))
    await mirrorGuide({ stateFolder, contents: folder.contents }, await viewJob(open));
}

/** The variables of agents: they must not write outputs of the step, or change entities of the job. */
function agentEnvironmentOf(environment: Environment): Environment {
  const { GITHUB_OUTPUT: _output, GITHUB_STATE: _state, ...rest } = environment;
  return { ...rest, [ENTITY_LOCKS_VARIABLE]: JOB_LOCK };
}

const tokenSchema = z.strictObject({
  state: z.string(),
  digest: digestSchema,
  token: z.string(),
  /** `outage-minutes` of `begin` in milliseconds: `complete` waits as long. */
  outageMs: z.number(),
});

/** Formats the token that `begin` hands to `complete` as an output of its step, which no agent can change. */
export function formatToken(gateJob: GateJob, token: string): string {
  const digest = digestOfJson(gateJob as unknown as JsonValue);
  return Buffer.from(JSON.stringify({ state: gateJob.state, digest, token, outageMs: gateJob.outageMs })).toString(
    'base64url',
  );
}

/** Parses the file that `begin` wrote. @throws GatelineError `failed` if its digest is not that of the token */
export function parseGateJob(bytes: Buffer, digest: Digest): GateJob {
  const gateJob = JSON.parse(bytes.toString()) as GateJob;
  if (digestOfJson(gateJob as unknown as JsonValue) === digest) return gateJob;
  throw new GatelineError('failed', 'what `begin` left was changed before `complete`', {
    hint: 'The agent wrote into the folder of the runner; its place is the checkout and its output file.',
  });
}

/** @throws GatelineError `usage` if the text is no token of `begin` */
export function parseToken(text: string): z.infer<typeof tokenSchema> {
  try {
    return tokenSchema.parse(JSON.parse(Buffer.from(text.trim(), 'base64url').toString()));
  } catch (error) {
    throw new GatelineError('usage', 'the input `token` is not the output `token` of the step `begin`', {
      hint: 'Write `token: ${{ steps.begin.outputs.token }}`.',
      cause: error,
    });
  }
}

/** What the run has cost so far, without the last tries of its needs: the log of the job has these. */
function spentOutside({ costSoFar, spentUsd, entries }: GateJob): number {
  const logged = entries.flatMap((entry) =>
    entry.kind === 'ended' && costSoFar[entry.unit] ? [-(entry.metrics?.costUsd ?? 0)] : [],
  );
  return sumOf([spentUsd, ...Object.values(costSoFar).map(({ costUsd }) => costUsd), ...logged])!;
}
