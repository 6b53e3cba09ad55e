import type { NeededJob } from '../../report/github/needed-jobs.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import { HOW_TO_APPROVE } from '../../run/records/decisions.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import type { RunState, UnitState } from '../../run/state/run-state.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { failureText, type Verdict } from '../../verdict/verdict.ts';
import type { StepResult } from '../invocation.ts';

/** Kinds of failures with their own title; any other is `Gate failed`. */
const TITLES: Readonly<Partial<Record<EndedRecord['verdict']['kind'], string>>> = {
  missing: 'Gate failed: no output',
  malformed: 'Gate failed: the output is not JSON',
  schema: 'Gate failed: the output does not match the schema',
  result: 'Gate failed: its result is not one that passes',
  score: 'Gate failed: no valid score',
  check: 'Gate failed: a check failed',
  files: 'Gate failed: its files could not be kept',
  'agent-error': 'Gate failed: the agent failed',
  timeout: 'Gate failed: the agent timed out',
  cancelled: 'Gate cancelled',
  'no-secret': 'Gate failed: a secret is missing',
  'not-started': 'Gate failed: the agent could not be started',
};

/**
 * The result of a gate's job: green if later gates may continue, otherwise red, with a title for each case. Gateline
 * never skips a gate's job: GitHub treats a skipped required check as passed.
 *
 * @param ended the attempt that the job made, if any: it explains a red job even if a decision voided the attempt
 */
export function resultOfGate(planned: PlannedUnit, state: RunState, ended?: EndedRecord): StepResult {
  const unit = state.units.get(planned.key);
  const status = unit?.status ?? 'blocked';
  const verdict = unit?.ended?.verdict;
  const name = `gate ${planned.key}`;
  switch (status) {
    case 'passed':
    case 'skipped':
    case 'not-applicable':
      return green(status, `${name}: ${status}`);
    case 'partial':
      if (unit?.done === true && unit.decided !== undefined) return green('partial', `${name}: ${unit.reason}`);
      return unit?.done === true
        ? green('partial', `${name}: score ${verdict?.score ?? 0} is below the threshold; continuing, as the gate says`)
        : red('Gate failed: the score is below the threshold', `${name}: ${unit?.reason ?? ''}`);
    case 'paused':
      return red('Waiting for approval', `${name}: ${unit?.reason ?? ''}; ${HOW_TO_APPROVE}`);
    case 'failed':
      return red(titleOf(verdict), `${name}: ${unit?.reason ?? ''}`);
    case 'running':
      return red('Gate claimed by another job', `${name}: ${unit?.reason ?? ''}`);
    case 'blocked':
    case 'lost':
    case 'pending':
    case 'ready':
      if (status === 'ready' && ended?.verdict.status === 'failed')
        return red(titleOf(ended.verdict), `${name}: ${failureText(ended.verdict)}`);
      return red('Gate blocked', `${name}: ${unit?.reason ?? planned.reason}`);
  }
}

function titleOf(verdict: Verdict | undefined): string {
  return TITLES[verdict?.kind ?? 'schema'] ?? 'Gate failed';
}

/**
 * The result of the check that a branch rule requires: green only if every gate is satisfied and every needed job left
 * a record. A run without gates fails.
 *
 * @param missing needed jobs that are not satisfied
 * @param accepted units that are not done and need not be
 */
export function resultOfRun(
  state: RunState,
  missing: readonly NeededJob[],
  accepted: ReadonlySet<UnitKey> = new Set(),
): StepResult {
  const units = [...state.units.values()];
  const unread = state.problems.find(({ code }) => code === 'UNREADABLE_RECORD');
  if (units.length === 0 && unread !== undefined)
    return red(UNREADABLE, `nothing was checked, as not everything could be read: ${unread.message}`);
  if (units.length === 0) return red('No gates', 'no gate left a record in this run, so nothing was checked');
  const open = keysOf(units.filter((unit) => !unit.done && !accepted.has(unit.key)));
  if (open.length === 0 && missing.length === 0) return green('All gates passed', doneText(units, accepted));
  const parts = [
    ...(open.length > 0 ? [`not done: ${open.join(', ')}`] : []),
    ...(missing.length > 0
      ? [`needed jobs without a satisfied gate: ${missing.map(({ id, result }) => `${id} (${result})`).join(', ')}`]
      : []),
  ];
  const waits =
    units.some(({ status }) => status === 'paused') && units.every(isWellOrWaits) && missing.every(isSkipped);
  if (waits) return red('Waiting for approval', parts.join('; '));
  const isUnknown =
    missing.every(isSkipped) && units.some((unit) => unit.unread !== undefined) && units.every(isWellOrUnknown);
  return red(isUnknown ? UNREADABLE : 'Gates failed', parts.join('; '));
}

function doneText(units: readonly UnitState[], accepted: ReadonlySet<UnitKey>): string {
  const done = units.filter((unit) => unit.done).length;
  const more = accepted.size === 0 ? '' : `; accepted with a stand-in: ${[...accepted].join(', ')}`;
  return `${done} of ${units.length} gates done${more}`;
}

/** The title of a run in which no failure is known. */
const UNREADABLE = 'Records could not be read';

/** Done, not readable, or waiting for a unit that is not. */
function isWellOrUnknown({ done, status, unread }: UnitState): boolean {
  return done || unread !== undefined || status === 'pending';
}

/** Done, waiting for an approval, or waiting for a unit that is. */
function isWellOrWaits({ done, status }: UnitState): boolean {
  return done || status === 'paused' || status === 'blocked' || status === 'pending';
}

function isSkipped({ result }: NeededJob): boolean {
  return result === 'skipped';
}

function keysOf(units: readonly { readonly key: UnitKey }[]): UnitKey[] {
  return units.map(({ key }) => key);
}

function green(title: string, message: string): StepResult {
  return { ok: true, title, message };
}

function red(title: string, message: string): StepResult {
  return { ok: false, title, message };
}
