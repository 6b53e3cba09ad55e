import { howText, sinceApproval } from './attempt-reasons.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { attemptInRun, numberedAmong } from '../records/attempt-text.ts';
import {
  actorOf,
  approversText,
  askedAgain,
  rulingOn,
  skipInForce,
  type Ruling,
  type UnitDecisions,
} from '../records/decisions.ts';
import { itemGiven } from '../records/leg-item.ts';
import { comparePositions, type EndedRecord, type StartedRecord } from '../records/record.ts';
import { writerKey, type RunProblem, type ExternalFacts, type UnitState, type UnitStatus } from './run-state.ts';
import {
  claimMatches,
  countClaims,
  decisionsOf,
  isFollowed,
  isLatestWork,
  openClaim,
  placeOf,
  unreadDecision,
  unreadWork,
  withEarlier,
  type UnitRecords,
} from '../records/unit-records.ts';
import { iterationOf, lastRound, reworksIn } from '../records/reworks.ts';
import { adoptionOf } from '../records/source.ts';
import { needNames, type Unit } from '../records/unit.ts';
import { failureText } from '../../verdict/verdict.ts';
import { missingOutput, type MissingOutput } from './missing-output.ts';
import { problemsOf } from './unit-problems.ts';

type States = ReadonlyMap<UnitKey, UnitState>;

/** State of one unit, given those upstream of it. */
export function deriveUnit(
  unit: Unit,
  own: UnitRecords,
  upstream: States,
  facts: ExternalFacts,
): { state: UnitState; problems: RunProblem[] } {
  const decisions = decisionsOf(own);
  const rulings = withEarlier(decisions, own);
  // Of two different claims with one name, the first one is valid.
  const claims = new Map(own.started.toReversed().map((claimed) => [placeOf(claimed), claimed]));
  const judged = own.ended.map((ended) => {
    const claimed = claims.get(placeOf(ended));
    const assessed = assess(unit, ended, claimed, own, rulings, upstream, facts);
    return {
      ended,
      claimed,
      ...assessed,
      relevant: assessed.relevant && !(unit.gate.maxAge !== undefined && isFollowed(ended, own)),
    };
  });
  const claim = openClaim(own);
  const base = {
    key: unit.key,
    gate: unit.gate.id,
    leg: unit.leg.id,
    started: own.started.at(-1),
    begun: own.started,
    numbered: numberedAmong(own.started, own.ended),
    attempts: countClaims(own),
    reworks: reworksIn(own.decided),
  };
  const verdict = choose(unit, own, judged, claim, decisions, upstream, facts);
  const adopted = verdict.ended && adoptionOf(verdict.ended, own.decided);
  return { state: { ...base, ...verdict, ...(adopted && { adopted }) }, problems: problemsOf(unit, own, judged) };
}

type Choice = Pick<UnitState, 'status' | 'reason' | 'done' | 'reused' | 'exports' | 'ended' | 'decided' | 'unread'>;
interface JudgedAttempt extends Assessment {
  readonly ended: EndedRecord;
  readonly claimed: StartedRecord | undefined;
}

function choose(
  unit: Unit,
  own: UnitRecords,
  judged: readonly JudgedAttempt[],
  claim: StartedRecord | undefined,
  decisions: UnitDecisions,
  upstream: States,
  facts: ExternalFacts,
): Choice {
  const needsDone = unit.needs.every((key) => upstream.get(key)?.done);
  if (claim !== undefined && !isGone(claim, facts) && !isGivenUp(claim, decisions, facts))
    return not('running', `${attemptInRun(claim, numberedAmong(own.started, own.ended))} began at ${claim.at}`);
  const best = bestOf(judged);
  const skip = skipInForce(decisions, facts.fingerprints?.get(unit.key), facts.now);
  const skipped = skip !== undefined && (best === undefined || comparePositions(skip, best.ended) > 0);
  if (best !== undefined && !skipped) return satisfied(own, best, needsDone);
  if (skip !== undefined) {
    const why = `skipped by ${actorOf(skip)}: ${skip.reason}`;
    const choice = not(
      'skipped',
      needsDone ? why : `${why.replace(/\.$/, '')} (applies after ${openNeeds(unit, upstream)})`,
    );
    return { ...choice, done: needsDone, decided: skip, exports: needsDone ? (skip.exports ?? null) : undefined };
  }
  const last = judged.findLast((one) => one.relevant);
  if (claim !== undefined && isRelevantClaim(claim, unit, decisions, upstream, facts)) {
    return { ...not('lost', lossOf(claim, own, facts)), ended: last?.ended };
  }
  if (last !== undefined) return unsatisfied(unit, own, last, facts);
  return waiting(unit, own, judged, upstream, needsDone);
}

