import { attemptInRun, attemptText } from '../records/attempt-text.ts';
import {
  actorOf,
  askedAgain,
  expired,
  mayApprove,
  NO_DECISIONS,
  rulingOn,
  VOIDING,
  type Ruling,
} from '../records/decisions.ts';
import type { Digest } from '../../json/digest.ts';
import { isGoodEnough } from '../state/fold-unit.ts';
import { comparePositions, unitOf, type EndedRecord, type Position } from '../records/record.ts';
import { claimMatches } from '../records/unit-records.ts';
import type { Unit, UnitGraph } from '../records/unit.ts';
import { endedWell } from './ended-well.ts';
import { numberedIn, type Archive, type SubjectRecords } from './archive.ts';

/** Whether an earlier attempt can be reused now, before its content is read. */
export type Checkpoint =
  /** `judge-again`: everything matches except the contract, which changed: judge the stored output again. */
  | {
      readonly choice: 'usable' | 'judge-again';
      readonly ended: EndedRecord;
      readonly reason: string;
      /** The records that it is read with: those of its own subject. */
      readonly home: SubjectRecords;
    }
  | { readonly choice: 'none'; readonly reason: string };

/** The query for {@link findCheckpoint}. */
export interface CheckpointQuery {
  readonly fingerprint: Digest;
  readonly contract: Digest;
  readonly runNumber: number;
  /** ISO 8601. */
  readonly now: string;
  /** The gates that may have sent work back. */
  readonly graph: UnitGraph;
  /** The number of the run that this run continues: an output that waits for a person there waits here, too. */
  readonly resumedRun?: number;
  /** Attempts already found to be unusable (their content is missing, or fails the current contract). */
  readonly except?: ReadonlySet<EndedRecord>;
}

/**
 * The newest earlier attempt with this fingerprint that may be reused instead of running the agent, and why or why not.
 * One of the call's subject comes before those of others.
 */
export function findCheckpoint(unit: Unit, archive: Archive, query: CheckpointQuery): Checkpoint {
  if (archive.blind) return { choice: 'none', reason: 'not all records could be listed, so nothing is reused' };
  const own = findIn(unit, archive, query);
  const others = archive.elsewhere.get(unit.key) ?? [];
  if (own.choice !== 'none' || others.length === 0 || isSetAside(unit, archive, query)) return own;
  let reason = own.reason;
  for (const other of others) {
    const found = other.blind ? own : findIn(unit, other, query);
    if (found.choice !== 'none') return found;
    reason ||= found.reason;
  }
  return { choice: 'none', reason };
}

/**
 * Whether decisions of the call's subject keep outputs of other subjects from being reused. Those have no place in the
 * order of these decisions. So a decision about this request overrides all of them, as does one about the unit as
 * a whole, which asked for an output made after it: in its own run, and in later runs until there is such an output.
 */
function isSetAside(unit: Unit, archive: Archive, query: CheckpointQuery): boolean {
  const { decided = [], unknownAt } = archive.decisions.get(unit.key) ?? {};
  if (unknownAt !== undefined) return true;
  const lastWords = new Map<string, string>();
  for (const one of decided) {
    const { decision, fingerprint, runNumber, actor } = one;
    if (fingerprint !== null && fingerprint !== query.fingerprint) continue;
    const isOfAnother = fingerprint === null && runNumber !== query.runNumber;
    if (isOfAnother && (!VOIDING.has(decision) || isAnswered(unit, archive, one))) continue;
    if (VOIDING.has(decision)) return true;
    if (decision === 'approve' && (expired(one, query.now) || !mayApprove(one, unit.gate.approval))) continue;
    if (decision === 'reject' || decision === 'approve') lastWords.set(actor, decision);
  }
  return [...lastWords.values()].includes('reject');
}

/** Whether the unit has an output of its own subject that was made after a decision. */
function isAnswered(unit: Unit, { ended }: SubjectRecords, decision: Position): boolean {
  return (ended.get(unit.key) ?? []).some(
    (one) => one.how !== 'reused' && one.value !== undefined && comparePositions(one, decision) > 0,
  );
}

