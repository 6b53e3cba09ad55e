import { unitOf, type Content, type EndedRecord } from '../../run/records/record.ts';
import { sourceOf } from '../../run/records/source.ts';
import { recordedNeeds } from '../../run/plan/request.ts';
import type { Unit } from '../../run/records/unit.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import { claim } from './begin-attempt.ts';
import { aboutRun, type Call, claimedHint } from '../call/call.ts';
import type { Work, PreparedUnit } from '../plan/prepared-unit.ts';

/** Records that an earlier output is reused, with its verdict under the current contract. */
export async function recordReuse(call: Call, unit: Unit, prepared: PreparedUnit): Promise<EndedRecord> {
  const { checkpoint, judged, producedAt } = prepared;
  const from = checkpoint!;
  const exports = judged === undefined ? from.exports : judged.exports;
  const taken = takenFrom(call, from, { verdict: judged?.verdict ?? from.verdict, exports }, producedAt);
  return recordWithoutAgent(call, unit, prepared.work!, { how: 'reused', ...taken, ...savedBy(from) });
}

/** The fields that a result copies from an earlier attempt, or from an output from outside. */
export type Taken = Omit<EndedRecord, keyof Common | 'how'>;

/**
 * The output of an earlier attempt, as the result of another one.
 * @param producedAt when its agent began, if the attempt is of another subject
 */
export function takenFrom(
  call: Call,
  from: EndedRecord,
  { verdict, exports }: { readonly verdict: Verdict; readonly exports: Content | undefined },
  producedAt?: string,
): Taken {
  const us = { subject: call.assignment.subject, runId: call.ports.me.runId };
  const { decided = [] } = call.journal.archive().decisions.get(unitOf(from)) ?? {};
  return {
    verdict,
    ...(from.value && { value: from.value }),
    ...(exports && { exports }),
    files: from.files,
    touched: from.touched,
    ...(from.snapshot && { snapshot: from.snapshot }),
    logs: from.logs,
    ...(from.metrics && { metrics: from.metrics }),
    ...(from.learnings && { learnings: from.learnings }),
    source: sourceOf(from, us, decided, producedAt),
  };
}

/** The time that a reused output took. Never negative, although machine clocks may be set back. */
function savedBy(from: EndedRecord): Pick<EndedRecord, 'savedMs'> {
  if (from.how === 'reused') return from.savedMs === undefined ? {} : { savedMs: from.savedMs };
  return { savedMs: Math.max(0, Date.parse(from.at) - Date.parse(from.startedAt)) };
}

/** Records that a unit's condition is false. */
export async function recordNotApplicable(call: Call, unit: Unit, prepared: PreparedUnit): Promise<EndedRecord> {
  const verdict: Verdict = {
    status: 'not-applicable',
    kind: 'not-applicable',
    score: 0,
    issues: [],
    advice: prepared.planned.reason.slice(0, 2_048),
  };
  const nothing = { files: [], touched: [], logs: {} };
  return recordWithoutAgent(call, unit, prepared.work!, { how: 'ran', verdict, ...nothing });
}

/** Records the result of an attempt that starts no agent. @throws GatelineError `GATE_CLAIMED` */
export async function recordWithoutAgent(
  call: Call,
  unit: Unit,
  work: Work,
  result: Taken & Pick<EndedRecord, 'how'>,
): Promise<EndedRecord> {
  const record: EndedRecord = { ...(await common(call, unit, work)), ...result };
  await write(call, unit, record);
  return record;
}

type Common = ReturnType<Call['journal']['identity']> &
  Pick<EndedRecord, 'kind' | 'fingerprint' | 'contract' | 'needs' | 'startedAt' | 'rework' | 'base'>;

/**
 * If many jobs work on one run, an attempt without an agent also needs a claim first, so that no other job works on it.
 * Locally the lock ensures that.
 */
async function common(call: Call, unit: Unit, work: Work): Promise<Common> {
  const n = call.holder === 'job' ? (await claim(call, unit, work)).n : call.journal.nextAttempt(unit.key);
  const identity = call.journal.identity(unit, n);
  const { request, fingerprint, contract } = work;
  const base = call.holder === 'job' ? undefined : call.taken();
  return {
    kind: 'ended',
    ...identity,
    fingerprint,
    contract: contract.digest,
    ...recordedNeeds(request),
    ...(work.rework && { rework: work.rework }),
    ...aboutRun(call),
    startedAt: identity.at,
    ...(base !== undefined && { base }),
  };
}

async function write(call: Call, unit: Unit, record: EndedRecord): Promise<void> {
  if ((await call.journal.write(record)) === 'written') return;
  throw new GatelineError('GATE_CLAIMED', `gate ${unit.key}: another process is working on it`, {
    hint: claimedHint(call.holder),
  });
}
