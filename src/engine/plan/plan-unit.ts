import { GatelineError } from '../../errors/gateline-error.ts';
import { runText } from '../../run/records/attempt-text.ts';
import { asRequest, describeDifferences, differences, type Difference } from '../../run/plan/difference.ts';
import type { Digest } from '../../json/digest.ts';
import { NO_APPROVAL_YET, rulingOn } from '../../run/records/decisions.ts';
import { missingOutput, verdictSatisfies } from '../../run/state/fold-unit.ts';
import { dependsOn, plannedUnit, type PlannedUnit } from '../../run/plan/plan.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import { buildRequest, fingerprintOf, type Request } from '../../run/plan/request.ts';
import { findCheckpoint } from '../../run/plan/reuse.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import { unitOf } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { JsonValue } from '../../json/json.ts';
import type { Call } from '../call/call.ts';
import { evaluateIf } from '../upstream/condition.ts';
import { missingOf } from '../call/content.ts';
import type { LoadedContract } from '../call/contracts.ts';
import { isBorneOut, judgeAgain, type JudgedAgain } from '../upstream/judge-again.ts';
import { currentInputs } from './current-inputs.ts';

/** A unit's plan with everything needed to carry it out. */
export interface PreparedUnit {
  readonly planned: PlannedUnit;
  /** Absent if the unit is blocked, skipped or depends on others. */
  readonly work?: Work;
  /** The attempt to reuse, for `keep` and `reuse`. */
  readonly checkpoint?: EndedRecord;
  /** The checkpoint's verdict under the current contract, if the contract has changed. */
  readonly judged?: JudgedAgain;
  /** The error that blocks it, if there is one. */
  readonly error?: GatelineError;
  /** It is blocked because another process claimed it: who, as a sentence. */
  readonly claimed?: string;
}

/** What a unit is asked to do, and the contract that judges it. */
export interface Work {
  readonly request: Request;
  readonly fingerprint: Digest;
  readonly contract: LoadedContract;
}

/** Plans one unit whose needs are settled. User errors result in `blocked`; other errors are thrown. */
export async function planUnit(call: Call, unit: Unit): Promise<PreparedUnit> {
  try {
    return await plan(call, unit);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    return { planned: describe(unit, 'blocked', `${error.code}: ${error.message}`), error };
  }
}

async function plan(call: Call, unit: Unit): Promise<PreparedUnit> {
  const waiting = waitsFor(call, unit);
  if (waiting !== undefined) return { planned: waiting };
  const before = call.journal.state().units.get(unit.key)!;
  if (before.status === 'running') {
    const claimed = `${before.reason}; another process has claimed this gate`;
    return { planned: describe(unit, 'blocked', `GATE_CLAIMED: ${claimed}`), claimed };
  }
  const contract = await call.contracts.load(unit.gate);
  const applies = await evaluateIf(call, unit);
  if (!applies.choice) return notApplicable(call, unit, contract, applies.reason);
  const work = await workFor(call, unit, contract);
  const state = call.journal.state().units.get(unit.key)!;
  if (state.status === 'skipped') return { planned: describe(unit, 'skip', state.reason, work) };
  const known = await findWork(call, unit, work);
  const elsewhere = known === undefined ? await findElsewhere(call, unit, work) : { notices: [] };
  const found = known ?? elsewhere.found;
  if (found !== undefined) return found;
  if (state.status === 'paused' && state.ended?.contract === contract.digest) {
    const locally = `\`gateline decide approve ${unit.key}\` lets it pass, \`reject\` asks for another attempt`;
    const next = call.holder === 'job' ? NO_APPROVAL_YET : locally;
    return { planned: describe(unit, 'blocked', `${state.reason}: ${next}`, work) };
  }
  // An invalid contract could not judge any output.
  await call.contracts.compile(unit.gate);
  return withReason(call, unit, work, state, elsewhere.notices);
}

/**
 * What a unit is currently asked to do.
 * @throws GatelineError as {@link currentInputs}
 */
export async function workFor(call: Call, unit: Unit, contract: LoadedContract): Promise<Work> {
  const request = buildRequest(unit, call.around, await currentInputs(call, unit));
  const work: Work = { request, fingerprint: fingerprintOf(request), contract };
  call.journal.setFingerprint(unit.key, work.fingerprint);
  return work;
}