/** The newest attempt that satisfies, unless a later one left another output, which takes its place. */
function bestOf(judged: readonly JudgedAttempt[]): JudgedAttempt | undefined {
  const best = judged.findLast((one) => one.satisfies && one.relevant);
  const last = judged.findLast(({ relevant, missing, ended }) => relevant && missing === undefined && ended.value);
  return last?.satisfies === false && last.ended.value!.digest !== best?.ended.value?.digest ? undefined : best;
}

function satisfied(own: UnitRecords, best: JudgedAttempt, needsDone: boolean): Choice {
  const { ended, ruling } = best;
  return {
    status: ended.verdict.status,
    reason: ruling.ruling === 'approved' ? `approved by ${actorOf(ruling.by)}` : howText(own, ended),
    done: needsDone,
    reused: ended.how === 'reused',
    exports: needsDone ? (ended.exports ?? null) : undefined,
    ended,
    decided: ruling.ruling === 'approved' ? ruling.by : undefined,
  };
}

function unsatisfied(unit: Unit, own: UnitRecords, last: JudgedAttempt, facts: ExternalFacts): Choice {
  const { ended, ruling } = last;
  const { status, score } = ended.verdict;
  if (ruling.ruling === 'rejected')
    return { ...not('failed', `rejected by ${actorOf(ruling.by)}: ${ruling.by.reason}`), ended, decided: ruling.by };
  if (ruling.ruling === 'unknown') return { ...unread(unreadDecision(own)), ended };
  if (last.missing !== undefined && isGoodEnough(unit, ended, ruling))
    return { ...(last.missing.unread ? unread : ready)(`its output ${last.missing.text}`), ended };
  if (isGoodEnough(unit, ended, ruling)) {
    const by = approversText(unit.gate.approval!);
    return {
      ...not('paused', `${howText(own, ended)}: waiting for approval${by}${sinceApproval(unit, own, ended, facts)}`),
      ended,
    };
  }
  if (status === 'partial') {
    const paused = unit.gate.contract.partial === 'pause';
    const text = `score ${score} is below the threshold of ${unit.gate.contract.threshold}`;
    return {
      ...not(
        paused ? 'paused' : 'partial',
        paused ? `${text}: waiting for approval${sinceApproval(unit, own, ended, facts)}` : text,
      ),
      ended,
    };
  }
  return { ...not('failed', failureText(ended.verdict)), ended };
}

function waiting(
  unit: Unit,
  own: UnitRecords,
  judged: readonly JudgedAttempt[],
  upstream: States,
  needsDone: boolean,
): Choice {
  const unknown = unreadWork(own);
  if (needsDone && unknown !== undefined) return unread(unknown);
  const again = judged.at(-1) && askedAgain(judged.at(-1)!.ruling);
  const reworks = reworksIn(own.decided);
  if (needsDone && again === undefined && reworks.length > 0) {
    const causes = lastRound(reworks).map(({ rework }) => rework.cause);
    return ready(`sent back by ${causes.join(' and ')}: iteration ${iterationOf(reworks)}`);
  }
  if (needsDone) return ready(again ?? (unit.needs.length === 0 ? 'needs nothing' : 'all needed gates are done'));
  const bad: UnitStatus[] = ['failed', 'lost', 'partial', 'paused', 'blocked'];
  const stopped = unit.needs.filter(
    (key) => upstream.get(key)?.done === false && bad.includes(upstream.get(key)!.status),
  );
  if (stopped.length > 0)
    return not('blocked', `needs ${stopped.map((key) => `${key} (${upstream.get(key)!.status})`).join(', ')}`);
  return not('pending', `waits for ${openNeeds(unit, upstream)}`);
}

function openNeeds(unit: Unit, upstream: States): string {
  const open = unit.needs.filter((key) => !upstream.get(key)?.done);
  return needNames(unit, open).join(', ');
}

function not(status: UnitStatus, reason: string): Choice {
  return { status, reason, done: false, reused: false, exports: undefined, ended: undefined, decided: undefined };
}

function ready(why: string): Choice {
  return not('ready', why);
}

/** It can be begun again; its unreadable records may contradict that. */
function unread(why: string): Choice {
  return { ...ready(why), unread: why };
}

