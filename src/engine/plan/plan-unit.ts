import type { UsedAction } from '../../pipeline/job-settings.ts';
import { emptyList, sourceText } from '../../pipeline/data-legs.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { describeDifferences, type Difference } from '../../run/plan/difference.ts';
import { askedAgain, HOW_TO_APPROVE, rulingOn } from '../../run/records/decisions.ts';
import { missingOutput } from '../../run/state/missing-output.ts';
import { dependsOn, plannedUnit, type PlannedUnit } from '../../run/plan/plan.ts';
import { buildRequest, fingerprintOf } from '../../run/plan/request.ts';
import { findCheckpoint } from '../../run/plan/reuse.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import type { Archive } from '../../run/plan/archive.ts';
import { comparePositions, type EndedRecord } from '../../run/records/record.ts';
import { itemGiven } from '../../run/records/leg-item.ts';
import { needNames, type Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { latestOutput, learnDecisions } from '../upstream/learn-decisions.ts';
import { evaluateIf } from '../upstream/condition.ts';
import { missingOf } from '../call/content.ts';
import { plannedSetUp, recoverFor, staleReason } from '../entities/gate-entities.ts';
import { refuseUnknownLegs } from '../call/settle-legs.ts';
import type { LoadedContract } from '../call/contracts.ts';
import { currentInputs, handedOnTo, inputTree, type FoundInputs } from './current-inputs.ts';
import type { SentBackWork } from './sent-back-work.ts';
import type { PreparedUnit, Work } from './prepared-unit.ts';
import { adoptNamed, differencesTo, keepLast } from './earlier-work.ts';
import { loopOf } from './loop-of.ts';
import { noteChange } from './since-approval.ts';
import { queryFor, searchWork, type FoundWork, type Search } from './search-work.ts';

/** Plans one unit whose needs are settled. User errors result in `blocked`; other errors are thrown. */
export async function planUnit(call: Call, unit: Unit): Promise<PreparedUnit> {
  try {
    return await plan(call, unit);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    return { planned: plannedUnit(unit, 'blocked', `${error.code}: ${error.message}`), error };
  }
}

async function plan(call: Call, unit: Unit): Promise<PreparedUnit> {
  const waiting = waitsFor(call, unit);
  if (waiting !== undefined) return { planned: waiting };
  const before = call.journal.state().units.get(unit.key)!;
  if (before.status === 'running') {
    const claimed = `${before.reason}; another process has claimed this gate`;
    return { planned: plannedUnit(unit, 'blocked', `GATE_CLAIMED: ${claimed}`), claimed };
  }
  const contract = await call.contracts.load(unit.gate);
  const applies = await evaluateIf(call, unit);
  if (!applies.choice) return notApplicable(call, unit, contract, applies.reason);
  await refuseUnknownLegs(call, unit);
  const list = emptyList(unit);
  if (list !== undefined) return notApplicable(call, unit, contract, `${sourceText(list)} is empty`);
  const work = await workFor(call, unit, contract);
  await noteChange(call, unit, work);
  const earlier = latestOutput(call, unit, work.fingerprint);
  if (earlier !== undefined) await learnDecisions(call, unit, [earlier]);
  const state = call.journal.state().units.get(unit.key)!;
  if (state.status === 'skipped') return { planned: plannedUnit(unit, 'skip', state.reason, work), work };
  const adopted = await adoptNamed(call, unit, work);
  if (adopted !== undefined) return adopted;
  const paused = await waitsForApproval(call, unit, work, state);
  if (paused !== undefined) return paused;
  const search = await searchWork(call, unit, work);
  const stale = search.found && (await staleReason(call, unit, search.found));
  if (search.found !== undefined && stale === undefined) return useWork(unit, work, search.found);
  const kept = stale === undefined ? await keepLast(call, unit, work) : undefined;
  if (kept !== undefined) return kept;
  const sent = call.holder === 'process' && state.ended?.fingerprint === work.fingerprint && loopOf(call, unit);
  if (sent && sent.choice.choice === 'send-back') {
    const back = `${state.reason}: sent back to ${sent.loop.onFail.goto}, iteration ${sent.choice.times + 1}`;
    return { planned: plannedUnit(unit, 'send-back', back, work), work };
  }
  // A killed call left it: the other gates of its group end first, and their work is sent back once.
  const awaited = sent && sent.choice.choice === 'await' ? sent.choice.units : [];
  // A gate whose own output is missing is one of those that are awaited.
  if (!awaited.includes(unit.key) && awaited.some((key) => call.assignment.only?.has(key) !== false)) {
    const waits = `${state.reason}: work is sent back when ${needNames(unit, awaited).join(' and ')} has ended, too`;
    return { planned: plannedUnit(unit, 'blocked', waits, work), work };
  }
  // An invalid contract could not judge any output.
  await call.contracts.compile(unit.gate);
  const first = await plannedSetUp(call, unit);
  const prepared = await runAgain(call, unit, work, state, { ...search, refused: stale ?? search.refused });
  if (first === undefined) return prepared;
  const { planned } = prepared;
  const reason = `${planned.reason}; ${first.reason}`;
  return { ...prepared, planned: { ...planned, reason, notices: [...planned.notices, ...first.lines] } };
}

/** The plan of a unit whose output waits for an approval; `undefined`: it has no such output for this work. */
async function waitsForApproval(
  call: Call,
  unit: Unit,
  work: Work,
  { status, reason, ended }: UnitState,
): Promise<PreparedUnit | undefined> {
  if (status !== 'paused' || ended?.contract !== work.contract.digest || ended.fingerprint !== work.fingerprint)
    return undefined;
  if (call.holder !== 'job') call.journal.setMissing(await missingOf(call.ports.store, ended));
  const missing = missingOutput(ended, call.journal.missing());
  // A missing output cannot be checked: the gate needs a new one.
  if (missing !== undefined && !missing.unread) return undefined;
  const locally = `\`gateline approve ${unit.key}\` lets it pass, \`reject\` asks for another attempt`;
  const next = call.holder === 'job' ? HOW_TO_APPROVE : locally;
  return { planned: plannedUnit(unit, 'blocked', `${reason}: ${next}`, work), work };
}

/**
 * The current request of a unit.
 * @throws GatelineError as {@link currentInputs}
 */
export async function workFor(call: Call, unit: Unit, contract: LoadedContract): Promise<Work> {
  const found = await currentInputs(call, unit);
  const request = buildRequest(unit, call.around, found);
  const work: Work = {
    request,
    fingerprint: fingerprintOf(request),
    contract,
    ...(found.rework && { rework: await markOf(call, unit, found, found.rework) }),
  };
  call.journal.setFingerprint(unit.key, work.fingerprint);
  return work;
}

/**
 * Runs the set-up commands of a unit that is about to start. Its work may be another one then: also those of other
 * units change the values that it requires.
 * @throws GatelineError `STATE_INVALID`, `ENTITY_BUSY`, and as {@link workFor}
 */
export async function setUp(call: Call, unit: Unit, work: Work, signal: AbortSignal): Promise<Work> {
  await recoverFor(call, unit, signal);
  return unit.gate.entities?.requires.length ? workFor(call, unit, work.contract) : work;
}

/** The recorded request of work that was sent back. `base` is the fingerprint that the request had before. */
async function markOf(
  call: Call,
  unit: Unit,
  { rework: _, ...found }: FoundInputs,
  { iteration, causes }: SentBackWork,
): Promise<NonNullable<Work['rework']>> {
  const tree = await inputTree(call, unit, handedOnTo(call, unit));
  const base = fingerprintOf(buildRequest(unit, call.around, { ...found, tree }));
  return { iteration, base, ...(causes && { causes: [...causes] }) };
}

/** The plan of a unit that waits for needs that are not done, and that nothing takes the place of. */
function waitsFor(call: Call, unit: Unit): PlannedUnit | undefined {
  const units = call.journal.state().units;
  const open = unit.needs.filter((key) => !units.get(key)!.done);
  if (open.length === 0) return undefined;
  if (call.assignment.standIn) return undefined;
  const { status, reason } = units.get(unit.key)!;
  if (status === 'skipped') return plannedUnit(unit, 'depends', reason);
  const stopped = open.filter((key) =>
    ['failed', 'lost', 'partial', 'paused', 'blocked'].includes(units.get(key)!.status),
  );
  if (stopped.length > 0)
    return plannedUnit(
      unit,
      'blocked',
      `needs ${stopped.map((key) => `${key}, which is ${units.get(key)!.status}`).join(' and ')}`,
    );
  return dependsOn(unit, open);
}

/** A false `if` also satisfies the gates that need this one. It is valid only for the current results of its needs. */
function notApplicable(call: Call, unit: Unit, contract: LoadedContract, reason: string): PreparedUnit {
  const units = call.journal.state().units;
  const needs = Object.fromEntries(
    unit.needs.map((key) => [key, itemGiven(unit, key) ?? units.get(key)!.exports ?? null]),
  );
  const request = buildRequest(unit, call.around, { tree: new Map(), env: {}, tools: {}, needs });
  const work: Work = { request, fingerprint: fingerprintOf(request), contract };
  call.journal.setFingerprint(unit.key, work.fingerprint);
  const state = call.journal.state().units.get(unit.key)!;
  const known = state.done && state.status === 'not-applicable';
  return { planned: plannedUnit(unit, known ? 'keep' : 'not-applicable', reason, work, state.ended), work };
}

/** The plan to use an earlier output. */
function useWork(unit: Unit, work: Work, found: FoundWork): PreparedUnit {
  const { choice, reason, checkpoint, subject, producedAt, judged } = found;
  const { from, ...planned } = plannedUnit(unit, choice, reason, work, checkpoint);
  const origin = from && { ...from, ...(subject !== undefined && { subject }) };
  return { planned: { ...planned, from: origin }, work, checkpoint, producedAt, ...(judged && { judged }) };
}

/** The plan to run a unit, with the reason why an earlier output is not reused. */
async function runAgain(call: Call, unit: Unit, work: Work, state: UnitState, search: Search): Promise<PreparedUnit> {
  const differences = await differencesTo(call, unit, work);
  const choice = unit.gate.run === undefined ? 'wait' : 'run';
  const reason = whyAgain(call, unit, work, state, search, differences);
  const { inputs, uses } = unit.gate;
  const isHere = call.holder !== 'job';
  const isAnyFile = inputs === undefined && differences.some(({ what }) => what === 'file');
  const which = isHere ? 'does not ignore' : 'tracks';
  const notices = [
    ...(isAnyFile ? [`it declares no inputs, so its inputs are all files that git ${which}`] : []),
    ...(choice === 'wait' && isHere && uses !== undefined ? [elsewhere(uses)] : []),
  ];
  return { planned: { ...plannedUnit(unit, choice, reason, work), differences, notices }, work };
}

const ADOPTED_FOR_ANOTHER = 'its definition, its inputs or what it needs changed since its output was adopted';

function whyAgain(
  call: Call,
  unit: Unit,
  work: Work,
  state: UnitState,
  { refused, notices }: Search,
  differences: readonly Difference[],
): string {
  if (state.status === 'lost') return state.reason;
  if (refused !== undefined) return refused;
  const archive = call.journal.archive();
  // Earlier outputs for this request are of a loop before this one, and not the reason.
  if (differences.length > 0 && isSentBack(archive, unit)) return describeDifferences(differences);
  const gone = (ended: EndedRecord): string | undefined => missingOutput(ended, call.journal.missing())?.text;
  const checkpoint = findCheckpoint(unit, archive, queryFor(call, work));
  const missing = checkpoint.choice === 'none' ? undefined : gone(checkpoint.ended);
  if (missing !== undefined) return `the output of ${checkpoint.reason} ${missing}`;
  const awaited = state.status === 'paused' && state.ended ? gone(state.ended) : undefined;
  if (awaited !== undefined) return `its output ${awaited}`;
  if (checkpoint.choice === 'judge-again') return 'its output does not meet the current contract';
  if (checkpoint.choice === 'usable') return `the output of ${checkpoint.reason} does not match its record`;
  if (checkpoint.reason !== '') return checkpoint.reason;
  const decision = differences.length === 0 ? givenUp(call, unit) : undefined;
  if (decision !== undefined) return decision;
  const last = archive.ended.get(unit.key)?.findLast((ended) => ended.verdict.kind !== 'not-applicable');
  if (last === undefined) return whyNone(call, unit, notices);
  // An output from outside has a fingerprint, and no request to compare with.
  if (differences.length === 0 && last.how === 'adopted') return ADOPTED_FOR_ANOTHER;
  return describeDifferences(differences);
}

/** Whether the last thing that happened to a unit is that its work was sent back. */
function isSentBack({ decisions, ended }: Archive, { key }: Unit): boolean {
  const last = decisions.get(key)?.decided.at(-1);
  const attempt = ended.get(key)?.at(-1);
  return last?.rework !== undefined && attempt !== undefined && comparePositions(last, attempt) >= 0;
}

/** Advice for a gate whose agent is an action, on a machine that cannot run actions. */
function elsewhere({ action }: UsedAction): string {
  return `it runs on GitHub, as ${action}: use \`begin\` and \`complete\`, or \`adopt\`, or write \`local: <command>\` at the gate`;
}

/** The decision that ended the last claim, if the claim left no output that could be rejected. */
function givenUp(call: Call, unit: Unit): string | undefined {
  const archive = call.journal.archive();
  const claim = archive.started.get(unit.key)?.at(-1);
  const decisions = archive.decisions.get(unit.key);
  if (claim === undefined || decisions === undefined) return undefined;
  return askedAgain(rulingOn(claim, decisions, call.ports.now().toISOString()));
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
