import { firstNames } from '../../errors/first-names.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { isInterrupted, knownOf, stopIn } from '../../run/subjects/known-subject.ts';
import { nextTask, tasksOf, type Task, type TaskLimits, type TaskRun } from '../../run/subjects/tasks.ts';
import { sameFile } from '../../run/files/tree.ts';
import { foldRun } from '../../run/state/fold.ts';
import { earlierTask, type EarlierTask } from '../../run/state/handoff.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { applyFiles, handedOn, type Applied } from '../apply.ts';
import { stateNow } from '../entities/gate-entities.ts';
import { openCall, type Assignment, type Call } from '../call/call.ts';
import { HANDOFF } from '../../memory/documents.ts';
import { handoffFrom } from '../plan/handoff.ts';
import type { Driven } from '../drive.ts';
import { driveRun, endKilledCalls, cleanUp } from '../run-pipeline.ts';
import { refuseUnfinished } from '../snapshots/unfinished-rollback.ts';
import { isOfRun } from '../snapshots/wanted-files.ts';
import type { EarlierPut } from '../../workspace/workspace.ts';
import { counted } from '../../verdict/value-texts.ts';
import type { EngineEvent, EnginePorts } from '../ports.ts';
import { assignmentIn, refuseInPlace, type SetOrder } from './set-order.ts';

/** Events of a loop. */
export type LoopEvent =
  | { readonly type: 'task'; readonly task: Task; readonly iteration: number; readonly reason: string }
  | { readonly type: 'engine'; readonly subject?: string; readonly event: EngineEvent }
  /** The files of a task that passed are in the folder. */
  | { readonly type: 'applied'; readonly task: Task; readonly files: number; readonly commit: string | undefined };

/** How to work through the tasks of a set. */
export interface LoopOptions extends TaskLimits {
  /** Runs in this call. */
  readonly maxIterations: number;
  /** The commit message for a task; `undefined`: its files are applied and not committed. */
  readonly commitMessage: ((task: Task) => string) | undefined;
  /** Absolute path of a new folder for what is replaced in the user's folder. */
  readonly saved: () => string;
  readonly actor: string;
  readonly observe: (event: LoopEvent) => void | Promise<void>;
  readonly signal: AbortSignal;
  /**
   * Called after each run, and for a run that passed before each commit: an interrupted call may not have got there.
   * @param isNew no file of the run is in the folder yet
   * @returns paths to be committed with the task
   */
  readonly afterRun?: (run: RunState, assignment: Assignment, isNew: boolean) => Promise<readonly string[]>;
}

/** The result of {@link runLoop}. */
export interface LoopResult {
  readonly tasks: readonly Task[];
  readonly iterations: number;
  /** Why it ended, one sentence. */
  readonly reason: string;
  /** The task that could run next waits for a person, or for a larger budget. */
  readonly isPaused: boolean;
  readonly cancelled: boolean;
}

/**
 * Does the tasks of a set one after another, each as a run of its own that begins with what the tasks before left in
 * the user's folder, until none can run. A task that passed is applied, and committed, before the next one begins; one
 * that failed is run again in a new run, and then gets a fix task. Repeating the call completes an interrupted one. The
 * caller holds the workspace's lock.
 * @throws GatelineError `SET_IN_PLACE`, `ROLLBACK_UNFINISHED`, `STAGED_CHANGES`, `COMMIT_REFUSED`, `LOOP_CONFLICT`
 */
export async function runLoop(ports: EnginePorts, order: SetOrder, options: LoopOptions): Promise<LoopResult> {
  refuseInPlace(order.pipeline);
  await refuseUnfinished(ports);
  await endKilledCalls(ports, order, (event) => options.observe({ type: 'engine', event }));
  const refuseStaged = async (): Promise<void> => {
    if (options.commitMessage !== undefined) await ports.branches!.refuseStaged();
  };
  await refuseStaged();
  let tasks = await readTasks(ports, order, options);
  // What an interrupted call did not bring in.
  for (const task of tasks) if (task.status === 'done') await bringIn(ports, order, task, options);
  for (let iterations = 0; ;) {
    const next = nextTask(tasks);
    const ended = { tasks, iterations, isPaused: false, cancelled: options.signal.aborted };
    if (options.signal.aborted) return { ...ended, reason: 'interrupted' };
    if (next.choice === 'stop') return { ...ended, reason: next.reason };
    if (iterations === options.maxIterations)
      return {
        ...ended,
        reason: `${counted(iterations, 'iteration')} ${iterations === 1 ? 'is' : 'are'} used up; the next task is ${next.task.id}`,
      };
    // Before an agent costs something.
    await refuseStaged();
    iterations += 1;
    await options.observe({ type: 'task', task: next.task, iteration: iterations, reason: next.reason });
    const earlier = await earlierTasks(ports, order, tasks, next.task);
    const driven = await runTask(ports, order, next.task, { ...options, earlier });
    tasks = await readTasks(ports, order, options);
    const after = tasks.find(({ id }) => id === next.task.id);
    if (after?.status === 'done') await bringIn(ports, order, after, options, true);
    else await options.afterRun?.(driven.state, assignmentIn(order, next.task), true);
    // Nothing was started, so nothing would be the next time.
    if (!options.signal.aborted && after?.status === next.task.status && after.runs === next.task.runs)
      return { ...ended, tasks, iterations, ...stuck(next.task, driven) };
  }
}

