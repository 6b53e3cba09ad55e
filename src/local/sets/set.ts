import type { Order } from '../../engine/ports.ts';
import { recoverFolder } from '../../engine/attempt/recover.ts';
import { GatelineError } from '../../errors.ts';
import type { SetSubject, SubjectSet } from '../../pipeline/set.ts';
import { viewSubjects, type SubjectEnd, type SubjectPlan, type SubjectView } from '../../report/set.ts';
import { deliverBranch, readDelivery, requireDelivery } from './deliver.ts';
import type { Folder } from '../folder/folder.ts';
import { runIsolated } from '../runs/isolated.ts';
import { requireSubjects, type OrderOf } from './read-set.ts';
import { planFolder } from '../runs/run-folder.ts';
import { withStandIns } from '../exchange/system-files.ts';
import { viewRun } from '../folder/view-run.ts';
import { endCall } from '../runs/end-call.ts';

export interface SetOptions {
  /** Ids of subjects; those that they need must be completed. Default: all. */
  readonly only?: readonly string[];
  /** How many subjects run side by side. Default: `max-parallel` of the set. */
  readonly maxParallel?: number;
  readonly signal?: AbortSignal;
}

/** How a call for a set ended. */
export interface SetOutcome {
  readonly status: 'completed' | 'failed' | 'interrupted';
  readonly subjects: readonly SubjectView[];
}

/**
 * Runs a pipeline for the subjects of a set, each in a clone of the folder: a subject starts when those that it needs are
 * completed. Killed anywhere, the next call continues.
 */
export async function runSet(
  folder: Folder,
  set: SubjectSet,
  orderOf: OrderOf,
  { only, maxParallel = set.maxParallel, signal = new AbortController().signal }: SetOptions,
): Promise<SetOutcome> {
  const subjects = selectSubjects(set, only);
  const orders = new Map(set.subjects.map((subject) => [subject.id, orderForSet(orderOf, subject)]));
  if (set.deliver) await requireDelivery(folder);
  await recoverFolder(folder.ports, orders.get(subjects[0]!.id)!);
  const otherEntries = (await folder.log.read()).length;
  const running = new Map<string, Promise<void>>();
  const runs = await viewRuns(folder, orders);
  const others = set.subjects.filter((subject) => !subjects.includes(subject));
  const ends = new Map(
    others.map(({ id }): [string, SubjectEnd] => [id, { done: runs.get(id)!.status === 'completed' }]),
  );
  let error: Error | undefined;
  const start = (subject: SetSubject): void => {
    const order = { ...orders.get(subject.id)!, otherEntries };
    const work = runSubject(folder, order, set.deliver !== undefined, signal).then(
      (end) => void ends.set(subject.id, end),
      (thrown: unknown) => {
        if (!(thrown instanceof GatelineError) || thrown.fault !== 'failed') error ??= asError(thrown);
        else ends.set(subject.id, { done: false, error: thrown.message });
      },
    );
    running.set(
      subject.id,
      work.finally(() => running.delete(subject.id)),
    );
  };
  // A database is saved before each agent: only one at a time may change it.
  const limit = folder.ports.database ? 1 : maxParallel;
  for (;;) {
    const isStopped = signal.aborted || error !== undefined || running.size >= limit;
    const next = isStopped
      ? undefined
      : subjects.find(
          ({ id, needs }) => !ends.has(id) && !running.has(id) && needs.every((need) => ends.get(need)?.done),
        );
    if (next) start(next);
    else if (running.size > 0) await Promise.race(running.values());
    else break;
  }
  // Last, because it may remove old runs.
  for (const { id } of subjects) if (ends.has(id)) await endCall(folder, orders.get(id)!, true);
  if (error !== undefined) throw error;
  const views = viewSubjects(set.subjects, await viewRuns(folder, orders), ends);
  const selected = views.filter(({ id }) => subjects.some((subject) => id === subject.id));
  const isWhole = selected.every(({ done }) => done);
  return { status: signal.aborted ? 'interrupted' : isWhole ? 'completed' : 'failed', subjects: selected };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The newest run of each subject of a set. */
export async function viewSet(folder: Folder, set: SubjectSet, orderOf: OrderOf): Promise<readonly SubjectView[]> {
  const orders = new Map(set.subjects.map((subject) => [subject.id, orderForSet(orderOf, subject)]));
  const runs = await viewRuns(folder, orders);
  const ends = new Map<string, SubjectEnd>();
  for (const [id, order] of orders) {
    const { run, status } = runs.get(id)!;
    const delivery = set.deliver && (await readDelivery(folder, order));
    if (run > 0) ends.set(id, { done: status === 'completed', delivery });
  }
  return viewSubjects(set.subjects, runs, ends);
}

/** What {@link runSet} would do with each subject, and why. */
export async function planSet(
  folder: Folder,
  set: SubjectSet,
  orderOf: OrderOf,
  only?: readonly string[],
): Promise<readonly SubjectPlan[]> {
  const plans: SubjectPlan[] = [];
  for (const subject of selectSubjects(set, only)) {
    const { id, needs } = subject;
    plans.push({ id, needs, plan: await planFolder(folder, orderForSet(orderOf, subject), {}) });
  }
  return plans;
}

/** Without `mirror`: state files of other systems hold one run, so for a set only `export` writes them. */
function orderForSet(orderOf: OrderOf, subject: SetSubject): Order {
  const order = orderOf(subject, subject.task);
  return { ...order, pipeline: { ...order.pipeline, mirror: [] } };
}

function selectSubjects(set: SubjectSet, only: readonly string[] | undefined): readonly SetSubject[] {
  requireSubjects(set, only, 'subject');
  return set.subjects.filter(({ id }) => only?.includes(id) ?? true);
}

async function viewRuns(folder: Folder, orders: ReadonlyMap<string, Order>) {
  const views = [...orders].map(async ([id, order]) => [id, await viewRun(folder, order)] as const);
  return new Map(await Promise.all(views));
}

/** Runs one subject in its clone. */
async function runSubject(folder: Folder, order: Order, delivers: boolean, signal: AbortSignal): Promise<SubjectEnd> {
  const { subject } = order;
  const watched = folder.observedBy((event) => folder.options.observe(event, subject));
  const { status, ran } = await runIsolated(watched, await withStandIns(watched, order), signal, false);
  const done = status === 'completed' || status === 'nothing';
  return { done, ...(done && delivers && { delivery: await deliverBranch(watched, order, ran.length > 0) }) };
}
