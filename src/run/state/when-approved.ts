import { comparePositions, type DecidedRecord, type GatelineRecord } from '../records/record.ts';
import type { Unit, UnitGraph } from '../records/unit.ts';

/**
 * The graph with the change under review as it was when a gate of the run was last approved: a run that was completed
 * then stays completed when the next commit is checked out. `undefined` if no approval depends on the commit.
 */
export function graphWhenApproved(graph: UnitGraph, ofRun: readonly GatelineRecord[]): UnitGraph | undefined {
  const approvals = ofRun.filter(
    (record): record is DecidedRecord => record.kind === 'decided' && record.decision === 'approve',
  );
  const commit = approvals.toSorted(comparePositions).at(-1)?.commit;
  const depends = ({ gate: { approval } }: Unit): boolean =>
    approval?.perCommit === true && approval.about?.commit !== commit;
  if (commit === undefined || ![...graph.values()].some(depends)) return undefined;
  return new Map(
    [...graph].map(([key, unit]) => {
      const { approval } = unit.gate;
      if (approval === undefined || !depends(unit)) return [key, unit];
      const about = { commit, authors: approval.about?.authors ?? [] };
      return [key, { ...unit, gate: { ...unit.gate, approval: { ...approval, about } } }];
    }),
  );
}
