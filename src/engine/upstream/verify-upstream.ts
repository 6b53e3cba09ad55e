import { claimIn } from '../../run/plan/archive.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { emptyList } from '../../pipeline/data-legs.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import { NO_DECISIONS, rulingOn } from '../../run/records/decisions.ts';
import { verdictSatisfies } from '../../run/state/fold-unit.ts';
import { asRequest } from '../../run/plan/difference.ts';
import { comparePositions, unitOf, type EndedRecord, type StartedRecord } from '../../run/records/record.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import { ancestorsOf, type Unit } from '../../run/records/unit.ts';
import type { Request } from '../../run/plan/request.ts';
import { parseContract } from '../../verdict/contract.ts';
import type { Call } from '../call/call.ts';
import { missingOf, readJson } from '../call/content.ts';
import { isCreatedBy } from '../entities/created.ts';
import { notDone, unlistedOutput, unreadable } from './not-done.ts';
import { evaluateIf } from './condition.ts';
import { judgeAgain } from './judge-again.ts';
import type { JobCall } from './job-call.ts';

/** Maximum size of a contract from a record: anything that runs in the CI run may have written it. */
const CONTRACT_LIMIT = 32 * 1024 * 1024;

/**
 * Checks everything upstream of a unit before anything is built on it: done in this run, claimed and ended with the
 * same request and contract, and its content present with the right digest. The unit's direct needs are also judged
 * again: by the contract of the commit that this run trusts, or, if only another job has the definition, by the claimed
 * contract.
 *
 * @throws GatelineError `UPSTREAM_NOT_DONE`, `UPSTREAM_UNREADABLE`, `UPSTREAM_UNSOUND`, `UPSTREAM_REFUSED`,
 *   `DIGEST_MISMATCH`, `CONTENT_MISSING`
 */
export async function verifyUpstream(call: Call, unit: Unit, job: JobCall): Promise<void> {
  const upstream = ancestorsOf(call.graph, unit.key).map((key) => call.graph.get(key)!);
  const used = new Set([...unit.needs, ...listsOf(upstream), ...creatorsFor(unit, upstream)]);
  await checkDone(call, unit, used, upstream, job);
  for (const one of upstream) {
    const state = call.journal.state().units.get(one.key)!;
    // What is not done and no error has something in its place.
    if (state.ended === undefined || !state.done) continue;
    if (used.has(one.key)) await verifyOutput(call, one, state, job);
    else refuseUnclaimed(call, one, state.ended);
  }
}

/** The outputs that say how many legs there are: those are as important as what the legs produced. */
function listsOf(upstream: readonly Unit[]): string[] {
  return upstream.flatMap(({ gate: { legsFrom } }) => (legsFrom === undefined ? [] : [legsFrom.gate]));
}

/** The units that create what a unit requires: it is given parts of their outputs. */
function creatorsFor({ gate: { entities } }: Unit, upstream: readonly Unit[]): string[] {
  const creates = (one: Unit): boolean =>
    entities?.requires.some((name) => one.gate.entities?.creates.includes(name)) === true;
  return upstream.filter(creates).map(({ key }) => key);
}

/**
 * Checks the output of a done unit for a gate that builds on it: its end matches its claim, its digest matches the job
 * outputs, and it is judged again.
 * @throws GatelineError as {@link verifyUpstream}
 */
export async function verifyOutput(call: Call, unit: Unit, state: UnitState, job: JobCall): Promise<void> {
  if (state.ended === undefined) return;
  refuseUnclaimed(call, unit, state.ended);
  refuseOtherDigest(call, unit, job);
  await judgeOutput(call, unit, state.ended, job);
}

/** Reports everything that is not done in one error. An attempt whose content is missing is not done. */
async function checkDone(
  call: Call,
  unit: Unit,
  used: ReadonlySet<string>,
  upstream: readonly Unit[],
  job: JobCall,
): Promise<void> {
  const states = (): UnitState[] => upstream.map((one) => call.journal.state().units.get(one.key)!);
  await Promise.all(
    states().map(async ({ key, done, ended }) => {
      if (!done || ended === undefined) return;
      // Only the files of indirect needs are used.
      const contents = used.has(key) ? ended : { files: ended.files };
      call.journal.setMissing(await missingOf(call.ports.store, contents));
    }),
  );
  const replaced = replacedUnits(call, unit, job);
  const open = states().filter((state) => !state.done && !replaced.has(state.key));
  if (open.length > 0) throw notDone(unit, open, call.journal.state(), job);
}

/**
 * Units upstream that something may take the place of, and those that only they need. Unreadable ones are not, nor
 * those whose job says that they have an output.
 */
function replacedUnits({ assignment, graph, journal }: Call, unit: Unit, job: JobCall): ReadonlySet<string> {
  if (assignment.standIn === undefined) return new Set();
  const { units } = journal.state();
  const direct = unit.needs.filter((key) => {
    const state = units.get(key);
    return state?.done === false && state.unread === undefined && unlistedOutput(state, units, job) === undefined;
  });
  const kept = new Set(
    unit.needs.filter((key) => !direct.includes(key)).flatMap((key) => [key, ...ancestorsOf(graph, key)]),
  );
  return new Set(direct.flatMap((key) => [key, ...ancestorsOf(graph, key)]).filter((key) => !kept.has(key)));
}