/** The plan of a unit that waits for needs that are neither done nor provided by the caller. */
function waitsFor(call: Call, unit: Unit): PlannedUnit | undefined {
  const units = call.journal.state().units;
  const open = unit.needs.filter((key) => !units.get(key)!.done);
  if (open.length === 0 || call.assignment.standIn) return undefined;
  const stopped = open.filter((key) =>
    ['failed', 'lost', 'partial', 'paused', 'blocked'].includes(units.get(key)!.status),
  );
  if (stopped.length > 0)
    return describe(
      unit,
      'blocked',
      `needs ${stopped.map((key) => `${key}, which is ${units.get(key)!.status}`).join(' and ')}`,
    );
  return dependsOn(unit, open);
}

/** A false `if` also satisfies the gates that need this one. It is valid only for the current results of its needs. */
function notApplicable(call: Call, unit: Unit, contract: LoadedContract, reason: string): PreparedUnit {
  const units = call.journal.state().units;
  const needs = Object.fromEntries(unit.needs.map((key) => [key, units.get(key)!.exports ?? null]));
  const request = buildRequest(unit, call.around, { tree: new Map(), env: {}, tools: {}, needs });
  const work: Work = { request, fingerprint: fingerprintOf(request), contract };
  call.journal.setFingerprint(unit.key, work.fingerprint);
  const state = call.journal.state().units.get(unit.key)!;
  const known = state.done && state.status === 'not-applicable';
  return { planned: describe(unit, known ? 'keep' : 'not-applicable', reason, work, state.ended), work };
}

/** The newest earlier attempt that is valid: its content exists and the contract is met. `undefined`: none. */
async function findWork(call: Call, unit: Unit, work: Work): Promise<PreparedUnit | undefined> {
  const { journal } = call;
  const { runNumber } = journal.call;
  const except = new Set<EndedRecord>();
  for (;;) {
    const query = {
      fingerprint: work.fingerprint,
      contract: work.contract.digest,
      runNumber,
      now: call.ports.now().toISOString(),
      except,
    };
    const found = findCheckpoint(unit, journal.archive(), query);
    if (found.choice === 'none') return undefined;
    const missing = await missingOf(call.ports.store, found.ended);
    const ruling = rulingOn(
      found.ended,
      journal.archive().decisions.get(unit.key) ?? { decided: [], unknownAt: undefined },
      query.now,
    );
    if (missing.size > 0) {
      journal.setMissing(missing);
    } else if (found.choice === 'usable') {
      // Locally only the engine writes records; jobs of a CI run share theirs.
      if (call.holder === 'job' && !(await isBorneOut(call, unit, found.ended, ruling))) {
        except.add(found.ended);
        continue;
      }
      const kept = journal.state().units.get(unit.key)!;
      const choice = kept.done && kept.ended === found.ended ? 'keep' : 'reuse';
      const { how, source } = found.ended;
      const from =
        source === undefined && found.ended.runNumber === runNumber
          ? found.reason
          : runText(source ?? found.ended, found.ended);
      const planned = describe(
        unit,
        choice,
        `inputs unchanged${choice === 'keep' && how === 'ran' ? ` since ${found.reason}` : `; reused from ${from}`}`,
        work,
        found.ended,
      );
      return { planned, work, checkpoint: found.ended };
    } else {
      const judged = await judgeAgain(call, unit, found.ended);
      if (verdictSatisfies(unit, judged, ruling)) {
        const planned = describe(
          unit,
          'reuse',
          `the output of ${found.reason} meets the current contract`,
          work,
          found.ended,
        );
        return { planned, work, checkpoint: found.ended, judged };
      }
    }
    except.add(found.ended);
  }
}

/** The result of searching for checkpoints elsewhere. */
interface Elsewhere {
  readonly found?: PreparedUnit | undefined;
  /** Errors of the search. Empty: there is no checkpoint. */
  readonly notices: readonly string[];
}

