import { GatelineError } from '../errors/gateline-error.ts';
import { actorOf, mayApprove, type GATE_DECISIONS, type RUN_DECISIONS } from '../run/records/decisions.ts';
import type { EndedRecord } from '../run/records/record.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { Unit, UnitGraph } from '../run/records/unit.ts';
import type { JsonValue } from '../json/json.ts';
import { adoptOutput } from './attempt/adopt.ts';
import { recordDecision, recordRunDecision, type Decider } from './attempt/record-decision.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { pinContracts } from './plan/pin-contracts.ts';
import type { EnginePorts } from './ports.ts';

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
 * @throws GatelineError `GATE_UNKNOWN`, `DECISION_WITHOUT_ATTEMPT`, `ADOPT_REFUSED`, `ADOPT_TOO_EARLY`
 */
export async function decide(ports: EnginePorts, assignment: Assignment, decision: Decision): Promise<Call> {
  const call = await openCall(ports, assignment, () => undefined);
  const units = unitsNamed(call.graph, decision.gates);
  if (decision.decision === 'adopt') {
    await pinContracts(call);
    for (const unit of units) await adoptOutput(call, unit, decision.output ?? null, decision);
    return call;
  }
  for (const unit of units) {
    const judges = decision.decision === 'approve' || decision.decision === 'reject';
    const judged = judges ? lastAttempt(call, unit) : undefined;
    if (judges && judged === undefined) {
      throw new GatelineError(
        'DECISION_WITHOUT_ATTEMPT',
        `gate ${unit.key}: there is nothing to ${decision.decision}: no attempt has ended`,
      );
    }
    if (decision.decision === 'approve' && !mayApprove(decision, unit.gate.approval)) {
      const by = unit.gate.approval!.by.join(', ');
      throw new GatelineError('APPROVER_REFUSED', `gate ${unit.key}: ${decision.actor} may not approve it`, {
        hint: `It may be approved by ${by}: \`--actor NAME\`.`,
      });
    }
    const { actor, reason, until } = decision;
    await recordDecision(call, unit, {
      decision: decision.decision,
      actor,
      reason,
      ...(until !== undefined && { until }),
      fingerprint: judged?.fingerprint ?? null,
      ...(judged?.value && { output: judged.value.digest }),
    });
  }
  return call;
}

/**
 * Records a decision about a run as a whole.
 * @throws GatelineError `RUN_NOT_OPEN` if there is no such run, or a completed or closed one is to be paused or closed
 */
export async function decideRun(ports: EnginePorts, assignment: Assignment, decision: RunDecision): Promise<Call> {
  const call = await openCall(ports, assignment, () => undefined, { runNumber: decision.runNumber ?? 0 });
  const state = call.journal.state();
  refuseOnRun(state, decision.decision);
  await recordRunDecision(call, decision);
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
          : undefined;
  if (why !== undefined) throw new GatelineError('RUN_NOT_OPEN', `nothing to ${decision}: ${why}`);
}

/** The last attempt, in this run or, if this run has not reached the unit yet, in the previous one. */
function lastAttempt({ journal }: Call, { key }: Unit): EndedRecord | undefined {
  const { ended, started } = journal.state().units.get(key)!;
  const before = journal.archive().ended.get(key)?.at(-1);
  return ended ?? (started === undefined && before?.runNumber !== journal.call.runNumber ? before : undefined);
}

/**
 * The units that names refer to: gate ids, or keys of single legs.
 * @throws GatelineError `GATE_UNKNOWN`
 */
export function unitsNamed(graph: UnitGraph, names: readonly string[]): Unit[] {
  return names.flatMap((name) => {
    const units = [...graph.values()].filter((unit) => unit.key === name || unit.gate.id === name);
    if (units.length > 0) return units;
    throw new GatelineError('GATE_UNKNOWN', `there is no gate ${name}`, {
      hint: `Gates: ${[...graph.keys()].join(', ')}.`,
    });
  });
}
