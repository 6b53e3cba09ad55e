import { GatelineError } from '../errors/gateline-error.ts';
import type { TreeDifference } from '../run/files/tree.ts';
import type { SharedLimit } from '../in-parallel.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { TreeId, Workspace } from '../workspace/workspace.ts';
import { completeHistory, keepHistory } from './call/keep-history.ts';
import { namedGlobs, type Assignment, type Call } from './call/call.ts';
import { listKnown } from './call/later-records.ts';
import { refuseWithoutSubject } from './call/given-subject.ts';
import { refuseWithoutGates } from './entities/refuse-without-gates.ts';
import { drive, type Driven } from './drive.ts';
import { openRun, type Resume } from './resume.ts';
import type { EnginePorts, Observer } from './ports.ts';
import type { RecordListing } from '../run/records/reading.ts';
import { endKilledAttempts } from './entities/left-processes.ts';
import { discardRefused } from './attempt/capture-files.ts';
import { removeOldSnapshots } from './snapshots/retention.ts';
import { refuseUnfinished } from './snapshots/unfinished-rollback.ts';
import type { CallNumbers } from '../run/state/numbering.ts';
import { comparePositions, unitOf, type StartedRecord } from '../run/records/record.ts';
import { ATTEMPT_FILES } from './attempt/agent-environment.ts';
import { firstNames } from '../errors/first-names.ts';

/** How to continue a run. */
export interface RunOptions {
  readonly observe: Observer;
  /** Aborted on Ctrl-C: running agents are ended, their records are written, and nothing new starts. */
  readonly signal: AbortSignal;
  readonly resume?: Resume | undefined;
  /** The subject's records, if they were read since the lock was taken. Default: they are read. */
  readonly listing?: RecordListing | undefined;
}

/** The result of a call, and the call's numbers. */
export interface RunResult extends Driven {
  readonly call: CallNumbers;
  /** Agents of a killed engine that were still running and were ended first. */
  readonly endedLeftovers: readonly number[];
}

/**
 * Runs a pipeline: continues the subject's open run, or begins a new one that reuses the results of earlier ones. A run
 * that a person paused starts nothing. The caller holds the workspace's lock.
 * @throws GatelineError `SUBJECT_NOT_GIVEN`, `GATES_NONE`, `ROLLBACK_UNFINISHED`, and as {@link openRun}
 */
export async function runPipeline(ports: EnginePorts, assignment: Assignment, options: RunOptions): Promise<RunResult> {
  refuseWithoutSubject(assignment);
  refuseWithoutGates(assignment.pipeline);
  await refuseUnfinished(ports);
  const listing = options.listing ?? (await listKnown(ports, assignment));
  const endedLeftovers = await endKilledCalls(ports, assignment, options.observe);
  const { call, driven } = await driveRun(ports, assignment, { ...options, listing });
  const before = call.taken();
  if (before !== undefined) await nameEdits(ports.workspace, assignment.pipeline, before, options.observe);
  call.forgetSnapshot();
  await cleanUp(call);
  return { ...driven, call: call.journal.call, endedLeftovers };
}

/**
 * Ends what calls of a killed engine left running, discards their work trees, and completes the history.
 * @returns the ended processes
 */
export async function endKilledCalls(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline'>,
  observe: Observer,
): Promise<readonly number[]> {
  const endedLeftovers = await endKilledAttempts(ports, assignment.pipeline);
  for (const pid of endedLeftovers)
    await observe({ type: 'notice', message: `process ${pid}, left by a killed run, was stopped` });
  await ports.workspace.sweep(ports.now().toISOString());
  await completeHistory(ports, assignment, observe);
  return endedLeftovers;
}

/** Opens a call and drives it. Afterwards, and when no attempt works in the workspace any more: {@link cleanUp}. */
export async function driveRun(
  ports: EnginePorts,
  assignment: Assignment,
  { observe, signal, resume, listing }: RunOptions,
  limit?: SharedLimit,
): Promise<{ readonly call: Call; readonly driven: Driven }> {
  const call = await openRun(ports, assignment, observe, resume, { alone: true, ...(listing && { listing }) });
  await removeUnread(call);
  await observe({ type: 'state', state: call.journal.state() });
  const driven = await drive(call, signal, limit);
  await keepHistory(call);
  return { call, driven };
}

/** Removes what a call left and what is not kept. */
export async function cleanUp(call: Call): Promise<void> {
  await discardRefused(call);
  await removeOldSnapshots(call);
}

/**
 * Names files that changed in the user's folder during the call: this call did not see the changes, the next one will.
 * @param before the version that the call began with
 */
export async function nameEdits(
  workspace: Workspace,
  pipeline: Pipeline,
  before: TreeId,
  observe: Observer,
): Promise<void> {
  let changed: readonly TreeDifference[];
  try {
    changed = await workspace.differences(before, (await workspace.snapshot(namedGlobs(pipeline))).tree);
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    // The run's results are recorded and stay valid, however the folder has changed.
    const message = `the folder cannot be checked for changes: ${error.message}`;
    return observe({ type: 'notice', message });
  }
  if (changed.length === 0) return;
  const names = changed.map(({ path }) => path);
  const message = `changed in your folder during the run, and not part of it: ${firstNames(names, 10)}`;
  await observe({ type: 'notice', message });
}

/** Files that an agent writes and that Gateline deletes after reading and redacting them. */
const ANSWERS = [ATTEMPT_FILES.output, ATTEMPT_FILES.metrics, ATTEMPT_FILES.learnings];

/**
 * Removes outputs of agents whose engine was killed before it read them: they are never used, and since they are not
 * redacted, they may contain secrets. Attempts of agents that run by themselves, and of an engine that may still be
 * running, are not ended.
 */
async function removeUnread(call: Pick<Call, 'journal' | 'ports'>): Promise<void> {
  const { started, ended } = call.journal.archive();
  for (const claim of [...started.values()].flat()) {
    if (claim.holder !== 'process') continue;
    if (ended.get(unitOf(claim))?.some((one) => comparePositions(one, claim) === 0)) continue;
    if (await call.ports.isGone(claim.by)) await removeAnswers(call, claim);
  }
}

async function removeAnswers({ ports }: Pick<Call, 'ports'>, claim: StartedRecord): Promise<void> {
  const directory = await ports.attempts.open(claim);
  for (const name of ANSWERS) await directory?.remove(name);
}