function stuck({ id }: Task, { state, errors, planned }: Driven): Pick<LoopResult, 'reason' | 'isPaused'> {
  const [error] = errors;
  const held = planned.find(({ choice }) => choice === 'blocked' || choice === 'wait');
  const why = error === undefined ? (held?.reason ?? 'no gate can run') : `${error.code}: ${error.message}`;
  const isHeld = [...state.units.values()].some(({ blockedBy }) => blockedBy === 'budget');
  return { reason: `${id} cannot continue: ${why}`, isPaused: state.status === 'paused' || isHeld };
}

/** The tasks of a set as the records of their runs show them. Writes nothing. */
export async function readTasks(ports: EnginePorts, order: SetOrder, limits: TaskLimits): Promise<Task[]> {
  const runs = new Map<string, readonly TaskRun[]>();
  const wanted = [...order.subjects.keys()];
  for (const id of wanted) {
    const read = await runsOf(ports, order, id);
    runs.set(id, read);
    for (let number = 1; number <= limits.maxFixes; number += 1) {
      const fix = `${id}-fix-${number}`;
      const failures = read.filter(({ status }) => status === 'failed').length;
      if (failures >= number * limits.maxFailures && !runs.has(fix)) runs.set(fix, await runsOf(ports, order, fix));
    }
  }
  return tasksOf(order.subjects, (id) => runs.get(id) ?? [], limits);
}

/** The runs of a subject, oldest first. */
async function runsOf(ports: EnginePorts, order: SetOrder, subject: string): Promise<TaskRun[]> {
  const { id: pipeline } = order.pipeline;
  const listing = await ports.store.list(pipeline, subject);
  const all = new Set(listing.records.map(({ runNumber }) => runNumber));
  // Commands before the first run are in none.
  const numbers = [...all].filter((number) => number > 0).toSorted((a, b) => a - b);
  if (numbers.length === 0) return [];
  const known = order.subjects.get(subject) ?? { id: subject, needs: [], metadata: {} };
  const call = await openCall(ports, assignmentIn(order, known), () => undefined, { runNumber: 0, listing });
  const now = ports.now().toISOString();
  const newest = await stateNow(call);
  return numbers.map((runNumber) => {
    const isNewest = runNumber === numbers.at(-1);
    const state = isNewest ? newest : foldRun(call.graph, listing, { pipeline, subject, runNumber }, { now });
    return taskRun(state, isNewest);
  });
}

function taskRun(state: RunState, isNewest: boolean): TaskRun {
  const { runNumber } = state;
  const known = knownOf(state);
  if (state.status === 'rollback') return { runNumber, status: 'rolled-back', reason: 'it was rolled back' };
  if (known === undefined) return { runNumber, status: 'running', reason: 'it was interrupted' };
  if (known.status === 'completed' || known.status === 'paused')
    return { runNumber, status: known.status, reason: known.reason };
  if (known.status === 'running' || known.status === 'blocked')
    return { runNumber, status: 'running', reason: known.reason };
  // A failed run that was closed for the next one has failed, also if that was never begun; one that a person closed
  // ends its task.
  const { closed } = state.decided;
  const isClosed = isNewest && closed !== undefined && closed.startsNext === undefined;
  if (isClosed) return { runNumber, status: 'closed', reason: known.reason };
  // A crash or Ctrl-C is no failure of the task: the run is continued, and no fix task is asked for.
  const isOpen = isNewest && closed === undefined;
  if (isOpen && isInterrupted(state)) return { runNumber, status: 'running', reason: stopIn(state) };
  return { runNumber, status: 'failed', reason: stopIn(state) || known.reason };
}

