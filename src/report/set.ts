import type { SetSubject } from '../pipeline/set.ts';
import type { UnitPlan } from '../run/events.ts';
import { STATUS_PHRASES } from '../run/status.ts';
import { sumOf } from '../run/figures.ts';
import { countOf, formatDuration, formatMoney, formatSavings, joinTexts, listNames } from './amounts.ts';
import { renderTable, type Column, type Screen } from './table.ts';
import { STATUS_TONES } from './unit-texts.ts';
import type { RunStatus, RunView } from './view.ts';

/** A subject of a set, and its newest run. */
export interface SubjectView {
  readonly id: string;
  readonly needs: readonly string[];
  /** `blocked`: a subject that it needs is not completed. */
  readonly status: RunStatus | 'blocked';
  /** Completed, and delivered where the set says so. */
  readonly done: boolean;
  /** One sentence without a full stop; empty: there is nothing to say. */
  readonly reason: string;
  readonly run: RunView;
  readonly delivery?: Delivery;
}

/** The delivery of a subject's files to a branch. `commit` is absent if nothing was delivered. */
export interface Delivery {
  readonly branch: string;
  readonly commit?: string;
  /** Why there is no commit. */
  readonly problem?: string;
}

/** How a subject of a call ended. */
export interface SubjectEnd {
  /** Whether its run is completed. */
  readonly done: boolean;
  /** Why it could not run. */
  readonly error?: string;
  readonly delivery?: Delivery;
}

/**
 * The subjects of a set, in its order.
 * @param ends of those that ran
 */
export function viewSubjects(
  subjects: readonly SetSubject[],
  runs: ReadonlyMap<string, RunView>,
  ends: ReadonlyMap<string, SubjectEnd>,
): SubjectView[] {
  return subjects.map(({ id, needs }) => {
    const run = runs.get(id)!;
    const { done = false, error, delivery } = ends.get(id) ?? {};
    const open = ends.has(id) ? undefined : needs.find((need) => !ends.get(need)?.done);
    const status = open !== undefined ? 'blocked' : error !== undefined ? 'error' : run.status;
    const reason = open !== undefined ? `${open} is not completed` : (error ?? reasonOf(run, delivery));
    return { id, needs, status, done: done && delivery?.problem === undefined, reason, run, delivery };
  });
}

function reasonOf({ status, units, paused }: RunView, delivery: Delivery | undefined): string {
  if (delivery?.problem !== undefined) return `not delivered: ${delivery.problem}`;
  if (status === 'completed') return delivery?.commit === undefined ? '' : `branch ${delivery.branch}`;
  if (paused) return `${paused.actor}: ${paused.reason}`;
  const trouble = units.find((unit) => !unit.done && !['pending', 'running', 'blocked'].includes(unit.status));
  const open = trouble ?? units.find(({ next }) => next?.command !== undefined);
  return open === undefined ? '' : `${open.key} ${STATUS_PHRASES[open.status]}: ${open.reason}`;
}

/** A table of subjects, and their sums. */
export function renderSet(subjects: readonly SubjectView[], screen: Screen = {}): string {
  const columns: Column<SubjectView>[] = [
    { head: 'subject', cell: ({ id }) => id, max: 60 },
    { head: 'status', cell: ({ status }) => ({ text: status, tone: STATUS_TONES[status] }) },
    { head: 'gates', cell: ({ run: { figures } }) => `${figures.done}/${figures.units}`, isNumber: true },
    { head: 'time', cell: ({ run }) => formatDuration(run.figures.ms), isNumber: true },
    { head: 'cost', cell: ({ run }) => formatMoney(run.figures.costUsd), isNumber: true },
    { head: 'why', cell: ({ reason }) => reason, max: 300 },
  ];
  const figures = subjects.map(({ run }) => run.figures);
  const done = subjects.filter((subject) => subject.done).length;
  const saved = formatSavings(
    sumOf(figures.map(({ savedUsd }) => savedUsd)),
    sumOf(figures.map(({ savedMs }) => savedMs)),
  );
  const tokens = sumOf(figures.map((figure) => figure.tokens));
  const parts = [
    `${done} of ${countOf(subjects.length, 'subject')} completed`,
    formatDuration(sumOf(figures.map(({ ms }) => ms))),
    formatMoney(sumOf(figures.map(({ costUsd }) => costUsd))),
    tokens === undefined ? '' : countOf(tokens, 'token'),
    saved && `saved ${saved}`,
  ];
  return `${renderTable(columns, subjects, screen)}${joinTexts(parts)}\n`;
}

/** The plan of a subject. */
export interface SubjectPlan {
  readonly id: string;
  readonly needs: readonly string[];
  readonly plan: readonly UnitPlan[];
}

export function renderSetPlan(subjects: readonly SubjectPlan[], screen: Screen = {}): string {
  const unitsThat = ({ plan }: SubjectPlan, ...choices: UnitPlan['choice'][]) =>
    String(plan.filter(({ choice }) => choices.includes(choice)).length || '');
  const columns: Column<SubjectPlan>[] = [
    { head: 'subject', cell: ({ id }) => id, max: 60 },
    { head: 'needs', cell: ({ needs }) => listNames(needs) },
    { head: 'used', cell: (subject) => unitsThat(subject, 'use'), isNumber: true },
    { head: 'to run', cell: (subject) => unitsThat(subject, 'run', 'depends'), isNumber: true },
    { head: 'why', cell: ({ plan }) => firstReason(plan.filter(({ choice }) => choice === 'run')), max: 300 },
  ];
  return `${countOf(subjects.length, 'subject')}\n${renderTable(columns, subjects, screen)}`;
}

function firstReason([first]: readonly UnitPlan[]): string {
  return first === undefined ? '' : `${first.unit}: ${first.reason}`;
}
