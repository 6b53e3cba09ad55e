import type { UnitKey } from '../../pipeline/pipeline.ts';
import { NO_DECISIONS, rulingOn } from '../records/decisions.ts';
import { unitOf, type DecidedRecord, type EndedRecord } from '../records/record.ts';
import { reworksIn } from '../records/reworks.ts';
import type { Unit, UnitGraph } from '../records/unit.ts';
import { isGoodEnough } from '../state/fold-unit.ts';
import type { SubjectRecords } from './archive.ts';

/** Whether every output that sent the work back in the attempt's run was followed by one that was let pass there. */
export function endedWell(
  unit: Unit,
  { runNumber, rework }: EndedRecord,
  archive: SubjectRecords,
  query: { readonly graph: UnitGraph; readonly now: string },
): boolean {
  const { decided: all, unknownAt } = archive.decisions.get(unit.key) ?? NO_DECISIONS;
  // A decision that cannot be read may have been one of another gate, which did not pass.
  if (unknownAt !== undefined && unknownAt.runNumber >= runNumber) return false;
  const decided = all.filter((one) => one.runNumber === runNumber);
  const causes = rework?.causes ?? reworksIn(decided).flatMap(({ rework: { from } }) => from.map((one) => one.unit));
  return causes.every((cause) => {
    const last = archive.ended.get(cause)?.findLast((one) => one.runNumber === runNumber);
    return last?.verdict.status === 'passed' || wasLetPass(query.graph.get(cause), last, archive, query.now);
  });
}

/**
 * Whether an output that was only partial was good enough for its run: in it, or by a later approval of this output,
 * which is for its own subject only. Otherwise, decisions of later runs are ignored. An approval whose record proves
 * nothing is enough: the output itself still needs one that does.
 */
function wasLetPass(
  unit: Unit | undefined,
  ended: EndedRecord | undefined,
  archive: SubjectRecords,
  now: string,
): boolean {
  if (unit === undefined || ended?.verdict.status !== 'partial') return false;
  const { decided: used, unknownAt } = archive.decisions.get(unit.key) ?? NO_DECISIONS;
  const decided = [...used, ...unprovenApprovals(archive, unit.key)];
  const then = decided.filter((one) => one.runNumber <= ended.runNumber);
  return (archive.other === undefined ? [then, decided] : [then]).some((some) =>
    isGoodEnough(unit, ended, rulingOn(ended, { decided: some, unknownAt }, now, unit.gate.approval)),
  );
}

function unprovenApprovals({ unprovenDecisions, proven, records }: SubjectRecords, key: UnitKey): DecidedRecord[] {
  if (unprovenDecisions !== true) return [];
  return records.filter(
    (one): one is DecidedRecord =>
      one.kind === 'decided' && one.decision === 'approve' && unitOf(one) === key && proven?.has(one) !== true,
  );
}
