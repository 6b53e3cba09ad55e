import type { Digest } from '../../json/digest.ts';
import type { Approval } from '../../pipeline/pipeline.ts';
import type { RecordListing } from './reading.ts';
import { comparePositions, type DecidedRecord, type EndedRecord, type Position } from './record.ts';

/**
 * A decision as it is used. `unverified`: any code that runs in the CI run may have written its record, in any person's
 * name.
 */
export type UsedDecision = DecidedRecord & { readonly unverified?: true };

/** Decisions that let gates run or pass. All others stop them or make them run again. */
const OPENING: ReadonlySet<DecidedRecord['decision']> = new Set([
  'approve',
  'skip',
  'adopt',
  'resume',
  'fork',
  'entity',
]);

/** The message for a person who waits for an approval on GitHub. */
export const HOW_TO_APPROVE = 'the summary of its job shows the command that approves it';

/**
 * The decision as it is used, `undefined` if it is ignored. If records prove nothing, a decision that opens a gate is
 * ignored: a forged one would replace the agent. One that closes a gate is used: at worst, work is repeated.
 */
export function usedDecision(
  decided: DecidedRecord,
  { unprovenDecisions, proven }: Pick<RecordListing, 'unprovenDecisions' | 'proven'>,
): UsedDecision | undefined {
  if (unprovenDecisions !== true || proven?.has(decided)) return decided;
  return OPENING.has(decided.decision) ? undefined : { ...decided, unverified: true };
}

/** The person who decided, if known: `maria`, or `maria (unverified)`. */
export function actorOf({ actor, unverified }: Pick<UsedDecision, 'actor' | 'unverified'>): string {
  return unverified ? `${actor} (unverified)` : actor;
}

/** The decisions about one unit, in order, and whether some could not be read. */
export interface UnitDecisions {
  readonly decided: readonly UsedDecision[];
  /** Position of the latest decision that exists but could not be read; it may be of any kind. */
  readonly unknownAt: Position | undefined;
}

export const NO_DECISIONS: UnitDecisions = { decided: [], unknownAt: undefined };

/** The decisions about an attempt since it ended. */
export type Ruling =
  | { readonly ruling: 'stands' }
  | { readonly ruling: 'approved'; readonly by: UsedDecision }
  | { readonly ruling: 'rejected'; readonly by: UsedDecision }
  | { readonly ruling: 'voided'; readonly by: UsedDecision }
  | { readonly ruling: 'unknown' };

/** Decisions after which an earlier attempt is no longer used. */
export const VOIDING: ReadonlySet<DecidedRecord['decision']> = new Set(['force', 'rollback', 'rework']);

/**
 * The effect of later decisions on an attempt. `force`, `rollback` and `rework` void it permanently. Of each person's
 * `approve` and `reject` the last one applies, and one `reject` outweighs every `approve`; an unreadable decision is
 * treated as one of any kind. Decisions about the source of a reused output apply to the reused output too; the
 * position of a source of another subject says nothing about the order of these decisions.
 * @param approval who may approve the unit's output
 */
export function rulingOn(
  attempt: Pick<EndedRecord, keyof Position | 'fingerprint' | 'source'> & Partial<Pick<EndedRecord, 'value'>>,
  decisions: UnitDecisions,
  now: string,
  approval?: Approval,
): Ruling {
  const made = madeAt(attempt);
  // At the position of an attempt it may have sent that attempt's work back.
  if (decisions.unknownAt !== undefined && comparePositions(decisions.unknownAt, made) >= 0)
    return { ruling: 'unknown' };
  const lastWords = new Map<string, UsedDecision>();
  let sentBack: UsedDecision | undefined;
  for (const decision of decisions.decided) {
    const later = comparePositions(decision, made);
    if (later < 0 || (later === 0 && decision.rework === undefined)) continue;
    if (decision.fingerprint !== null && decision.fingerprint !== attempt.fingerprint) continue;
    if (decision.output !== undefined && decision.output !== attempt.value?.digest) continue;
    if (VOIDING.has(decision.decision)) {
      // A person who asks for another attempt of work that was sent back is named, not who sent it back.
      if (decision.rework === undefined) return { ruling: 'voided', by: decision };
      sentBack ??= decision;
    }
    const approves = decision.decision === 'approve' && !expired(decision, now) && mayApprove(decision, approval);
    if (decision.decision === 'reject' || approves) lastWords.set(decision.actor, decision);
  }
  if (sentBack !== undefined) return { ruling: 'voided', by: sentBack };
  const words = [...lastWords.values()];
  const reject = words.findLast(({ decision }) => decision === 'reject');
  if (reject !== undefined) return { ruling: 'rejected', by: reject };
  const approve = words.toSorted(comparePositions).at(-1);
  return approve === undefined ? { ruling: 'stands' } : { ruling: 'approved', by: approve };
}

