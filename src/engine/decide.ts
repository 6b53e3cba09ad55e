import { GatelineError } from '../errors/gateline-error.ts';
import type { Approval } from '../pipeline/pipeline.ts';
import type { GATE_DECISIONS, RUN_DECISIONS } from '../run/records/decision-names.ts';
import { actorOf, approversText, mayApprove } from '../run/records/decisions.ts';
import type { EndedRecord } from '../run/records/record.ts';
import type { RunState } from '../run/state/run-state.ts';
import { unitsNamed } from '../run/records/named-units.ts';
import type { Unit } from '../run/records/unit.ts';
import type { JsonValue } from '../json/json.ts';
import { adoptOutput } from './attempt/record-planned.ts';
import { recordDecision, recordRunDecision, type Decider } from './attempt/record-decision.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { keepHistory, noteRun } from './call/keep-history.ts';
import { pinContracts } from './plan/pin-contracts.ts';
import type { EnginePorts } from './ports.ts';
import { refuseUnfinished } from './snapshots/unfinished-rollback.ts';

/** A person's decision about gates, with the reason. */
export interface Decision extends Decider {
  readonly decision: (typeof GATE_DECISIONS)[number];
  /** Gate ids, or unit keys for single legs. */
  readonly gates: readonly string[];
  /** ISO 8601; for `skip` and `approve`. */
  readonly until?: string;
  /** For `adopt`: the output; it must satisfy the contract. */
  readonly output?: JsonValue;
}

/** A person's decision about a run. */
export interface RunDecision extends Decider {
  readonly decision: (typeof RUN_DECISIONS)[number];
  /** Default: the newest run. */
  readonly runNumber?: number;
}

/**
 * Records a decision in a call of its own, so that it applies to everything before it and to nothing after it.
 * @throws GatelineError `GATE_UNKNOWN`, `DECISION_WITHOUT_ATTEMPT`, `NOTHING_TO_APPROVE`, `APPROVER_REFUSED`,
 *   `ADOPT_REFUSED`, `ADOPT_TOO_EARLY`, `ROLLBACK_UNFINISHED`: the decision may begin a run
 */
export async function decide(ports: EnginePorts, assignment: Assignment, decision: Decision): Promise<Call> {
  await refuseUnfinished(ports);
  const call = await openCall(ports, assignment, () => undefined);
  const units = unitsNamed(call.graph, decision.gates);
  if (decision.decision === 'adopt') {
    await pinContracts(call);
    await noteRun(call);
    for (const unit of units) await adoptOutput(call, unit, { output: decision.output ?? null }, decision);
    await keepHistory(call);
    return call;
  }
  // All of them first: a decision about several legs is recorded for each or for none.
  const judged = new Map(units.map((unit) => [unit, judgedBy(decision, call, unit)]));
  await noteRun(call);
  for (const [unit, ended] of judged) {
    const { actor, reason, until } = decision;
    await recordDecision(call, unit, {
      decision: decision.decision,
      actor,
      reason,
      ...(until !== undefined && { until }),
      fingerprint: ended?.fingerprint ?? null,
      ...(ended?.value && { output: ended.value.digest }),
      ...commitOf(unit),
    });
  }
  await keepHistory(call);
  return call;
}

/**
 * Records a decision about a run as a whole.
 * @throws GatelineError `RUN_NOT_OPEN` if there is no such run, or a completed or closed one is to be paused or closed;
 *   `ROLLBACK_UNFINISHED`, unless it only says whether the run is kept
 */
export async function decideRun(ports: EnginePorts, assignment: Assignment, decision: RunDecision): Promise<Call> {
  // Whether a run is kept says nothing about its outcome: its entry in the history stays the one it has.
  const changesRun = decision.decision !== 'pin' && decision.decision !== 'unpin';
  if (changesRun) await refuseUnfinished(ports);
  const call = await openCall(ports, assignment, () => undefined, { runNumber: decision.runNumber ?? 0 });
  const state = call.journal.state();
  refuseOnRun(state, decision.decision);
  if (changesRun) await noteRun(call);
  await recordRunDecision(call, decision);
  if (changesRun) await keepHistory(call);
  return call;
}

function refuseOnRun(state: RunState, decision: RunDecision['decision']): void {
  const { runNumber, status, decided } = state;
  const which = `run ${runNumber} of ${state.subject}`;
  const closedBy = decided.closed && actorOf(decided.closed);
  const ends = decision === 'pause' || decision === 'close';
  const why =
    runNumber === 0 || (status === 'initializing' && decided.closed === undefined)
      ? `there is no run ${runNumber === 0 ? `of ${state.subject}` : runNumber}`
      : ends && closedBy !== undefined
        ? `${which} was closed by ${closedBy}`
        : ends && status === 'completed'
          ? `${which} is completed`
          : ends && status === 'rollback'
            ? `${which} was rolled back`
            : undefined;
  if (why !== undefined) throw new GatelineError('RUN_NOT_OPEN', `nothing to ${decision}: ${why}`);
}

/** The attempt that a decision is about; `undefined` for a decision about no attempt. */
function judgedBy({ decision, actor }: Decision, call: Call, unit: Unit): EndedRecord | undefined {
  if (decision !== 'approve' && decision !== 'reject') return undefined;
  const ended = lastAttempt(call, unit);
  if (ended === undefined) {
    throw new GatelineError(
      'DECISION_WITHOUT_ATTEMPT',
      `gate ${unit.key}: there is nothing to ${decision}: no attempt has ended`,
    );
  }
  if (decision === 'reject') return ended;
  const { approval } = unit.gate;
  if (!mayApprove({ actor, ...commitOf(unit) }, approval)) throw refusedApprover(unit, actor, approval!);
  if (ended.verdict.status !== 'failed') return ended;
  throw new GatelineError(
    'NOTHING_TO_APPROVE',
    `gate ${unit.key} failed (${ended.verdict.kind}), so it has no output to approve`,
  );
}

/** The commit that a decision is about, if approvals depend on it. */
function commitOf({ gate: { approval } }: Unit): { readonly commit?: string } {
  const commit = approval?.perCommit === true ? approval.about?.commit : undefined;
  return commit === undefined ? {} : { commit };
}

function refusedApprover({ key }: Unit, actor: string, approval: Approval): GatelineError {
  const { perCommit, about } = approval;
  if (perCommit && about?.commit === undefined) {
    const message = `gate ${key}: an approval is for one commit, and there is none`;
    return new GatelineError('APPROVER_REFUSED', message, { hint: 'Commit the change that is approved.' });
  }
  const who = approversText({ ...approval, perCommit: false });
  return new GatelineError('APPROVER_REFUSED', `gate ${key}: ${actor} may not approve it`, {
    hint: `It may be approved${who}: \`--actor NAME\`.`,
  });
}

/** The last attempt, in this run or, if this run has not reached the unit yet, in the previous one. */
function lastAttempt({ journal }: Call, { key }: Unit): EndedRecord | undefined {
  const { ended, started, status } = journal.state().units.get(key)!;
  const before = journal.archive().ended.get(key)?.at(-1);
  if (status === 'skipped') return before;
  return ended ?? (started === undefined && before?.runNumber !== journal.call.runNumber ? before : undefined);
}
