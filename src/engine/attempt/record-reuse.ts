import type { EndedRecord } from '../../run/records/record.ts';
import { needDigests } from '../../run/plan/request.ts';
import type { Unit } from '../../run/records/unit.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import { claim } from './begin-attempt.ts';
import type { Call } from '../call/call.ts';
import { claimedHint } from './claimed-hint.ts';
import type { PreparedUnit } from '../plan/plan-unit.ts';

/** Records that an earlier output is reused, with its verdict under the current contract. */
export async function recordReuse(call: Call, unit: Unit, prepared: PreparedUnit): Promise<EndedRecord> {
  const { checkpoint, judged } = prepared;
  const from = checkpoint!;
  const exports = judged === undefined ? from.exports : judged.exports;
  const record: EndedRecord = {
    ...(await common(call, unit, prepared)),
    how: 'reused',
    verdict: judged?.verdict ?? from.verdict,
    ...(from.value && { value: from.value }),
    ...(exports && { exports }),
    files: from.files,
    touched: from.touched,
    ...(from.snapshot && { snapshot: from.snapshot }),
    logs: from.logs,
    ...(from.metrics && { metrics: from.metrics }),
    ...(from.learnings && { learnings: from.learnings }),
    source: from.source ?? { runNumber: from.runNumber, runAttempt: from.runAttempt, n: from.n },
    ...savedBy(from),
  };
  await write(call, unit, record);
  return record;
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
  const record: EndedRecord = {
    ...(await common(call, unit, prepared)),
    how: 'ran',
    verdict,
    files: [],
    touched: [],
    logs: {},
  };
  await write(call, unit, record);
  return record;
}

/**
 * If many jobs work on one run, an attempt without an agent also needs a claim first, so that no other job works on it.
 * Locally the lock ensures that.
 */
async function common(
  call: Call,
  unit: Unit,
  prepared: PreparedUnit,
): Promise<Omit<EndedRecord, 'how' | 'verdict' | 'files' | 'touched' | 'logs'>> {
  const work = prepared.work!;
  const n = call.holder === 'job' ? (await claim(call, unit, work)).n : call.journal.nextAttempt(unit.key);
  const identity = call.journal.identity(unit, n);
  const { request, fingerprint, contract } = work;
  return {
    kind: 'ended',
    ...identity,
    fingerprint,
    contract: contract.digest,
    needs: needDigests(request),
    startedAt: identity.at,
  };
}

async function write(call: Call, unit: Unit, record: EndedRecord): Promise<void> {
  if ((await call.journal.write(record)) === 'written') return;
  throw new GatelineError('GATE_CLAIMED', `gate ${unit.key}: another process is working on it`, {
    hint: claimedHint(call.holder),
  });
}