/** Searches other sources for checkpoints by fingerprint, if no listed record can be reused. */
async function findElsewhere(call: Call, unit: Unit, work: Work): Promise<Elsewhere> {
  const { journal, ports, assignment } = call;
  // Without all records nothing is reused, and with `reuse: never` outputs of other runs are ignored.
  const useless = journal.archive().blind || (unit.gate.reuse === 'never' && journal.call.runAttempt <= 1);
  if (ports.checkpoints === undefined || useless) return { notices: [] };
  const { id: pipeline } = assignment.pipeline;
  const place = { pipeline, subject: assignment.subject, gate: unit.gate.id, leg: unit.leg.id };
  const { records, notices } = await ports.checkpoints.find(place, work.fingerprint);
  for (const message of notices) await call.observe({ type: 'notice', unit: unit.key, message });
  if (records.length === 0) return { notices };
  journal.include(records);
  return { found: await findWork(call, unit, work), notices };
}

/** The plan to run a unit, with the reason why an earlier output is not reused. */
async function withReason(
  call: Call,
  unit: Unit,
  work: Work,
  state: UnitState,
  notices: readonly string[],
): Promise<PreparedUnit> {
  const earlier = call.journal.archive().ended.get(unit.key) ?? [];
  const last = earlier.findLast((ended) => ended.verdict.kind !== 'not-applicable');
  const changed = await differencesTo(call, unit, work);
  const query = {
    fingerprint: work.fingerprint,
    contract: work.contract.digest,
    runNumber: call.journal.call.runNumber,
    now: call.ports.now().toISOString(),
  };
  const checkpoint = findCheckpoint(unit, call.journal.archive(), query);
  const missing =
    checkpoint.choice === 'none' ? undefined : missingOutput(checkpoint.ended, call.journal.missing())?.text;
  let reason: string;
  if (state.status === 'lost') reason = state.reason;
  else if (missing !== undefined) reason = `the output of ${checkpoint.reason} ${missing}`;
  else if (checkpoint.choice === 'judge-again') reason = 'its output does not meet the current contract';
  else if (checkpoint.choice === 'usable') reason = `the output of ${checkpoint.reason} does not match its record`;
  else if (checkpoint.reason !== '') reason = checkpoint.reason;
  else if (last === undefined) reason = whyNone(call, unit, notices);
  else reason = describeDifferences(changed);
  const choice = unit.gate.run === undefined ? 'wait' : 'run';
  const hints =
    changed.some((one) => one.what === 'file') && unit.gate.inputs === undefined
      ? [
          `it declares no inputs, so its inputs are all files that git ${call.holder === 'job' ? 'tracks' : 'does not ignore'}`,
        ]
      : [];
  return { planned: { ...describe(unit, choice, reason, work), differences: changed, notices: hints }, work };
}

/** Why a unit has no earlier output: none exists, it could not be read, or it was not searched for. */
function whyNone(call: Call, unit: Unit, notices: readonly string[]): string {
  const unread = call.journal
    .archive()
    .unread.get(unit.key)
    ?.find(({ kind }) => !kind.startsWith('decided'));
  if (unread !== undefined) return `its records could not be read: ${unread.why}`;
  if (notices.length > 0) return `earlier outputs could not be searched: ${notices.join(' ')}`;
  if (call.holder !== 'job') return 'it has not run for this subject';
  return unit.gate.reuse === 'never' ? 'reuse is set to never' : 'no earlier output with the same request was found';
}

/** Differences from the latest readable request of this unit. */
async function differencesTo(call: Call, unit: Unit, work: Work): Promise<Difference[]> {
  const claim = call.journal
    .archive()
    .records.findLast((record) => record.kind === 'started' && unitOf(record) === unit.key);
  if (claim?.kind !== 'started' || claim.fingerprint === work.fingerprint) return [];
  const read = await call.ports.store.get(claim.request);
  if (read.state !== 'present') return [];
  const request = asRequest(JSON.parse(new TextDecoder().decode(read.value)) as JsonValue);
  if (request === undefined) return [];
  const redacted = call.redactor.redactJson(work.request as unknown as JsonValue).value;
  return differences(request, redacted as unknown as Request);
}

function describe(
  unit: Unit,
  choice: PlannedUnit['choice'],
  reason: string,
  work?: Work,
  from?: EndedRecord,
): PlannedUnit {
  return {
    ...plannedUnit(unit, choice, reason),
    fingerprint: work?.fingerprint,
    from: from && { runNumber: from.runNumber, runAttempt: from.runAttempt, n: from.n },
  };
}