/** Refuses an output that was not claimed, or that ended with a different request or contract than its claim. */
function refuseUnclaimed(call: Call, upstream: Unit, ended: EndedRecord): void {
  const archive = call.journal.archive();
  const claim = claimIn(archive, upstream.key, ended);
  if (claim !== undefined && claim.fingerprint === ended.fingerprint && claim.contract === ended.contract)
    return refuseOtherUses(upstream, ended, claim);
  if (claim !== undefined) throw unsound(upstream, 'it ended with a different request or contract than it began with');
  const hidden = archive.unread
    .get(upstream.key)
    ?.find((one) => one.kind === 'started' && comparePositions(one, ended) === 0);
  if (hidden === undefined) throw unsound(upstream, 'its record is of an attempt that was never claimed');
  throw unreadable(`gate ${upstream.key}: the claim of attempt ${ended.n} could not be read: ${hidden.why}`);
}

/** Refuses records that create more, or invalidate less, than their gate does: an entity would be valid. */
function refuseOtherUses(
  upstream: Unit,
  { how, verdict, effects }: EndedRecord,
  { entities: claimed }: StartedRecord,
): void {
  const { creates = [], invalidates = [] } = upstream.gate.entities ?? {};
  const strange = effects?.creates.find(({ entity }) => !creates.includes(entity));
  if (strange !== undefined) throw unsound(upstream, `it says that it created ${strange.entity}`);
  if (how !== 'ran' || verdict.status === 'not-applicable') return;
  const said = new Set(claimed?.invalidates.map(({ entity }) => entity));
  const unsaid = invalidates.find((name) => !said.has(name));
  if (unsaid !== undefined) throw unsound(upstream, `its claim does not say that it invalidates ${unsaid}`);
}

async function judgeOutput(call: Call, need: Unit, ended: EndedRecord, job: JobCall): Promise<void> {
  if (ended.verdict.status === 'not-applicable') return refuseApplicable(call, need, ended, job);
  if (ended.value === undefined) throw unsound(need, `it ${ended.verdict.status}, and there is no output`);
  if (job.recorded?.has(need.gate.id)) await useClaimedContract(call, need, ended);
  const { verdict, exports } = await judgeAgain(call, need, ended, await askedOf(call, ended));
  const decisions = call.journal.archive().decisions.get(need.key) ?? NO_DECISIONS;
  const ruling = rulingOn(ended, decisions, call.ports.now().toISOString(), need.gate.approval);
  if (!verdictSatisfies(need, { verdict }, ruling)) {
    const why = verdict.issues[0]?.message ?? verdict.advice;
    throw new GatelineError(
      'UPSTREAM_REFUSED',
      `the output of gate ${need.key} does not meet its contract: ${verdict.kind}: ${why}`,
    );
  }
  if (exports?.digest !== ended.exports?.digest)
    throw unsound(need, 'its recorded exports are not what its contract exports from its output');
  if (!(await isCreatedBy(call, need, ended)))
    throw unsound(need, 'it says that it created something else than what its output does');
}

/** Refuses a not-applicable gate unless its condition was false and still is. */
async function refuseApplicable(call: Call, need: Unit, ended: EndedRecord, job: JobCall): Promise<void> {
  const metadata = (await askedOf(call, ended))?.metadata ?? call.assignment.metadata;
  const asked = { ...call, assignment: { ...call.assignment, metadata } };
  const known = !job.recorded?.has(need.gate.id);
  if (emptyList(need) !== undefined) return;
  if (known && need.gate.if !== undefined && !(await evaluateIf(asked, need)).choice) return;
  throw unsound(need, 'its record says that it does not apply, but its condition does not confirm that');
}

/** The attempt's request: checks may refer to its metadata and subject, and each gate may have its own. */
async function askedOf(call: Call, ended: EndedRecord): Promise<Request | undefined> {
  const claim = claimIn(call.journal.archive(), unitOf(ended), ended);
  if (claim === undefined) return undefined;
  const content = { digest: claim.request };
  const value = await readJson(call.ports.store, content, { limit: CONTRACT_LIMIT, what: 'the request of a claim' });
  return asRequest(value);
}

/** The contract that was fixed when the attempt was claimed. */
async function useClaimedContract(call: Call, need: Unit, ended: EndedRecord): Promise<void> {
  const content = { digest: ended.contract };
  const value = await readJson(call.ports.store, content, { limit: CONTRACT_LIMIT, what: `contract of ${need.key}` });
  call.contracts.fix(need.gate.id, { contract: parseContract(value), digest: ended.contract });
}

/**
 * Job outputs do not pass through artifacts, which any job of the run can replace. For a matrix gate, the digest is
 * that of the leg that ended last.
 */
function refuseOtherDigest(call: Call, { gate }: Unit, { digests }: JobCall): void {
  const digest = digests?.get(gate.id);
  if (digest === undefined) return;
  const found = gate.legs.map(({ id }) => call.journal.state().units.get(unitKey(gate.id, id))?.ended?.value?.digest);
  if (found.includes(digest)) return;
  throw new GatelineError(
    'DIGEST_MISMATCH',
    `gate ${gate.id}: its job says that its output is ${digest}, its record says ${found.map((one) => one ?? 'none').join(', ')}`,
  );
}

function unsound(upstream: Unit, why: string): GatelineError {
  return new GatelineError('UPSTREAM_UNSOUND', `gate ${upstream.key}: ${why}`);
}
