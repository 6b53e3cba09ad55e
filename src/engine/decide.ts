import { GatelineError } from '../errors/gateline-error.ts';
import type { Content, DecidedRecord, EndedRecord } from '../run/records/record.ts';
import type { Unit, UnitGraph } from '../run/records/unit.ts';
import type { JsonValue } from '../json/json.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { giveUpPlaces } from './attempt/give-up-place.ts';
import { judgeValue } from './upstream/judge-again.ts';
import { keepJson } from './keep-json.ts';
import type { EnginePorts } from './ports.ts';

/** A person's decision about gates, with the reason. */
export interface Decision {
  readonly decision: DecidedRecord['decision'];
  /** Gate ids, or unit keys for single legs. */
  readonly gates: readonly string[];
  readonly actor: string;
  readonly reason: string;
  /** ISO 8601; for `skip` and `approve`. */
  readonly until?: string;
  /** For `skip`: an output for later gates; it must satisfy the contract. */
  readonly output?: JsonValue;
}

/**
 * Records a decision in a call of its own, so that it applies to everything before it and to nothing after it.
 * @throws GatelineError `GATE_UNKNOWN`, `DECISION_WITHOUT_ATTEMPT`, `SKIP_OUTPUT_REFUSED`
 */
export async function decide(ports: EnginePorts, assignment: Assignment, decision: Decision): Promise<Call> {
  const call = await openCall(ports, assignment, () => undefined);
  for (const unit of unitsNamed(call.graph, decision.gates)) {
    const judges = decision.decision === 'approve' || decision.decision === 'reject';
    const judged = judges ? lastAttempt(call, unit) : undefined;
    if (judges && judged === undefined) {
      throw new GatelineError(
        'DECISION_WITHOUT_ATTEMPT',
        `gate ${unit.key}: there is nothing to ${decision.decision}: no attempt has ended`,
      );
    }
    const exports = decision.output === undefined ? undefined : await suppliedOutput(call, unit, decision.output);
    await record(call, unit, decision, judged?.fingerprint ?? null, exports);
  }
  return call;
}

/** The last attempt, in this run or, if this run has not reached the unit yet, in the previous one. */
function lastAttempt({ journal }: Call, { key }: Unit): EndedRecord | undefined {
  const { ended, started } = journal.state().units.get(key)!;
  const before = journal.archive().ended.get(key)?.at(-1);
  return ended ?? (started === undefined && before?.runNumber !== journal.call.runNumber ? before : undefined);
}

/** Invalidates gates and everything that depends on them, in the call that will run them again. */
export async function force(
  call: Call,
  forced: { gates: readonly string[]; actor: string; reason: string },
): Promise<void> {
  for (const unit of unitsNamed(call.graph, forced.gates))
    await record(call, unit, { decision: 'force', ...forced }, null, undefined);
}

async function record(
  call: Call,
  unit: Unit,
  decision: Decision,
  fingerprint: DecidedRecord['fingerprint'],
  exports: Content | undefined,
): Promise<void> {
  const decided: DecidedRecord = {
    kind: 'decided',
    ...call.journal.identity(unit, 0),
    decision: decision.decision,
    actor: decision.actor,
    reason: call.redactor.redactText(decision.reason),
    fingerprint,
    ...(decision.until !== undefined && { until: decision.until }),
    ...(exports !== undefined && { exports }),
  };
  if ((await call.journal.write(decided)) === 'taken') {
    throw new GatelineError(
      'GATE_CLAIMED',
      `gate ${unit.key}: somebody else made a decision about it at the same time`,
      {
        hint: 'Check `gateline status`, and decide again if it is still needed.',
      },
    );
  }
  if (decision.decision === 'force' || decision.decision === 'rollback') await giveUpPlaces(call, unit);
}

async function suppliedOutput(call: Call, unit: Unit, output: JsonValue): Promise<Content> {
  const value = call.redactor.redactJson(output).value;
  const kept = await keepJson(call.ports.store, value);
  const { verdict, exports } = await judgeValue(call, unit, value, kept);
  if (exports !== undefined && verdict.status === 'passed') return exports;
  const first = verdict.issues[0];
  throw new GatelineError(
    'SKIP_OUTPUT_REFUSED',
    `gate ${unit.key}: the supplied output does not meet the contract (${verdict.kind}): ${first?.message ?? verdict.advice}`,
  );
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