interface Assessment {
  /** It has the unit's current request and was not set aside. */
  readonly relevant: boolean;
  /** Sufficient for later gates. */
  readonly satisfies: boolean;
  readonly ruling: Ruling;
  /** The part of its output that is missing or altered. */
  readonly missing: MissingOutput | undefined;
}

function assess(
  unit: Unit,
  ended: EndedRecord,
  claim: StartedRecord | undefined,
  own: UnitRecords,
  decisions: UnitDecisions,
  upstream: States,
  facts: ExternalFacts,
): Assessment {
  const ruling = rulingOn(ended, decisions, facts.now, unit.gate.approval);
  const fingerprint = facts.fingerprints?.get(unit.key);
  const current = (fingerprint === undefined || fingerprint === ended.fingerprint) && isLatestWork(ended, own);
  const relevant =
    ruling.ruling !== 'voided' &&
    current &&
    needsMatch(unit, ended.needs, upstream, facts) &&
    claimMatches(ended, claim);
  const missing = missingOutput(ended, facts.missingContent);
  const satisfies = verdictSatisfies(unit, ended, ruling) && missing === undefined;
  return { relevant, ruling, missing, satisfies };
}

/** Whether later gates may use an output: it is good enough, and approved if that is required. */
export function verdictSatisfies(unit: Unit, ended: Pick<EndedRecord, 'verdict'>, ruling: Ruling): boolean {
  if (!isGoodEnough(unit, ended, ruling)) return false;
  const needsApproval = unit.gate.approval !== undefined && ended.verdict.status !== 'not-applicable';
  return !needsApproval || ruling.ruling === 'approved';
}

/** Whether an output is good enough, under the gate's partial policy and later decisions. */
export function isGoodEnough(unit: Unit, ended: Pick<EndedRecord, 'verdict'>, ruling: Ruling): boolean {
  if (ruling.ruling === 'rejected' || ruling.ruling === 'voided' || ruling.ruling === 'unknown') return false;
  const { status } = ended.verdict;
  if (status === 'partial') return unit.gate.contract.partial === 'continue' || ruling.ruling === 'approved';
  return status === 'passed' || status === 'not-applicable';
}

/** Whether the needs' exports are those that the attempt received. One that the caller replaced has no output yet. */
function needsMatch(unit: Unit, given: EndedRecord['needs'], upstream: States, facts: ExternalFacts): boolean {
  if (facts.needsVerified) return true;
  if (Object.keys(given).some((key) => !unit.needs.includes(key))) return false;
  return unit.needs.every((key) => {
    const need = upstream.get(key);
    if (!Object.hasOwn(given, key)) return need?.done !== true;
    const content = itemGiven(unit, key) ?? need?.exports;
    return need?.done === true && (content?.digest ?? null) === given[key];
  });
}

function isGone(claim: StartedRecord, facts: ExternalFacts): boolean {
  if (claim.holder === 'open')
    return claim.deadline !== undefined && Date.parse(claim.deadline) <= Date.parse(facts.now);
  if (facts.deadWriters?.has(writerKey(claim.by))) return true;
  return (
    facts.supersededBefore !== undefined &&
    comparePositions({ ...claim, n: 0 }, { ...facts.supersededBefore, n: 0 }) < 0
  );
}

/** Whether a new attempt was requested since an agent that runs by itself began. */
function isGivenUp(claim: StartedRecord, decisions: UnitDecisions, facts: ExternalFacts): boolean {
  return claim.holder === 'open' && rulingOn(claim, decisions, facts.now).ruling === 'voided';
}

function isRelevantClaim(
  claim: StartedRecord,
  unit: Unit,
  decisions: UnitDecisions,
  upstream: States,
  facts: ExternalFacts,
): boolean {
  const fingerprint = facts.fingerprints?.get(unit.key);
  if (fingerprint !== undefined && fingerprint !== claim.fingerprint) return false;
  return rulingOn(claim, decisions, facts.now).ruling !== 'voided' && needsMatch(unit, claim.needs, upstream, facts);
}

function lossOf(claim: StartedRecord, own: UnitRecords, facts: ExternalFacts): string {
  const attempt = attemptInRun(claim, numberedAmong(own.started, own.ended));
  if (claim.holder === 'open') return `${attempt} began at ${claim.at} and was not completed in time`;
  return facts.deadWriters?.has(writerKey(claim.by))
    ? `${attempt} began at ${claim.at}; its ${claim.holder} is gone and left no result`
    : `${attempt} began at ${claim.at} and left no result before a later run attempt began`;
}