/** Whether an attempt is of another run than that of the call. */
function isOfAnotherRun(
  { runNumber }: EndedRecord,
  { other }: SubjectRecords,
  query: Pick<CheckpointQuery, 'runNumber'>,
): boolean {
  return other !== undefined || runNumber !== query.runNumber;
}

function findIn(unit: Unit, home: SubjectRecords, query: CheckpointQuery): Checkpoint {
  const same = (home.ended.get(unit.key) ?? []).filter(
    (ended) =>
      ended.fingerprint === query.fingerprint ||
      // Another run did this work in several iterations: its last output is the one to reuse.
      (ended.rework?.base === query.fingerprint && isOfAnotherRun(ended, home, query)),
  );
  let reason = '';
  for (const ended of same.toReversed()) {
    if (query.except?.has(ended)) continue;
    const objection = objectionTo(unit, ended, home, query);
    if (objection === undefined) {
      const judged = ended.contract === query.contract;
      return {
        choice: judged ? 'usable' : 'judge-again',
        ended,
        reason: nameOf(unit, ended, home, query.runNumber),
        home,
      };
    }
    reason ||= objection;
  }
  return { choice: 'none', reason };
}

/**
 * Why an output that was reused from another subject is no longer valid there, by that subject's decisions since;
 * `undefined` if it is, or if its records are gone.
 * @param subject the call's own: what was reused from it by another subject may come back
 */
export function withdrawnElsewhere(
  unit: Unit,
  { source, fingerprint }: Pick<EndedRecord, 'source' | 'fingerprint'>,
  archive: Archive,
  { now, subject }: { readonly now: string; readonly subject: string },
): string | undefined {
  if (source?.subject === undefined) return undefined;
  const others = archive.elsewhere.get(unit.key) ?? [];
  const home = source.subject === subject ? archive : others.find(({ other }) => other === source.subject);
  const origin = home?.ended.get(unit.key)?.find((ended) => comparePositions(ended, source) === 0);
  return origin && decidedAgainst(unit, origin, home!, { now, runNumber: 0, fingerprint });
}

/**
 * What decisions of its own subject say against an attempt, as the answer to its own request and to the one that it is
 * reused for: that of a loop's last output is the loop's first request.
 */
function decidedAgainst(
  unit: Unit,
  ended: EndedRecord,
  home: SubjectRecords,
  query: Pick<CheckpointQuery, 'now' | 'runNumber' | 'fingerprint'>,
): string | undefined {
  const own = ruledAgainst(unit, ended, home, query);
  const { fingerprint } = query;
  return own ?? (fingerprint === ended.fingerprint ? own : ruledAgainst(unit, { ...ended, fingerprint }, home, query));
}

function ruledAgainst(
  unit: Unit,
  ended: EndedRecord,
  home: SubjectRecords,
  { now, runNumber }: Pick<CheckpointQuery, 'now' | 'runNumber'>,
): string | undefined {
  const where = nameOf(unit, ended, home, runNumber);
  const ruling = rulingOf(unit, ended, home, now);
  if (ruling.ruling === 'unknown') return `${where} is not reused: a decision since then could not be read`;
  if (ruling.ruling === 'voided' && ruling.by.rework !== undefined)
    return `${where} was sent back by ${ruling.by.rework.cause}: ${ruling.by.reason}`;
  const again = askedAgain(ruling);
  if (again !== undefined) return again;
  if (ruling.ruling === 'rejected') return `${where} was rejected by ${actorOf(ruling.by)}: ${ruling.by.reason}`;
  return undefined;
}

/** The decisions of its own subject about a checkpoint. An approval is valid only for its own subject. */
export function rulingOf(unit: Unit, ended: EndedRecord, home: SubjectRecords, now: string): Ruling {
  const ruling = rulingOn(ended, home.decisions.get(unit.key) ?? NO_DECISIONS, now, unit.gate.approval);
  return home.other !== undefined && ruling.ruling === 'approved' ? { ruling: 'stands' } : ruling;
}

