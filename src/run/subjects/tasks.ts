import { isSubjectId, type Subject, type SubjectGraph } from '../../pipeline/subjects/subject-set.ts';
import { inOneLine } from './subject-states.ts';

/** Every status that a task can have (seed 003; `failed`: it may not run again). */
export const TASK_STATUSES = ['pending', 'in-progress', 'review', 'done', 'failed', 'cancelled'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The state of one run of a task. */
export interface TaskRun {
  readonly runNumber: number;
  /** `failed`: it ended without being completed. `closed`: a person ended it. */
  readonly status: 'running' | 'paused' | 'completed' | 'failed' | 'closed' | 'rolled-back';
  /** One sentence; for a run that failed, why. */
  readonly reason: string;
}

/** A task of a set: a subject, or the repair of one that failed too often. */
export interface Task extends Subject {
  readonly status: TaskStatus;
  /** One sentence; '' if there is nothing to say. */
  readonly reason: string;
  readonly runs: number;
  /** How many of them failed. */
  readonly failures: number;
  /** The task that this one repairs. */
  readonly fixes?: string;
}

/** How often work is tried. */
export interface TaskLimits {
  /** Failed runs of a task before it gets a fix task. */
  readonly maxFailures: number;
  /** Fix tasks of one task. Then it has failed. */
  readonly maxFixes: number;
}

/** Defaults of {@link TaskLimits}. */
export const DEFAULT_TASK_LIMITS: TaskLimits = { maxFailures: 2, maxFixes: 1 };

/**
 * The tasks of a set: each subject, after the fix tasks that its failed runs ask for. Derived from runs alone, so that
 * an interrupted loop continues where it was.
 * @param runsOf the runs of a subject, oldest first; also asked for fix tasks
 */
export function tasksOf(
  subjects: SubjectGraph,
  runsOf: (id: string) => readonly TaskRun[],
  limits: TaskLimits,
): Task[] {
  const tasks = new Map<string, Task>();
  for (const subject of subjects.values()) {
    const failed = runsOf(subject.id).filter(({ status }) => status === 'failed');
    const fixes: Task[] = [];
    for (let number = 1; number <= fixesFor(failed.length, limits); number += 1) {
      const fix = fixOf(subject, number, failed[number * limits.maxFailures - 1]!.reason);
      if (subjects.has(fix.id) || !isSubjectId(fix.id)) continue;
      const state = stateOf(fix, runsOf(fix.id), { tasks, fixes: [], limits: { ...limits, maxFixes: 0 } });
      fixes.push({ ...fix, ...state, fixes: subject.id });
    }
    for (const fix of fixes) tasks.set(fix.id, fix);
    tasks.set(subject.id, { ...subject, ...stateOf(subject, runsOf(subject.id), { tasks, fixes, limits }) });
  }
  return [...tasks.values()];
}

function fixesFor(failures: number, { maxFailures, maxFixes }: TaskLimits): number {
  return Math.min(maxFixes, Math.floor(failures / maxFailures));
}

function fixOf({ id, needs, set, metadata }: Subject, number: number, why: string): Subject {
  const task = `Fix what keeps ${id} from passing: ${why}`;
  return { id: `${id}-fix-${number}`, task, needs, ...(set !== undefined && { set }), metadata };
}

interface AroundTask {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly fixes: readonly Task[];
  readonly limits: TaskLimits;
}

function stateOf(
  { needs }: Subject,
  runs: readonly TaskRun[],
  { tasks, fixes, limits }: AroundTask,
): Pick<Task, 'status' | 'reason' | 'runs' | 'failures'> {
  const failures = runs.filter(({ status }) => status === 'failed').length;
  const is = (status: TaskStatus, reason: string): ReturnType<typeof stateOf> => ({
    status,
    reason,
    runs: runs.length,
    failures,
  });
  const last = runs.at(-1);
  if (last?.status === 'completed') return is('done', last.reason);
  if (last?.status === 'closed') return is('cancelled', last.reason);
  if (last?.status === 'paused') return is('review', last.reason);
  if (last?.status === 'running') return is('in-progress', last.reason);
  if (failures >= limits.maxFailures * (limits.maxFixes + 1)) return is('failed', last?.reason ?? '');
  const stopped = fixes.find(({ status }) => ENDS.has(status));
  if (stopped !== undefined) return is('failed', `${stopped.id} is ${stopped.status}`);
  const fix = fixes.find(({ status }) => status !== 'done');
  if (fix !== undefined) return is('pending', `waits for ${fix.id}`);
  const open = needs.filter((id) => tasks.get(id)?.status !== 'done');
  if (open.length > 0) return is('pending', `waits for ${inOneLine(open)}`);
  return is('pending', last?.reason ?? '');
}

/** A task that has one of these is not done by any later call. */
const ENDS: ReadonlySet<TaskStatus> = new Set(['failed', 'cancelled']);

/** The next step of a loop, and the reason. */
export type NextTask =
  | { readonly choice: 'run'; readonly task: Task; readonly reason: string }
  | { readonly choice: 'stop'; readonly reason: string };

/** The first task, in the order of the set, that can run. One that was interrupted comes first. */
export function nextTask(tasks: readonly Task[]): NextTask {
  const status = new Map(tasks.map((task) => [task.id, task.status]));
  const interrupted = tasks.find((task) => task.status === 'in-progress');
  if (interrupted !== undefined) return { choice: 'run', task: interrupted, reason: 'its run was interrupted' };
  const isReady = ({ id, needs }: Task): boolean =>
    [...needs, ...tasks.flatMap((one) => (one.fixes === id ? [one.id] : []))].every(
      (key) => status.get(key) === 'done',
    );
  const ready = tasks.find((task) => task.status === 'pending' && isReady(task));
  if (ready === undefined) {
    const open = tasks.filter((task) => task.status !== 'done').length;
    return { choice: 'stop', reason: open === 0 ? 'every task is done' : `no task can run: ${open} left` };
  }
  const again =
    ready.runs === 0 ? 'it has not run' : `it failed ${ready.failures === 1 ? 'once' : `${ready.failures} times`}`;
  return { choice: 'run', task: ready, reason: again };
}
