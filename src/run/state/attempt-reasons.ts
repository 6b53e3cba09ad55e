import { adopterText, attemptInRun, numberedAmong, sourceText } from '../records/attempt-text.ts';
import { adoptionOf } from '../records/source.ts';
import { actorOf, approvedBefore } from '../records/decisions.ts';
import type { EndedRecord } from '../records/record.ts';
import type { UnitRecords } from '../records/unit-records.ts';
import type { Unit } from '../records/unit.ts';
import type { ExternalFacts } from './run-state.ts';

/** Where the output of an attempt is from. */
export function howText(own: UnitRecords, ended: EndedRecord): string {
  const { how, verdict } = ended;
  if (verdict.status === 'not-applicable') return verdict.advice === '' ? 'its condition is false' : verdict.advice;
  if (how === 'adopted') {
    const decided = adoptionOf(ended, own.decided);
    const adopt = decided === undefined ? adopterText(ended.source, ended) : `${actorOf(decided)}: ${decided.reason}`;
    return adopt === undefined ? 'adopted' : `adopted by ${adopt}`;
  }
  if (how === 'reused') return ended.source === undefined ? 'reused' : `reused from ${sourceText(ended.source, ended)}`;
  return `${attemptInRun(ended, numberedAmong(own.started, own.ended))}, score ${verdict.score}`;
}

/** Why an output waits although an earlier one was approved. */
export function sinceApproval(
  { key }: Unit,
  own: UnitRecords,
  { fingerprint }: EndedRecord,
  facts: ExternalFacts,
): string {
  const by = approvedBefore([...own.earlier.decided, ...own.decided], fingerprint, facts.now);
  if (by === undefined) return '';
  const what = facts.changes?.get(key);
  return `; the request changed since ${actorOf(by)} approved${what === undefined ? '' : `: ${what}`}`;
}
