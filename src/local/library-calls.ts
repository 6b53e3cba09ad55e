import { apply as applyRun, type Applied, type ApplyRunOptions } from '../engine/apply.ts';
import { beginGate as begin, type BeginOptions, type BeginResult } from '../engine/begin.ts';
import { compareRuns as compare, type RunCompared, type RunsDifference } from '../engine/history/compare-runs.ts';
import { completeGate as complete, type Completion } from '../engine/complete.ts';
import { planPipeline as plan, type PlanResult } from '../engine/plan-pipeline.ts';
import { readRun as read } from '../engine/read-run.ts';
import type { EndedRecord } from '../run/records/record.ts';
import type { RunState } from '../run/state/run-state.ts';
import { openFilesystemStore as openStore, type StateFolderOptions } from '../store/filesystem/filesystem-store.ts';
import { openWorkspace as openFolder, type WorkspaceOptions } from '../workspace/open-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { loadPipeline as load, type LoadedPipeline } from './load-pipeline.ts';
import * as local from './local-ports.ts';
import type { Decider } from '../engine/attempt/record-decision.ts';
import type { Assignment, Call } from '../engine/call/call.ts';
import * as decisions from '../engine/decide.ts';
import type { ForkOrigin } from '../engine/fork.ts';
import type { EnginePorts, Observer } from '../engine/ports.ts';
import { rebuildHistory as rebuild, type RebuiltHistory } from '../engine/history/rebuild-history.ts';
import type { Resume } from '../engine/resume.ts';
import type { HistorySource } from '../history/query.ts';
import { rollback as rollBack, type RolledBack, type RollbackOptions } from '../engine/rollback.ts';
import { runPipeline as run, type RunOptions, type RunResult } from '../engine/run-pipeline.ts';
import { readTasks } from '../engine/set/loop.ts';
import { runSet as runSubjects, type SetResult, type SetRunOptions } from '../engine/set/run-set.ts';
import type { SetOrder } from '../engine/set/set-order.ts';
import { snapshots as snapshotsOf, type GateSnapshot } from '../engine/snapshots.ts';
import type { Added, MemoryEntry } from '../memory/entries.ts';
import { DEFAULT_TASK_LIMITS, type Task } from '../run/subjects/tasks.ts';
import { addEntries, readDocuments, type MemoryDocument } from './memory/documents.ts';
import { checked, requireBasics, requireWork } from './library-arguments.ts';
import * as shapes from './library-shapes.ts';

/** How to run what is resumed or forked. */
export type ContinueOptions = Omit<RunOptions, 'resume'>;

/** {@link run}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function runPipeline(ports: EnginePorts, assignment: Assignment, options: RunOptions): Promise<RunResult> {
  requireWork('runPipeline', { ports, assignment });
  return run(ports, assignment, checked('runPipeline', 'options', shapes.runShape, options));
}

/** {@link runSubjects}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function runSet(ports: EnginePorts, order: SetOrder, options: SetRunOptions): Promise<SetResult> {
  checked('runSet', 'ports', shapes.portsShape, ports);
  checked('runSet', 'order', shapes.setOrderShape, order);
  return runSubjects(ports, order, checked('runSet', 'options', shapes.setRunShape, options));
}

/**
 * Continues the open run of a subject, also one that a person paused. The caller holds the workspace's lock.
 * @throws GatelineError `RUN_NOT_OPEN`, `RUN_COMPLETED`, `LIBRARY_ARGUMENT_REFUSED`, and as {@link runPipeline}
 */
export async function resume(
  ports: EnginePorts,
  assignment: Assignment,
  how: Omit<Resume, 'fork' | 'fresh' | 'lift'>,
  options: ContinueOptions,
): Promise<RunResult> {
  requireWork('resume', { ports, assignment });
  const asked = checked('resume', 'how', shapes.howShape, how);
  checked('resume', 'options', shapes.continueShape, options);
  return run(ports, assignment, { ...options, resume: { ...asked, lift: true } });
}

/**
 * Begins a run of the assignment's subject that goes its own way from a gate of an earlier run, of the same or another
 * subject. The caller holds the workspace's lock.
 * @throws GatelineError `RUN_OPEN` if the subject has an open run and it is not `fresh`, `RUN_UNKNOWN`,
 *   `LIBRARY_ARGUMENT_REFUSED`, and as {@link runPipeline}
 */
export async function fork(
  ports: EnginePorts,
  assignment: Assignment,
  origin: ForkOrigin & Decider & Pick<Resume, 'fresh'>,
  options: ContinueOptions,
): Promise<RunResult> {
  requireWork('fork', { ports, assignment });
  const { actor, reason, fresh = false, ...from } = checked('fork', 'origin', shapes.originShape, origin);
  checked('fork', 'options', shapes.continueShape, options);
  return run(ports, assignment, { ...options, resume: { actor, reason, fresh, fork: from } });
}

