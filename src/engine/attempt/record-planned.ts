import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import type { PreparedUnit, Work } from '../plan/prepared-unit.ts';
import { recordNotApplicable, recordReuse, takenFrom, recordWithoutAgent, type Taken } from './record-reuse.ts';
import { comparePositions, type DecidedRecord, type EndedRecord } from '../../run/records/record.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import { redactOutput } from '../call/redact-output.ts';
import { keepJson } from '../call/content.ts';
import { planUnit } from '../plan/plan-unit.ts';
import { MAX_ISSUES, type Issue } from '../../verdict/verdict.ts';
import { judgeValue } from '../upstream/judge-again.ts';
import { recordDecision, type Decider } from './record-decision.ts';

/** An output from outside. */
export interface SuppliedOutput {
  readonly output: JsonValue;
  /** Remarks about it, shown with the verdict. They decide nothing. */
  readonly issues?: readonly Issue[] | undefined;
}

/**
 * Records what a plan decides without an agent: an output is reused or adopted, or the gate is not applicable.
 * `undefined`: the plan is another one, and nothing is recorded.
 */
export async function recordPlanned(call: Call, unit: Unit, prepared: PreparedUnit): Promise<EndedRecord | undefined> {
  switch (prepared.planned.choice) {
    case 'reuse':
      return recordReuse(call, unit, prepared);
    case 'not-applicable':
      return recordNotApplicable(call, unit, prepared);
    case 'adopt': {
      const { verdict, exports } = prepared.judged!;
      const taken = takenFrom(call, prepared.checkpoint!, { verdict, exports });
      const by = prepared.adoptedBy!;
      if (call.assignment.keep !== undefined) return recordAdopted(call, unit, prepared.work!, taken, by);
      // The event of the run has the decision: a copy in the records would prove nothing.
      return recordWithoutAgent(call, unit, prepared.work!, { how: 'adopted', ...adoptedFrom(call, taken, by) });
    }
    default:
      return undefined;
  }
}

/**
 * Uses an output from outside as a unit's result: judged by its contract, bound to its current request. Records who
 * decided so, and the result.
 * @throws GatelineError `ADOPT_TOO_EARLY` while the request is not known, `ADOPT_REFUSED` if the contract is not met
 */
export async function adoptOutput(
  call: Call,
  unit: Unit,
  { output, issues = [] }: SuppliedOutput,
  by: Decider,
): Promise<EndedRecord> {
  const { planned, work } = await planUnit(call, unit);
  if (work === undefined)
    throw new GatelineError('ADOPT_TOO_EARLY', `gate ${unit.key}: its request is not known yet: ${planned.reason}`);
  const { value } = await redactOutput(call, unit.gate, output);
  const kept = await keepJson(call.ports.store, value);
  const { verdict, exports } = await judgeValue(call, unit, value, kept);
  if (exports === undefined || verdict.status !== 'passed') {
    const why = verdict.issues[0]?.message ?? verdict.advice;
    throw new GatelineError(
      'ADOPT_REFUSED',
      `gate ${unit.key}: the supplied output does not meet the contract (${verdict.kind}): ${why}`,
    );
  }
  const remarks = issues.map((one) => ({ ...one, message: call.redactor.redactText(one.message) }));
  const told = { ...verdict, issues: [...verdict.issues, ...remarks].slice(0, MAX_ISSUES) };
  return recordAdopted(call, unit, work, { value: kept, exports, verdict: told, files: [], touched: [], logs: {} }, by);
}

/** Records the decision to use an output, and the output as the unit's result. */
async function recordAdopted(call: Call, unit: Unit, work: Work, taken: Taken, by: Decider): Promise<EndedRecord> {
  const { actor, reason } = by;
  const bound = { fingerprint: work.fingerprint, ...(taken.value && { output: taken.value.digest }) };
  // In a loop a gate may be kept once for each iteration.
  const n = call.journal.nextAttempt(unit.key) - 1;
  if (!isDecided(call, unit, { ...bound, n })) {
    const request = await keepJson(
      call.ports.store,
      call.redactor.redactJson(work.request as unknown as JsonValue).value,
    );
    await recordDecision(call, unit, { decision: 'adopt', actor, reason, ...bound, request: request.digest }, { n });
  }
  return recordWithoutAgent(call, unit, work, { how: 'adopted', ...adoptedFrom(call, taken, by) });
}

/**
 * Whether the decision is recorded already: a rollback has no number of its own, so that one that continues an
 * interrupted one finds its decision.
 */
function isDecided(
  { journal }: Call,
  { key }: Unit,
  { fingerprint, output, n }: Pick<DecidedRecord, 'fingerprint' | 'output' | 'n'>,
): boolean {
  const { runNumber, runAttempt } = journal.call;
  const decided = journal.archive().decisions.get(key)?.decided ?? [];
  return decided.some(
    (one) =>
      one.decision === 'adopt' &&
      comparePositions(one, { runNumber, runAttempt, n }) === 0 &&
      one.fingerprint === fingerprint &&
      one.output === output,
  );
}

/**
 * An output of an earlier attempt names the person who adopted it, in addition to its origin: later runs may not have
 * the decision.
 */
function adoptedFrom({ redactor }: Call, taken: Taken, { actor, reason }: Decider): Taken {
  if (taken.source === undefined) return taken;
  return { ...taken, source: { ...taken.source, adopted: { actor, reason: redactor.redactText(reason) } } };
}