function objectionTo(
  unit: Unit,
  ended: EndedRecord,
  archive: SubjectRecords,
  query: CheckpointQuery,
): string | undefined {
  const where = nameOf(unit, ended, archive, query.runNumber);
  if (unit.gate.reuse === 'never' && isOfAnotherRun(ended, archive, query))
    return `${where} is not reused: reuse is set to never`;
  const isAdopted = ended.source?.adopted !== undefined || originIn(ended, archive).how === 'adopted';
  if (archive.other !== undefined && isAdopted) return `${where} is not reused: it was adopted for its own subject`;
  const decided = decidedAgainst(unit, ended, archive, query);
  if (decided !== undefined) return decided;
  if (ended.rework !== undefined && isOfAnotherRun(ended, archive, query) && !endedWell(unit, ended, archive, query))
    return `${where} is not reused: the gates that sent its work back did not pass afterwards`;
  const ruling = rulingOf(unit, ended, archive, query.now);
  const judged = ended.contract === query.contract;
  const isUsable =
    isGoodEnough(unit, ended, ruling) || (isOfResumed(ended, archive, query) && waitsForPerson(unit, ended, ruling));
  if (!isUsable && (judged || ended.value === undefined || !judgedByContract(ended))) {
    return `${where} ${ended.verdict.status === 'partial' ? 'was only partial' : `failed (${ended.verdict.kind})`}`;
  }
  const age = Date.parse(query.now) - Date.parse(producedAt(ended, archive));
  if (unit.gate.maxAge !== undefined) {
    if (age > unit.gate.maxAge) return `${where} is older than max-age`;
    // A clock was wrong, then or now, so the age is unknown.
    if (age < 0) return `${where} is not reused: its timestamp is in the future, so its age is unknown`;
  }
  const claim = archive.started.get(unit.key)?.find((started) => comparePositions(started, ended) === 0);
  if (!claimMatches(ended, claim))
    return `${where} is not reused: it ended with a different request or contract than it began with`;
  return undefined;
}

/** Whether an attempt is one of the run that the query's run continues. */
export function isOfResumed(
  { runNumber }: Pick<EndedRecord, 'runNumber'>,
  { other }: SubjectRecords,
  { resumedRun }: Pick<CheckpointQuery, 'resumedRun'>,
): boolean {
  return other === undefined && runNumber === resumedRun;
}

/** Whether an output that is only partial waits for a person, who has not decided yet. */
export function waitsForPerson(unit: Unit, { verdict }: Pick<EndedRecord, 'verdict'>, { ruling }: Ruling): boolean {
  return verdict.status === 'partial' && unit.gate.contract.partial === 'pause' && ruling === 'stands';
}

/** Failures that a different contract may change: the output existed and was judged. */
function judgedByContract(ended: EndedRecord): boolean {
  return ['passed', 'partial', 'schema', 'result', 'score', 'check'].includes(ended.verdict.kind);
}

/** When the agent produced the output, even if the attempt itself reused it; of an adopted one, when it was adopted. */
export function producedAt(ended: EndedRecord, archive: Pick<SubjectRecords, 'ended'>): string {
  const { how, startedAt, source } = originIn(ended, archive);
  return how === 'adopted' ? startedAt : (source?.at ?? startedAt);
}

/** The person who kept an output although its request had changed; `undefined`: there is none, or it is unknown. */
export function keptBy(ended: EndedRecord, archive: Pick<SubjectRecords, 'ended'>): string | undefined {
  const { how, source } = originIn(ended, archive);
  return how === 'adopted' ? source?.adopted?.actor : undefined;
}

/** The attempt that produced or adopted an output, as far as the records of its subject know it. */
export function originIn(ended: EndedRecord, archive: Pick<SubjectRecords, 'ended'>): EndedRecord {
  let at = ended;
  for (let hops = 0; at.how === 'reused' && at.source !== undefined && hops < 10_000; hops += 1) {
    const source = at.source;
    if (source.subject !== undefined) break;
    const origin = (archive.ended.get(unitOf(ended)) ?? []).find((one) => comparePositions(one, source) === 0);
    if (origin === undefined || origin === at) break;
    at = origin;
  }
  return at;
}

/** An attempt in a sentence. The run is named if it is not the current one. */
function nameOf(unit: Unit, ended: EndedRecord, archive: SubjectRecords, runNumber: number): string {
  const numbered = numberedIn(archive, unit.key);
  if (archive.other !== undefined) return attemptText(ended, numbered, archive.other);
  return ended.runNumber === runNumber ? attemptInRun(ended, numbered) : attemptText(ended, numbered);
}
