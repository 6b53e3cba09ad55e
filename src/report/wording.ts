import type { Issue, Verdict, VerdictKind } from '../verdict/verdict.ts';
import { endedAfter } from '../history/attempts.ts';
import type { EndedRecord, FileChange, StartedRecord } from '../run/records/record.ts';
import { hexOf, type Digest } from '../json/digest.ts';
import { resultOf, type UnitState, type UnitStatus } from '../run/state/run-state.ts';
import type { ContractSource, Leg } from '../pipeline/pipeline.ts';
import { legText } from '../run/records/named-units.ts';
import { count, oneLine, type Tone } from './text.ts';

/** The meaning of each kind of verdict, one sentence. */
export const KIND_MEANING: Readonly<Record<VerdictKind, string>> = {
  passed: 'The output meets the contract.',
  partial: 'The output is valid, but its score is below the threshold.',
  'not-applicable': "The gate's condition (`if`) is false: there is nothing to do.",
  missing: 'The agent succeeded but wrote no output.',
  malformed: 'The output is not JSON.',
  'too-large': 'The output is too large.',
  schema: 'The output does not match the contract’s schema.',
  result: 'The agent’s own result is not one that passes.',
  score: 'The score is not where the contract says, or is not a number from 0 to 100.',
  check: 'A check of the contract failed.',
  files: 'The files that the gate hands on could not be kept.',
  workspace: 'The workspace could not be prepared, or the agent’s changes could not be captured.',
  'agent-error': 'The agent failed.',
  'not-started': 'The agent could not be started.',
  timeout: 'The agent exceeded the gate’s timeout and was stopped.',
  cancelled: 'The run was stopped while the agent was running.',
  lost: 'The attempt left no result: its machine or process stopped, or there was no space to store it.',
  claimed: 'Another process is running this gate.',
  'no-secret': 'A secret of the gate is not set.',
  contract: 'The contract is invalid, so no output can be checked.',
};

const TONES: Readonly<Record<UnitStatus, Tone>> = {
  pending: 'quiet',
  ready: 'strong',
  blocked: 'quiet',
  running: 'strong',
  paused: 'warning',
  passed: 'good',
  partial: 'warning',
  failed: 'bad',
  lost: 'bad',
  skipped: 'warning',
  'not-applicable': 'quiet',
};

/** The tone of a status. */
export function toneOf(status: UnitStatus): Tone {
  return TONES[status];
}

/** The attempt shown for a unit, ended or not. A gate whose condition is false has none, although it has a record. */
export function attemptOf(unit: UnitState): EndedRecord | StartedRecord | undefined {
  return unit.status === 'not-applicable' ? undefined : (resultOf(unit) ?? unit.started);
}

/** The number of units, by what they are. */
export function unitCount(units: readonly Pick<UnitState, 'leg'>[]): string {
  const hasLegs = units.some(({ leg }) => leg !== '');
  if (hasLegs && units.length > 1) return `${units.length} gates and legs`;
  return count(units.length, hasLegs ? 'leg' : 'gate');
}

/**
 * The display name of a leg: its id, or the values of its matrix if the id contains a digest in place of some of them
 * (`Chrome 120, 3.10`) and no other of these legs has the same values.
 */
export function legName({ id }: Pick<Leg, 'id'>, legs: readonly Leg[]): string {
  const names = legs.map((leg) => oneLine(legText(leg)));
  const name = names[legs.findIndex((leg) => leg.id === id)] ?? '';
  const isClear = name !== '' && names.indexOf(name) === names.lastIndexOf(name);
  return isClear && /-[0-9a-f]{6,16}$/.test(id) ? name : id;
}

/**
 * How a unit reached its status: the agent `ran`, its output was `reused`, or `adopted` from elsewhere, it was
 * `skipped`; '' if there is no result.
 */
export function howOf(unit: UnitState): 'ran' | 'reused' | 'adopted' | 'skipped' | `stand-in (${string})` | '' {
  if (unit.standIns !== undefined) return `stand-in (${[...unit.standIns].join(', ')})`;
  if (unit.status === 'skipped') return 'skipped';
  if (unit.reused) return 'reused';
  return unit.status === 'not-applicable' ? '' : (resultOf(unit)?.how ?? '');
}

/**
 * The score of a verdict and the threshold that it was compared with, as texts; `undefined` if there is nothing to
 * show: the gate is not applicable, or its contract has no score and it failed for another reason. Without a required
 * score it is 100.
 */
export function scoreFact(
  { status, score }: Verdict,
  contract: Pick<ContractSource, 'score' | 'threshold'> | undefined,
): { readonly score: string; readonly threshold?: string } | undefined {
  if (status === 'not-applicable') return undefined;
  if (contract === undefined) return { score: scoreText(score) };
  if (contract.score === undefined) return status === 'failed' ? undefined : { score: scoreText(score) };
  return { score: scoreText(score), threshold: scoreText(contract.threshold) };
}

const ICONS: Readonly<Record<UnitStatus, string>> = {
  pending: '⏳',
  ready: '⏳',
  blocked: '⛔',
  running: '🔄',
  paused: '⏸️',
  passed: '✅',
  partial: '🟡',
  failed: '❌',
  lost: '💥',
  skipped: '⏭️',
  'not-applicable': '➖',
};

/** The icon of a status. */
export function iconOf(status: UnitStatus): string {
  return ICONS[status];
}

/** The agent's line about the output of a gate that passed; '' if there is none. Untrusted text. */
export function messageOf(unit: UnitState): string {
  return unit.status === 'passed' ? (resultOf(unit)?.verdict.message ?? '') : '';
}

/** The rule of an issue, if its message does not quote it. */
export function ruleToName({ message, rule = '' }: Issue): string | undefined {
  return rule === '' || message.includes(rule) ? undefined : rule;
}

/** A score for people: at most two decimals. */
export function scoreText(score: number): string {
  return String(Math.round(score * 100) / 100);
}

/** `0.4s`, `12s`, `3m 05s`, `2h 07m`; '' for an invalid duration. */
export function durationText(milliseconds: number | undefined): string {
  if (milliseconds === undefined || !Number.isFinite(milliseconds) || milliseconds < 0) return '';
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)}s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const two = (number: number): string => String(number).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3_600)}h ${two(Math.floor((seconds % 3_600) / 60))}m`;
}

/**
 * How long the unit's attempt took, in milliseconds; for a running one, the time so far. Reusing takes no time.
 * @param now ISO 8601; without it, a running attempt has no duration
 */
export function durationOf(unit: UnitState, now?: string): number | undefined {
  if (unit.status === 'running') {
    return unit.started === undefined || now === undefined ? undefined : Date.parse(now) - Date.parse(unit.started.at);
  }
  const ended = resultOf(unit);
  return ended === undefined || unit.reused || unit.status === 'not-applicable' ? undefined : endedAfter(ended);
}

/** The first 12 hex digits: enough for people. */
export function shortDigest(digest: Digest): string {
  return hexOf(digest).slice(0, 12);
}

/** How a file changed. */
export function changeOf({ before, after }: FileChange): 'added' | 'changed' | 'deleted' {
  if (after === null) return 'deleted';
  return before === null ? 'added' : 'changed';
}

/** What a person does about a gate that may not start because of its budget. The start of a sentence. */
export function budgetStep({ reason }: Pick<UnitState, 'reason'>): string {
  return reason.includes('budget.on-unknown')
    ? 'Let its agent report what it spends, or set `on-unknown: allow`'
    : 'Raise the budget';
}
