import { attemptInRun, numberedAmong } from '../records/attempt-text.ts';
import type { EndedRecord, StartedRecord } from '../records/record.ts';
import { claimMatches, placeOf, type UnitRecords } from '../records/unit-records.ts';
import type { Unit } from '../records/unit.ts';
import type { MissingOutput } from './missing-output.ts';
import type { RunProblem } from './run-state.ts';

/** An attempt that ended, with its claim. */
interface EndedAttempt {
  readonly ended: EndedRecord;
  readonly claimed: StartedRecord | undefined;
  readonly missing: MissingOutput | undefined;
}

/** Problems with the records of a unit. */
export function problemsOf(unit: Unit, own: UnitRecords, judged: readonly EndedAttempt[]): RunProblem[] {
  const problems: RunProblem[] = [];
  const unread = new Set(own.unknown.map(placeOf));
  for (const { ended, claimed, missing } of judged) {
    const where = `${unit.key}: ${attemptInRun(ended, numberedAmong(own.started, own.ended))}`;
    const known = claimed !== undefined || unread.has(placeOf(ended));
    if (ended.how === 'ran' && ended.verdict.kind !== 'not-applicable' && !known) {
      problems.push({ code: 'ENDED_WITHOUT_START', message: `${where} ended but was never claimed`, unit: unit.key });
    }
    if (!claimMatches(ended, claimed)) {
      problems.push({
        code: 'CLAIM_MISMATCH',
        message: `${where} ended with a different request or contract than it began with`,
        unit: unit.key,
      });
    }
    if (missing !== undefined)
      problems.push({ code: 'OUTPUT_MISSING', message: `${where}: its output ${missing.text}`, unit: unit.key });
  }
  return problems;
}