/** {@link decisions.decide}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function decide(ports: EnginePorts, assignment: Assignment, decision: decisions.Decision): Promise<Call> {
  requireBasics('decide', { ports, assignment });
  return decisions.decide(ports, assignment, checked('decide', 'decision', shapes.decisionShape, decision));
}

/** {@link decisions.decideRun}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function decideRun(
  ports: EnginePorts,
  assignment: Assignment,
  decision: decisions.RunDecision,
): Promise<Call> {
  requireBasics('decideRun', { ports, assignment });
  return decisions.decideRun(ports, assignment, checked('decideRun', 'decision', shapes.runDecisionShape, decision));
}

/** {@link rollBack}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function rollback(
  ports: EnginePorts,
  assignment: Assignment,
  options: RollbackOptions,
): Promise<RolledBack> {
  requireBasics('rollback', { ports, assignment });
  return rollBack(ports, assignment, checked('rollback', 'options', shapes.rollbackShape, options));
}

/** {@link applyRun}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function apply(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  options: ApplyRunOptions,
): Promise<Applied> {
  requireBasics('apply', { ports, assignment });
  return applyRun(ports, assignment, checked('apply', 'options', shapes.applyShape, options));
}

/** {@link snapshotsOf}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function snapshots(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  runNumber?: number,
): Promise<GateSnapshot[]> {
  requireBasics('snapshots', { ports, assignment });
  return snapshotsOf(ports, assignment, checked('snapshots', 'runNumber', shapes.runNumberShape, runNumber));
}

/** How {@link planPipeline} plans: as {@link runPipeline} would run. */
export type PlanOptions = Pick<RunOptions, 'resume'> & Partial<Pick<RunOptions, 'observe'>>;

/** {@link plan}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function planPipeline(
  ports: EnginePorts,
  assignment: Assignment,
  options: PlanOptions = {},
): Promise<PlanResult> {
  requireWork('planPipeline', { ports, assignment });
  const { resume: how, observe } = checked('planPipeline', 'options', shapes.planShape, options);
  return plan(ports, assignment, {}, how, observe);
}

/** {@link begin}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function beginGate(
  ports: EnginePorts,
  assignment: Assignment,
  gate: string,
  observe: Observer,
  options: Pick<BeginOptions, 'place'> = {},
): Promise<BeginResult> {
  requireWork('beginGate', { ports, assignment });
  checked('beginGate', 'gate', shapes.gateShape, gate);
  checked('beginGate', 'observe', shapes.observerShape, observe);
  return begin(ports, assignment, gate, observe, checked('beginGate', 'options', shapes.beginShape, options));
}

/** {@link complete}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function completeGate(
  ports: EnginePorts,
  assignment: Assignment,
  completion: Omit<Completion, 'last'>,
  observe: Observer,
): Promise<EndedRecord> {
  requireWork('completeGate', { ports, assignment });
  checked('completeGate', 'observe', shapes.observerShape, observe);
  const asked = checked('completeGate', 'completion', shapes.completionShape, completion);
  return complete(ports, assignment, asked, observe);
}

/** {@link read}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function readRun(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  runNumber?: number,
): Promise<RunState> {
  requireBasics('readRun', { ports, assignment });
  return read(ports, assignment, checked('readRun', 'runNumber', shapes.runNumberShape, runNumber));
}

/** {@link local.localPorts}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function localPorts(options: local.LocalPortsOptions): Promise<EnginePorts> {
  checked('localPorts', 'options', shapes.placeShape, options);
  return local.localPorts(options);
}

/** {@link local.lockWorkspace}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function lockWorkspace(root: string): ReturnType<typeof local.lockWorkspace> {
  return local.lockWorkspace(checked('lockWorkspace', 'root', shapes.folderShape, root));
}

/** {@link load}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function loadPipeline(folder: string, file?: string): Promise<LoadedPipeline> {
  checked('loadPipeline', 'folder', shapes.gateShape, folder);
  return load(folder, checked('loadPipeline', 'file', shapes.fileNameShape, file));
}

/** {@link openStore}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function openFilesystemStore(options: StateFolderOptions): ReturnType<typeof openStore> {
  checked('openFilesystemStore', 'options', shapes.storeShape, options);
  return openStore(options);
}

/** {@link openFolder}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function openWorkspace(root: string, options: WorkspaceOptions): Promise<Workspace> {
  checked('openWorkspace', 'root', shapes.folderShape, root);
  checked('openWorkspace', 'options', shapes.workspaceShape, options);
  return openFolder(root, options);
}

/**
 * The history of a workspace, for `queryRuns`, `runStatistics` and others. Reads nothing yet.
 * @param root absolute path of the workspace
 * @throws GatelineError `LIBRARY_ARGUMENT_REFUSED`
 */
export function openHistory(root: string): HistorySource {
  return local.historyIn({ root: checked('openHistory', 'root', shapes.folderShape, root) });
}

/** {@link rebuild}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function rebuildHistory(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
): Promise<RebuiltHistory> {
  requireBasics('rebuildHistory', { ports, assignment });
  return rebuild(ports, assignment);
}

/** {@link readDocuments}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function memoryDocuments(root: string): Promise<MemoryDocument[]> {
  return readDocuments(checked('memoryDocuments', 'root', shapes.folderShape, root));
}

/** {@link addEntries}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function addLearnings(root: string, name: string, entries: readonly MemoryEntry[]): Promise<Added> {
  checked('addLearnings', 'root', shapes.folderShape, root);
  checked('addLearnings', 'name', shapes.documentShape, name);
  return addEntries(root, name, checked('addLearnings', 'entries', shapes.entriesShape, entries));
}

/** {@link readTasks}, with the defaults of `gateline loop`. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function setTasks(ports: EnginePorts, order: SetOrder): Promise<Task[]> {
  checked('setTasks', 'ports', shapes.portsShape, ports);
  return readTasks(ports, checked('setTasks', 'order', shapes.setOrderShape, order), DEFAULT_TASK_LIMITS);
}

/** {@link compare}. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` too */
export async function compareRuns(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  before: RunCompared,
  after: RunCompared,
): Promise<RunsDifference> {
  requireBasics('compareRuns', { ports, assignment });
  checked('compareRuns', 'before', shapes.comparedShape, before);
  return compare(ports, assignment, before, checked('compareRuns', 'after', shapes.comparedShape, after));
}
