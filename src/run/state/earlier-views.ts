import { expired } from '../records/decisions.ts';
import { comparePositions, RUN_GATE, type GatelineRecord } from '../records/record.ts';
import type { ExternalFacts, RunState } from './run-state.ts';
import type { Unit, UnitGraph } from '../records/unit.ts';

/** A graph and facts as they were at an earlier time. */
interface EarlierView {
  readonly graph: UnitGraph;
  readonly facts: ExternalFacts;
}

/**
 * Views of a run at times when it may have been completed, although it does not look so now: before the checkout of
 * another commit, and before a decision expired. A run that was completed then stays completed, and a later decision
 * about the run, such as `pin`, changes nothing about that.
 * @param records of the subject, all runs
 * @param ofRun records of the run
 */
export function earlierViews(
  graph: UnitGraph,
  records: readonly GatelineRecord[],
  ofRun: readonly GatelineRecord[],
  facts: ExternalFacts,
): EarlierView[] {
  const views: EarlierView[] = [];
  const atItsEnd = graphAtItsEnd(graph, ofRun);
  if (atItsEnd !== undefined) views.push({ graph: atItsEnd, facts });
  const { updatedAt: now = facts.now } = spanOf(ofLastCall(ofRun));
  const hasExpired = records.some(
    (record) => record.kind === 'decided' && expired(record, facts.now) && !expired(record, now),
  );
  if (hasExpired) views.push({ graph, facts: { ...facts, now } });
  return views;
}

/** The records of the last call about gates. The clock may have been set back since earlier calls. */
function ofLastCall(ofRun: readonly GatelineRecord[]): readonly GatelineRecord[] {
  const aboutGates = ofRun.filter(({ kind, gate }) => kind !== 'decided' || gate !== RUN_GATE);
  const last = aboutGates.reduce((latest, { runAttempt }) => Math.max(latest, runAttempt), 0);
  return aboutGates.filter(({ runAttempt }) => runAttempt === last);
}

/** When the first and the last of some records were written. */
export function spanOf(records: readonly GatelineRecord[]): Pick<RunState, 'startedAt' | 'updatedAt'> {
  let startedAt: string | undefined;
  let updatedAt: string | undefined;
  for (const { at } of records) {
    if (startedAt === undefined || at < startedAt) startedAt = at;
    if (updatedAt === undefined || at > updatedAt) updatedAt = at;
  }
  return { startedAt, updatedAt };
}

/**
 * The graph with the change under review as it was when the run recorded its last work or decision. `undefined` if no
 * approval depends on the commit, or it is still the same.
 */
function graphAtItsEnd(graph: UnitGraph, ofRun: readonly GatelineRecord[]): UnitGraph | undefined {
  const [last] = ofRun.filter(namesCommit).toSorted((a, b) => comparePositions(b, a));
  const commit = last?.commit;
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

/** A rejection ends no run. */
function namesCommit(record: GatelineRecord): boolean {
  return record.commit !== undefined && (record.kind !== 'decided' || record.decision === 'approve');
}

/** The commit that the run is about, if approvals of its gates depend on it. */
export function commitUnderReview(graph: UnitGraph): string | undefined {
  const approvals = [...graph.values()].map(({ gate }) => gate.approval);
  return approvals.find((approval) => approval?.perCommit)?.about?.commit;
}
