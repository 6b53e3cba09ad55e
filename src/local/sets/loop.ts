import { decide } from '../../engine/decide/decide.ts';
import { recoverFolder } from '../../engine/attempt/recover.ts';
import type { SubjectSet } from '../../pipeline/set.ts';
import { foldTasks, type Task, type TaskRun } from '../../run/tasks.ts';
import { commitFiles, requireNoOtherChanges } from './commit.ts';
import { requireSubjects, type OrderOf } from './read-set.ts';
import type { Folder } from '../folder/folder.ts';
import { runFolder } from '../runs/run-folder.ts';

export interface LoopOptions {
  /** At most this many runs in this call. Default: no limit. */
  readonly maxIterations?: number;
  /** Only tasks with these ids; failed ones are tried once more. Default: all, without a further try. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
}

/** How a loop ended. */
export interface LoopResult {
  /** `stopped`: tasks are left, see `reason`. */
  readonly status: 'completed' | 'stopped' | 'interrupted';
  /** One sentence without a full stop. */
  readonly reason: string;
  /** Runs of this call. */
  readonly iterations: number;
  readonly tasks: readonly Task[];
  readonly commits: readonly { readonly id: string; readonly commit: string }[];
}

/** The tasks of a set with their status, from the log. */
export async function readTasks(folder: Folder, set: SubjectSet): Promise<readonly Task[]> {
  return foldTasks(set, folder.options.pipeline, await folder.log.read());
}

/**
 * Does the tasks of a set one after another, with a run and a commit for each. A task that failed is repaired by a fix
 * task, a run of its own, then tried again. Killed anywhere, the next call continues.
 * @throws GatelineError `usage` if files of gates have changes of the user; `failed` if a commit is refused
 */
export async function runLoop(
  folder: Folder,
  set: SubjectSet,
  orderOf: OrderOf,
  { maxIterations = Infinity, only, signal = new AbortController().signal }: LoopOptions,
): Promise<LoopResult> {
  requireSubjects(set, only, 'task');
  const subjects = new Map(set.subjects.map((subject) => [subject.id, subject]));
  const commits: { id: string; commit: string }[] = [];
  const commit = async (task: Task, { id, task: text }: TaskRun): Promise<void> => {
    const order = orderOf(subjects.get(task.id)!, text);
    const goal = order.task ?? '';
    const message = goal.startsWith(`${id}: `) ? goal : `${id}: ${goal}`.replace(/: $/, '');
    const made = await commitFiles(folder, order, message);
    if (made === undefined) return;
    commits.push({ id, commit: made });
    notice(folder, `${id} is committed as ${made.slice(0, 12)}`);
  };

  const first = orderOf(set.subjects[0]!, undefined);
  // First, because what a killed agent left belongs to its task, not to the user.
  await recoverFolder(folder.ports, first);
  await requireNoOtherChanges(folder, first);
  let tasks = await readTasks(folder, set);
  // Tasks that a killed call completed without their commit.
  for (const task of tasks) if (task.done) await commit(task, task.done);
  const retried = new Set<string>();
  for (let iterations = 0; ; iterations += 1) {
    const end = (status: LoopResult['status'], reason: string) => ({ status, reason, iterations, tasks, commits });
    if (signal.aborted) return end('interrupted', 'it was interrupted');
    const wanted = tasks.filter(({ id }) => only?.includes(id) ?? true);
    const held = wanted.find(({ status }) => status === 'paused');
    if (held) return end('stopped', `${held.id} waits: ${held.reason}`);
    const again = only && wanted.find(({ id, status }) => status === 'failed' && !retried.has(id));
    const task = again ?? wanted.find(({ next }) => next !== undefined);
    if (task === undefined) return endOfTasks(wanted, end);
    if (iterations >= maxIterations) return end('stopped', `${task.id} comes next, \`--max-iterations\` is reached`);
    retried.add(task.id);
    const next = task.next ?? { id: task.id, task: task.task, isRetry: true };
    const order = orderOf(subjects.get(task.id)!, next.task);
    const by = { actor: 'gateline', reason: `${next.id} follows` };
    if (task.hasFailedRun) await decide(folder.ports, order, { decision: 'close' }, by);
    notice(folder, `${next.id}: ${task.reason}`);
    const force = next.isRetry ? order.pipeline.gates.map(({ id }) => id) : undefined;
    const { result, view } = await runFolder(folder, order, { signal, force }, by);
    tasks = await readTasks(folder, set);
    const after = tasks.find(({ id }) => id === task.id)!;
    if (result.status === 'completed' || result.status === 'nothing') await commit(after, next);
    else if (!signal.aborted && after.runs === task.runs && after.reason === task.reason)
      return end('stopped', `${task.id} cannot continue: ${view.next.text}`);
  }
}

function endOfTasks(
  tasks: readonly Task[],
  end: (status: LoopResult['status'], reason: string) => LoopResult,
): LoopResult {
  const open = tasks.filter(({ status }) => status !== 'completed');
  if (open.length === 0) return end('completed', 'all tasks are completed');
  return end('stopped', open.map(({ id, status, reason }) => `${id} ${status}: ${reason}`).join('; '));
}

function notice({ options }: Folder, message: string): void {
  options.observe({ type: 'notice', message });
}
