import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import { attemptText, sourceText } from '../../run/records/attempt-text.ts';
import type { Unit } from '../../run/records/unit.ts';
import { bytesText } from '../text.ts';
import { attemptOf, durationOf, durationText, howOf, messageOf, scoreFact, shortDigest } from '../wording.ts';
import { codeCell, row, saidInCell } from './markdown.ts';

/** A fact about a gate: its name and its value, which is Markdown for a table cell. */
type Fact = readonly [name: string, value: string];

/** Facts as table rows; facts without a value are left out. */
export function factRows(facts: readonly Fact[]): string[] {
  return facts.filter(([, value]) => value !== '').map(row);
}

/** What every view of a gate shows about it: pipeline, agent, score, attempt, time, output. */
export function gateFacts(unit: Unit, own: UnitState, state: RunState): Fact[] {
  const ended = resultOf(own);
  const at = attemptOf(own);
  return [
    ['Pipeline', codeCell(state.pipeline)],
    ['Subject', codeCell(state.subject, 1_024)],
    ['Task', saidInCell((ended ?? own.started)?.task ?? '')],
    ['Agent', saidInCell(unit.gate.agent)],
    ['Score', scoreCell(unit, own)],
    ['Result', saidInCell(ended?.verdict.result ?? '')],
    ['Message', saidInCell(messageOf(own))],
    ['Iteration', String((ended ?? own.started)?.rework?.iteration ?? '')],
    at === undefined || howOf(own) === 'reused'
      ? ['Run', `run ${state.runNumber}`]
      : ['Attempt', attemptText(at, own.numbered)],
    ['How', howText(own)],
    ['Began', ended?.startedAt ?? ''],
    ['Ended', ended?.at ?? ''],
    ['Took', durationText(durationOf(own))],
    ['Exit code', String(ended?.exitCode ?? '')],
    ['Signal', saidInCell(ended?.signal ?? '')],
    ['Fingerprint', at === undefined ? '' : codeCell(shortDigest(at.fingerprint))],
    [
      'Output',
      ended?.value === undefined ? '' : `${codeCell(shortDigest(ended.value.digest))}, ${bytesText(ended.value.bytes)}`,
    ],
  ];
}

function scoreCell(unit: Unit, own: UnitState): string {
  const ended = resultOf(own);
  const scored = ended === undefined ? undefined : scoreFact(ended.verdict, unit.gate.contract);
  if (scored === undefined) return '';
  return scored.threshold === undefined ? scored.score : `${scored.score} (threshold ${scored.threshold})`;
}

function howText(own: UnitState): string {
  const ended = resultOf(own);
  if (howOf(own) !== 'reused' || ended?.source === undefined) return howOf(own);
  return `reused from ${saidInCell(sourceText(ended.source, ended))}`;
}