/** Where an output was made: that of a reused one of its subject is the attempt that it was reused from. */
export function madeAt(attempt: Pick<EndedRecord, keyof Position | 'source'>): Position {
  const { source } = attempt;
  const isOurs = source !== undefined && source.subject === undefined;
  return isOurs && comparePositions(source, attempt) < 0 ? source : attempt;
}

/** The person who required a new attempt, and the reason; `undefined`: there is none. */
export function askedAgain(ruling: Ruling): string | undefined {
  if (ruling.ruling !== 'voided' || ruling.by.rework !== undefined) return undefined;
  const what = ruling.by.decision === 'rollback' ? 'rolled it back' : 'asked for a new attempt';
  const why = ruling.by.reason === '' ? '' : `: ${ruling.by.reason}`;
  return `${actorOf(ruling.by)} ${what}${why}`;
}

/** Whether a person is one of those who may approve an output, and approved it for the commit that the run is about. */
export function mayApprove(
  { actor, commit }: Pick<DecidedRecord, 'actor' | 'commit'>,
  approval: Approval | undefined,
): boolean {
  if (approval === undefined) return true;
  const { by, notAuthor, perCommit, about } = approval;
  const isOneOf = (names: readonly string[]): boolean =>
    names.some((name) => name.toLowerCase() === actor.toLowerCase());
  if (by.length > 0 && !isOneOf(by)) return false;
  if (notAuthor && (about === undefined || about.authors.length === 0 || isOneOf(about.authors))) return false;
  return !perCommit || (commit !== undefined && commit === about?.commit);
}

/** The people who can approve, as part of a sentence; empty: anyone. */
export function approversText({ by, notAuthor, perCommit, about }: Approval): string {
  const names = by.length === 0 ? '' : ` by ${by.join(' or ')}`;
  const commit = about?.commit === undefined ? 'this commit' : `commit ${about.commit.slice(0, 7)}`;
  return `${names}${notAuthor ? ', not by the author of the change' : ''}${perCommit ? `, for ${commit}` : ''}`;
}

/** The approval of a unit's output for another request than the present one, if nobody has judged an output since. */
export function approvedBefore(
  decided: readonly UsedDecision[],
  fingerprint: Digest,
  now: string,
): UsedDecision | undefined {
  const last = decided.findLast(({ decision }) => decision === 'approve' || decision === 'reject');
  if (last?.decision !== 'approve' || expired(last, now)) return undefined;
  return last.fingerprint === null || last.fingerprint === fingerprint ? undefined : last;
}

/** The skip that is in force, if any: no later decision of a kind that ends a skip follows it. */
export function skipInForce(
  decisions: UnitDecisions,
  fingerprint: Digest | undefined,
  now: string,
): UsedDecision | undefined {
  const last = decisions.decided.findLast(({ decision }) => decision !== 'approve');
  if (last?.decision !== 'skip' || expired(last, now)) return undefined;
  if (decisions.unknownAt !== undefined && comparePositions(decisions.unknownAt, last) > 0) return undefined;
  if (last.fingerprint !== null && fingerprint !== undefined && last.fingerprint !== fingerprint) return undefined;
  return last;
}

/** The decisions about a run as a whole. */
export interface RunDecisions {
  /** The pause in force: nothing starts until somebody resumes the run. */
  readonly paused: UsedDecision | undefined;
  /** The last time that a pause was lifted. */
  readonly resumed: UsedDecision | undefined;
  /** The run is closed and will not be finished. */
  readonly closed: UsedDecision | undefined;
  /** The run is kept when old runs are removed. */
  readonly pinned: UsedDecision | undefined;
  /** The run began as a fork of another one. */
  readonly forked: UsedDecision | undefined;
  /** Why a decision about the run could not be read: it may be a pause. */
  readonly unread: string | undefined;
}

/** The decisions about a run that are in force. @param decided in any order */
export function runDecisions(decided: readonly UsedDecision[], unread?: string): RunDecisions {
  const ordered = decided.toSorted(comparePositions);
  const last = (...kinds: DecidedRecord['decision'][]): UsedDecision | undefined =>
    ordered.findLast(({ decision }) => kinds.includes(decision));
  const inForce = (begins: DecidedRecord['decision'], ends: DecidedRecord['decision']): UsedDecision | undefined => {
    const latest = last(begins, ends);
    return latest?.decision === begins ? latest : undefined;
  };
  return {
    paused: inForce('pause', 'resume'),
    resumed: last('resume'),
    closed: last('close'),
    pinned: inForce('pin', 'unpin'),
    forked: last('fork'),
    unread,
  };
}

/** The latest of the given positions. */
export function latestPosition(positions: readonly Position[]): Position | undefined {
  return positions.reduce<Position | undefined>(
    (a, b) => (a === undefined || comparePositions(b, a) > 0 ? b : a),
    undefined,
  );
}

/** Whether a decision was made for a time that is over. */
export function expired(decision: Pick<DecidedRecord, 'until'>, now: string): boolean {
  return decision.until !== undefined && Date.parse(decision.until) <= Date.parse(now);
}
