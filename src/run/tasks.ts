import type { Pipeline } from '../pipeline/pipeline.ts';
import type { SetSubject, SubjectSet } from '../pipeline/set.ts';
import { cutText } from '../verdict/texts.ts';
import { verdictText } from '../verdict/verdict.ts';
import type { Entry } from './entry.ts';
import { LogState, type RunState } from './state.ts';
import { STATUS_PHRASES } from './status.ts';
import { describeUnits, runStatusOf, type UnitState } from './unit-state.ts';

/** A task of a loop, and what became of its runs. */
export interface Task {
  readonly id: string;
  readonly task?: string;
  readonly needs: readonly string[];
  /** `failed`: no retry is left. `in-progress`: its run continues, or it runs again. */
  readonly status: 'pending' | 'in-progress' | 'paused' | 'blocked' | 'completed' | 'failed';
  /** Runs of the task after its first, without those of its fix tasks. */
  readonly retries: number;
  /** Runs of the task and of its fix tasks. */
  readonly runs: number;
  /** One sentence without a full stop. */
  readonly reason: string;
  /** The run to start next. Undefined: nothing is left to do. */
  readonly next?: TaskRun;
  /** The newest run, if it was completed. */
  readonly done?: TaskRun;
  /** Its open run has failed: it must be closed before the next one starts. */
  readonly hasFailedRun: boolean;
}

/** A run of a task, or of the fix task that repairs it. */
export interface TaskRun {
  readonly id: string;
  readonly task?: string;
  /** A retry: outputs of the earlier run are not used. */
  readonly isRetry: boolean;
}

/** The text of a fix task begins so: `fix-REQ-1.1-1: …`. */
const FIX = /^fix-(\S+)-(\d+): /;

/** Characters of the task in an entry. */
const MAX_TASK = 4_096;

/** The tasks of a set, from the log: each run of a subject is one try, which is closed if it failed. */
export function foldTasks({ subjects, retries }: SubjectSet, pipeline: Pipeline, entries: readonly Entry[]): Task[] {
  const bySubject = Map.groupBy(
    entries.filter((entry) => entry.pipeline === pipeline.id),
    ({ subject }) => subject,
  );
  const tasks = new Map<string, Task>();
  for (const subject of subjects) {
    const task = foldTask(subject, retries, pipeline, bySubject.get(subject.id) ?? []);
    const need = subject.needs.find((id) => tasks.get(id)!.status !== 'completed');
    const blocks = need !== undefined && task.status === 'pending';
    const reason = need && `${need} ${tasks.get(need)!.status === 'failed' ? 'failed' : 'comes first'}`;
    tasks.set(subject.id, blocks ? { ...task, status: 'blocked', reason: reason!, next: undefined } : task);
  }
  return [...tasks.values()];
}

function foldTask({ id, task, needs }: SetSubject, limit: number, pipeline: Pipeline, entries: readonly Entry[]): Task {
  const state = new LogState(pipeline, id, entries);
  const runs = state.runs.filter(({ attempts }) => attempts.size > 0);
  const run = runs.at(-1);
  const tries = runs.filter((other) => !isFixOf(other, id));
  const base = { id, task, needs, retries: Math.max(0, tries.length - 1), runs: runs.length, hasFailedRun: false };
  const first = { id, task, isRetry: false };
  const retry = { ...first, isRetry: true };
  if (run === undefined) return { ...base, status: 'pending', reason: 'it has not run yet', next: first };
  const isFix = isFixOf(run, id);
  const units = [...describeUnits(pipeline, state, run, () => false).values()];
  const status = runStatusOf(run, units);
  if (status === 'completed' && !isFix)
    return { ...base, status: 'completed', reason: 'all gates are done', done: first };
  const open = units.filter(({ done }) => !done);
  const failures = open.filter(isFailure);
  const hasFailed = status === 'closed' || (status === 'error' && failures.length > 0);
  const work = { ...base, status: 'in-progress', hasFailedRun: status === 'error' && hasFailed } as const;
  if (status === 'paused' || status === 'rollback') return { ...base, status: 'paused', reason: waitReason(run, open) };
  const text = failures.map(failureText).join('; ') || 'its run was closed';
  const current = isFix ? { ...first, id: FIX.exec(taskOf(run)!)![0].slice(0, -2), task: taskOf(run) } : first;
  if (status === 'completed') return { ...work, reason: 'its repair is done', done: current, next: retry };
  if (!hasFailed) return { ...work, reason: 'its run continues', next: current };
  if (isFix) return { ...work, reason: `its repair failed: ${text}`, next: retry };
  if (tries.length > limit) return { ...work, status: 'failed', reason: text };
  const fix = `fix-${id}-${tries.length}`;
  const goal = task === undefined ? '' : ` The task: ${task}`;
  return {
    ...work,
    reason: text,
    next: { ...first, id: fix, task: cutText(`${fix}: make ${id} pass. ${text}.${goal}`, MAX_TASK) },
  };
}

/** An interrupted or lost gate has not failed: it starts again. */
function isFailure({ status, ended }: UnitState): boolean {
  return (status === 'failed' || status === 'partial') && ended?.verdict.kind !== 'cancelled';
}

function failureText({ unit, ended }: UnitState): string {
  return `${unit.key}: ${verdictText(ended!.verdict)}`;
}

function waitReason({ paused }: RunState, open: readonly UnitState[]): string {
  if (paused) return `${paused.actor} holds it: ${paused.reason}`;
  const waiting = open.find(({ status }) => status === 'paused');
  return waiting ? `${waiting.unit.key} ${STATUS_PHRASES.paused}` : 'a person must decide';
}

/** The task of a run, from its attempts. */
export function taskOf({ attempts }: RunState): string | undefined {
  return [...attempts.values()].flat().find(({ started }) => started?.task !== undefined)?.started?.task;
}

function isFixOf(run: RunState, subject: string): boolean {
  return FIX.exec(taskOf(run) ?? '')?.[1] === subject;
}

/** Tasks of a pipeline that were completed, the newest last. */
export function completedTasks(entries: readonly Entry[], pipeline: string): { subject: string; task: string }[] {
  const texts = new Map<string, string>();
  const completed = new Map<string, string>();
  for (const entry of entries) {
    if (entry.pipeline !== pipeline) continue;
    const { subject, run } = entry;
    const key = JSON.stringify([subject, run]);
    if (entry.kind === 'started' && entry.task !== undefined) texts.set(key, entry.task);
    if (entry.kind !== 'decided') continue;
    if (entry.decision === 'rollback') completed.delete(subject);
    if (entry.decision === 'complete' && !FIX.test(texts.get(key) ?? '')) {
      completed.delete(subject);
      completed.set(subject, texts.get(key) ?? '');
    }
  }
  return [...completed].map(([subject, task]) => ({ subject, task }));
}
