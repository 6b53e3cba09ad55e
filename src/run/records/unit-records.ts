import { latestPosition, type UnitDecisions, type UsedDecision } from './decisions.ts';
import type { UnreadRecord } from './reading.ts';
import {
  comparePositions,
  type EndedRecord,
  type GatelineRecord,
  type Position,
  type StartedRecord,
} from './record.ts';

/** All records of one unit in one run, each list in order. */
export interface UnitRecords {
  readonly started: readonly StartedRecord[];
  readonly ended: readonly EndedRecord[];
  readonly decided: readonly UsedDecision[];
  /** Records that exist but could not be read; their names identify them. */
  readonly unknown: readonly UnreadRecord[];
  /** Decisions of earlier runs: they apply to outputs that were made then and reused. */
  readonly earlier: { readonly decided: readonly UsedDecision[]; readonly unknown: readonly UnreadRecord[] };
  /** Why there may be more records than were listed, of any kind. */
  readonly blind: string | undefined;
}

/** After every other position: decisions that were not even listed may be there. */
const LAST: Position = { runNumber: Infinity, runAttempt: Infinity, n: Infinity };

/**
 * How often the agent was started: claims, each counted once, even if one was listed twice, or could be read in one
 * listing and not in another. A claim under which an output was reused or adopted started no agent.
 */
export function countClaims(own: UnitRecords): number {
  const unread = own.unknown.filter((name) => name.kind === 'started');
  const claims = new Set([...own.started, ...unread].map(placeOf));
  for (const ended of own.ended)
    if (ended.how !== 'ran' || ended.verdict.status === 'not-applicable') claims.delete(placeOf(ended));
  return claims.size;
}

/** A position within a run, as a lookup key. */
export function placeOf({ runAttempt, n }: Position): string {
  return `${runAttempt}.${n}`;
}

/** The latest claim, if no record is at or after its position. */
export function openClaim(own: UnitRecords): StartedRecord | undefined {
  const claim = own.started.at(-1);
  if (claim === undefined) return undefined;
  const answered = own.ended.some((ended) => comparePositions(ended, claim) >= 0);
  const unread = own.unknown.some((name) => name.kind === 'ended' && comparePositions(name, claim) >= 0);
  return answered || unread ? undefined : claim;
}

/**
 * Whether an attempt has the request and contract of the unit's latest claim in this run. An attempt that passed before
 * the request or the contract changed says nothing about the unit's current state; nor does any attempt while a later
 * record cannot be read.
 */
export function isLatestWork(ended: EndedRecord, own: UnitRecords): boolean {
  const claim = own.started.at(-1);
  const end = own.ended.at(-1)!;
  const latest = claim !== undefined && comparePositions(claim, end) >= 0 ? claim : end;
  if (own.unknown.some((name) => !name.kind.startsWith('decided') && comparePositions(name, latest) > 0)) return false;
  return ended.fingerprint === latest.fingerprint && ended.contract === latest.contract;
}

/**
 * Whether an agent was started for the same work since an attempt ended. With `max-age`, whatever came of that takes
 * the attempt's place: a user who wants no older output does not want that one. The clock does not decide this, or a
 * run that is over would be open again one day.
 */
export function isFollowed(ended: EndedRecord, { started }: Pick<UnitRecords, 'started'>): boolean {
  return started.some(
    (claim) =>
      claim.place !== undefined &&
      claim.fingerprint === ended.fingerprint &&
      claim.contract === ended.contract &&
      comparePositions(claim, ended) > 0,
  );
}

/** Whether an attempt ended with the request and contract of its claim, if the claim is known. */
export function claimMatches(ended: EndedRecord, claim: StartedRecord | undefined): boolean {
  return claim === undefined || (claim.fingerprint === ended.fingerprint && claim.contract === ended.contract);
}

/**
 * This run's decisions about the unit. If records may be missing, one of them may be a decision after everything else.
 */
export function decisionsOf(own: UnitRecords): UnitDecisions {
  if (own.blind !== undefined) return { decided: own.decided, unknownAt: LAST };
  const unknown = own.unknown.filter((name) => name.kind.startsWith('decided'));
  return { decided: own.decided, unknownAt: latestPosition(unknown) };
}

/**
 * Which of the unit's work is unknown, as a sentence: its latest unreadable record, or a listing that may be
 * incomplete.
 */
export function unreadWork(own: UnitRecords): string | undefined {
  const last = latestOf(own.unknown, 'ended') ?? latestOf(own.unknown, 'started');
  if (last !== undefined) {
    const what = last.kind === 'ended' ? 'result' : 'claim';
    return `the ${what} of attempt ${last.n} could not be read: ${last.why}`;
  }
  return own.blind && `it may have left a record: ${own.blind}`;
}

/** Which decision about the unit is unknown, as a sentence. */
export function unreadDecision({ unknown, blind, earlier }: UnitRecords): string {
  const last = latestOf(unknown, 'decided') ?? latestOf(earlier.unknown, 'decided');
  if (last !== undefined) return `a decision about it could not be read: ${last.why}`;
  return `there may be a decision about it${blind === undefined ? '' : `: ${blind}`}`;
}

/** Does not depend on the order of the records. */
function latestOf(unread: readonly UnreadRecord[], kind: GatelineRecord['kind']): UnreadRecord | undefined {
  const ofKind = unread.filter((one) => one.kind.startsWith(kind));
  return ofKind.toSorted((a, b) => comparePositions(a, b) || (a.why < b.why ? -1 : 1)).at(-1);
}

/** The decisions with those of earlier runs, which apply to outputs made then. */
export function withEarlier(decisions: UnitDecisions, { earlier }: UnitRecords): UnitDecisions {
  if (earlier.decided.length + earlier.unknown.length === 0) return decisions;
  return {
    decided: [...earlier.decided, ...decisions.decided],
    unknownAt: decisions.unknownAt ?? latestPosition(earlier.unknown),
  };
}
