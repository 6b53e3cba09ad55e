import { GatelineError } from '../errors/gateline-error.ts';
import type { TreeDifference } from '../run/files/tree.ts';
import type { Assignment, Call } from './call/call.ts';
import { listKnown } from './call/later-records.ts';
import { refuseWithoutSubject } from './call/given-subject.ts';
import { drive, type Driven } from './drive.ts';
import { openRun, type Resume } from './resume.ts';
import type { EnginePorts, Observer } from './ports.ts';
import { discardRefused } from './attempt/capture-files.ts';
import { removeOldSnapshots } from './snapshots/retention.ts';
import type { CallNumbers } from '../run/state/numbering.ts';
import { comparePositions, unitOf, type StartedRecord } from '../run/records/record.ts';
import { ATTEMPT_FILES } from './attempt/agent-environment.ts';
import { firstNames } from '../errors/first-names.ts';

/** How to continue a run. */
export interface RunOptions {
  readonly observe: Observer;
  /** Aborted on Ctrl-C: running agents are ended, their records are written, and nothing new starts. */
  readonly signal: AbortSignal;
  readonly resume?: Resume;
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
 * @throws GatelineError `SUBJECT_NOT_GIVEN`, and as {@link openRun}
 */
export async function runPipeline(ports: EnginePorts, assignment: Assignment, options: RunOptions): Promise<RunResult> {
  refuseWithoutSubject(assignment);
  const listing = await listKnown(ports, assignment);
  const endedLeftovers = await ports.agent.endLeftovers(ports.attempts.root);
  for (const pid of endedLeftovers)
    await options.observe({ type: 'notice', message: `process ${pid}, left by a killed run, was stopped` });
  await ports.workspace.sweep(ports.now().toISOString());
  const call = await openRun(ports, assignment, options.observe, options.resume, { alone: true, listing });
  await removeUnread(call);
  await options.observe({ type: 'state', state: call.journal.state() });
  const driven = await drive(call, options.signal);
  await nameEdits(call);
  await discardRefused(call);
  await removeOldSnapshots(call);
  return { ...driven, call: call.journal.call, endedLeftovers };
}

/**
 * Names files that changed in the user's folder during the call: this call did not see the changes, the next one will.
 */
async function nameEdits(call: Call): Promise<void> {
  const before = call.taken();
  if (before === undefined) return;
  call.forgetSnapshot();
  let changed: readonly TreeDifference[];
  try {
    changed = await call.ports.workspace.differences(before, (await call.snapshot()).tree);
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    // The run's results are recorded and stay valid, however the folder has changed.
    const message = `the folder cannot be checked for changes: ${error.message}`;
    return call.observe({ type: 'notice', message });
  }
  if (changed.length === 0) return;
  const names = changed.map(({ path }) => path);
  const message = `changed in your folder during the run, and not part of it: ${firstNames(names, 10)}`;
  await call.observe({ type: 'notice', message });
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