/** The outcome of the last run of each other task, the latest last: nothing unless a gate asks for it. */
async function earlierTasks(
  ports: EnginePorts,
  { pipeline }: SetOrder,
  tasks: readonly Task[],
  next: Task,
): Promise<readonly EarlierTask[]> {
  if (!pipeline.gates.some(({ memory }) => memory.includes(HANDOFF))) return [];
  const found: { readonly at: string; readonly task: EarlierTask }[] = [];
  for (const { id } of tasks.filter(({ id: other, runs }) => other !== next.id && runs > 0)) {
    const { records } = await ports.store.list(pipeline.id, id);
    const last = Math.max(...records.map(({ runNumber }) => runNumber));
    const ofRun = records.filter(({ runNumber }) => runNumber === last);
    const handoff = await handoffFrom({ ports }, ofRun);
    const at = ofRun
      .map((record) => record.at)
      .toSorted()
      .at(-1)!;
    if (handoff !== undefined) found.push({ at, task: earlierTask(id, handoff) });
  }
  return found.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map(({ task }) => task);
}

/** Runs a task: continues its interrupted run, or begins a new one. */
async function runTask(
  ports: EnginePorts,
  order: SetOrder,
  task: Task,
  { observe, signal, actor, earlier }: LoopOptions & { readonly earlier: readonly EarlierTask[] },
): Promise<Driven> {
  const assignment = { ...assignmentIn(order, task), earlierTasks: earlier };
  const fresh = task.status === 'pending' && task.failures > 0;
  // With the same request, the work that was not good enough would be reused.
  const force = order.pipeline.gates.filter(({ needs }) => needs.length === 0).map(({ id }) => id);
  const resume = fresh ? { fresh, force, actor, reason: `gateline loop: run ${task.runs + 1}` } : undefined;
  const about = (event: EngineEvent): void | Promise<void> => observe({ type: 'engine', subject: task.id, event });
  const { call, driven } = await driveRun(ports, assignment, {
    observe: about,
    signal,
    resume,
  });
  await cleanUp(call);
  return driven;
}

/**
 * Puts the files of a task that passed into the user's folder, and commits them. Nothing is done a second time.
 * @param hasRun in this call
 */
async function bringIn(
  ports: EnginePorts,
  order: SetOrder,
  task: Task,
  options: LoopOptions,
  hasRun = false,
): Promise<void> {
  const assignment = assignmentIn(order, task);
  const call = await openCall(ports, assignment, () => undefined, { runNumber: 0 });
  const state = call.journal.state();
  const lists = await ports.workspace.earlierPuts(ports.putLists!.folder);
  // One that a person applied before the run ended has not all of its files.
  const own = lists.findLast(
    (list) =>
      list.what === 'apply' &&
      list.state === 'done' &&
      isOfRun(call, list) &&
      list.gates === undefined &&
      (list.call ?? state.runAttempt) >= state.runAttempt,
  );
  if (own !== undefined && own !== lists.at(-1) && !hasRun) return;
  const isNew = own === undefined && (hasRun || handedOn(call.graph, state, undefined).files.length > 0);
  const extra = (await options.afterRun?.(state, assignment, isNew)) ?? [];
  const applied: Applied | undefined =
    own === undefined ? await applyFiles(call, { saved: options.saved() }) : undefined;
  const conflicts = applied?.puts.filter(({ action }) => action === 'conflict') ?? [];
  if (conflicts.length > 0) {
    const list = firstNames(
      conflicts.map(({ path, why }) => `${path}: ${why}`),
      10,
    );
    throw new GatelineError('LOOP_CONFLICT', `files of ${task.id} cannot be applied: ${list}`);
  }
  const put = applied === undefined ? lists : await ports.workspace.earlierPuts(ports.putLists!.folder);
  const paths = [...(await unchangedSince(call, put)), ...extra];
  const commit =
    options.commitMessage === undefined || paths.length === 0
      ? undefined
      : await ports.branches!.commit(paths, options.commitMessage(task));
  if (applied !== undefined || commit !== undefined)
    await options.observe({ type: 'applied', task, files: paths.length, commit });
}

/** Paths that the run's files were put at, and that still are as they were put. */
async function unchangedSince(call: Call, lists: readonly EarlierPut[]): Promise<string[]> {
  const { workspace } = call.ports;
  const own = lists.filter((list) => list.what === 'apply' && isOfRun(call, list)).flatMap(({ changes }) => changes);
  const put = new Map(own.map(({ path, after }) => [path, after]));
  if (put.size === 0) return [];
  call.forgetSnapshot();
  const now = await workspace.currentFiles((await call.snapshot()).tree, [...put.keys()]);
  return [...put].filter(([path, after]) => sameFile(now.get(path) ?? null, after)).map(([path]) => path);
}
