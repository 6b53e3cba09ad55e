import { lackingUnit, type RunState, type RunStatus, type UnitState } from '../../../run/state/run-state.ts';
import { count, listOf } from '../../text.ts';
import { durationText, iconOf } from '../../wording.ts';
import { sumOf } from '../../../history/amounts.ts';
import { costText, tokensText } from '../../amounts.ts';
import { agentRan, reusedIn, spansOf, spentOn, type Attempt } from '../../../history/attempts.ts';
import { code, linkTo } from '../../markdown/markdown.ts';
import type { UnsatisfiedJob } from '../needed-jobs.ts';
import type { RunIteration, RunReportInput } from '../report-input.ts';

const RUN_TEXT: Readonly<Record<RunStatus, string>> = {
  initializing: '⏳ not started',
  executing: '🔄 running',
  paused: '⏸️ waiting for approval',
  error: '❌ failed',
  completed: '✅ passed',
  rollback: '⏪ rolled back',
};

/** The result of a run, and whose it is: ``❌ failed: `web` for `pr-42` ``. */
export function titleOf(state: RunState, missing: readonly UnsatisfiedJob[]): string {
  return `${outcomeText(state, missing)}: ${code(state.pipeline)} for ${code(state.subject, 200)}`;
}

/** The result of a run in a few words: `❌ failed`. Needed jobs that failed, or that left no record, make it fail. */
function outcomeText(state: RunState, missing: readonly UnsatisfiedJob[]): string {
  const isOpen = state.status !== 'completed' && state.status !== 'initializing';
  const isUnread = state.problems.some(({ code: kind }) => kind === 'UNREADABLE_RECORD');
  if (state.status === 'initializing' && isUnread) return '❌ not everything could be read';
  const isOverBudget = [...state.units.values()].some(({ blockedBy }) => blockedBy === 'budget');
  if (state.status === 'paused' && state.decided.paused === undefined && isOverBudget) return '⏸️ over budget';
  if (lackingUnit(state) !== undefined) return '⛔ blocked';
  if (missing.length === 0 || isOpen) return RUN_TEXT[state.status];
  return missing.some(({ isSilent }) => isSilent) ? '❌ not checked' : RUN_TEXT.error;
}

/** One line of figures: gates done and reused, problems, time, cost, tokens, attempts, and what reuse saved. */
export function figuresText(input: RunReportInput, attempts: readonly Attempt[]): string {
  const units = [...input.state.units.values()];
  const reused = units.filter((unit) => unit.reused && unit.done).length;
  const spent = spentOn(attempts);
  const tries = attempts.filter(agentRan).length;
  const time = spansOf(attempts, input.state, input.now).reduce((sum, { from, to }) => sum + to - from, 0);
  const parts = [
    `**${units.filter(({ done }) => done).length} of ${count(units.length, 'gate')} done**${reused > 0 ? `, ${reused} reused` : ''}`,
    ...troubleCounts(units),
    time > 0 ? durationText(time) : '',
    costText(spent.costUsd),
    spent.tokens === undefined ? '' : `${tokensText(spent.tokens)} tokens`,
    tries > 0 ? count(tries, 'attempt') : '',
    savedText(input),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function troubleCounts(units: readonly UnitState[]): string[] {
  return (['failed', 'lost', 'partial', 'paused', 'blocked', 'running', 'skipped'] as const).flatMap((status) => {
    const number = units.filter((unit) => unit.status === status).length;
    return number === 0 ? [] : [`${iconOf(status)} ${number} ${status}`];
  });
}

/** Identifies the run, linked if possible: `run 3, attempt 2, on main at 0123abc, iteration 2 of 3 of write`. */
export function runText({ state, facts, links }: RunReportInput): string {
  const run = linkTo(`run ${state.runNumber}, run attempt ${state.runAttempt}`, links?.run);
  if (facts === undefined) return run;
  const on = facts.branch === '' ? '' : `, on ${code(facts.branch, 120)}`;
  const again = facts.iteration && `, iteration ${iterationText(facts.iteration)} of ${code(facts.iteration.gate)}`;
  return `${run}${on}${facts.sha === '' ? '' : ` at ${code(facts.sha.slice(0, 7))}`}${again ?? ''}`;
}

/** `2 of 3`, or `2` if several loops bound the gate. */
export function iterationText({ number, of }: Pick<RunIteration, 'number' | 'of'>): string {
  return of === undefined ? String(number) : `${number} of ${of}`;
}

/** `saved 4m 10s, USD 0.03 and 12,000 tokens by reuse`; '' if no saving is known. */
function savedText({ state, records }: Pick<RunReportInput, 'state' | 'records'>): string {
  const { ms, costUsd, tokens } = sumOf(reusedIn(state, records).map(({ saved }) => saved));
  const parts = [
    durationText(ms),
    costText(costUsd),
    tokens === undefined ? '' : `${tokensText(tokens)} tokens`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return '';
  return `saved ${listOf(parts)} by reuse`;
}
