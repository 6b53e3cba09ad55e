import type { Digest } from '../../json/digest.ts';
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
export const NO_APPROVAL_YET =
  'approvals are not available on GitHub yet; push a change that raises the score, or change the contract (`threshold`, `partial`)';

/**
 * The decision as it is used, `undefined` if it is ignored. If records prove nothing, a decision that opens a gate is
 * ignored: a forged one would replace the agent. One that closes a gate is used: at worst, work is repeated.
 */
export function usedDecision(
  decided: DecidedRecord,
  { unprovenDecisions }: Pick<RecordListing, 'unprovenDecisions'>,
): UsedDecision | undefined {
  if (unprovenDecisions !== true) return decided;
  return OPENING.has(decided.decision) ? undefined : { ...decided, unverified: true };
}

/** Who decided, if known: `maria`, or `maria (unverified)`. */
export function actorOf({ actor, unverified }: Pick<UsedDecision, 'actor' | 'unverified'>): string {
  return unverified ? `${actor} (unverified)` : actor;
}

/** The decisions about one unit, in order, and whether some could not be read. */
export interface UnitDecisions {
  readonly decided: readonly UsedDecision[];
  /** Position of the latest decision that exists but could not be read; it may be of any kind. */
  readonly unknownAt: Position | undefined;
}

/** What was decided about an attempt since it ended. */
export type Ruling =
  | { readonly ruling: 'stands' }
  | { readonly ruling: 'approved'; readonly by: UsedDecision }
  | { readonly ruling: 'rejected'; readonly by: UsedDecision }
  | { readonly ruling: 'voided'; readonly by: UsedDecision }
  | { readonly ruling: 'unknown' };

/**
 * The effect of later decisions on an attempt. `force` and `rollback` void it permanently; of `approve` and `reject`
 * the later one applies; an unreadable decision is treated as one of any kind. Decisions about the source of a reused
 * output apply to the reused output too.
 */
export function rulingOn(
  attempt: Pick<EndedRecord, keyof Position | 'fingerprint' | 'source'>,
  decisions: UnitDecisions,
  now: string,
): Ruling {
  const { source } = attempt;
  const made: Position = source !== undefined && comparePositions(source, attempt) < 0 ? source : attempt;
  if (decisions.unknownAt !== undefined && comparePositions(decisions.unknownAt, made) > 0)
    return { ruling: 'unknown' };
  let ruling: Ruling = { ruling: 'stands' };
  for (const decision of decisions.decided) {
    if (comparePositions(decision, made) <= 0) continue;
    if (decision.fingerprint !== null && decision.fingerprint !== attempt.fingerprint) continue;
    if (decision.decision === 'force' || decision.decision === 'rollback') return { ruling: 'voided', by: decision };
    if (decision.decision === 'reject') ruling = { ruling: 'rejected', by: decision };
    if (decision.decision === 'approve' && !expired(decision, now)) ruling = { ruling: 'approved', by: decision };
  }
  return ruling;
}

/** The skip that is in force, if any: no later decision of a kind that ends a skip follows it. */
export function skipInForce(
  decisions: UnitDecisions,
  fingerprint: Digest | undefined,
  now: string,
): UsedDecision | undefined {
  const last = decisions.decided.findLast((decision) => decision.decision !== 'approve');
  if (last?.decision !== 'skip' || expired(last, now)) return undefined;
  if (decisions.unknownAt !== undefined && comparePositions(decisions.unknownAt, last) > 0) return undefined;
  if (last.fingerprint !== null && fingerprint !== undefined && last.fingerprint !== fingerprint) return undefined;
  return last;
}

/** The latest of the given positions. */
export function latestPosition(positions: readonly Position[]): Position | undefined {
  return positions.reduce<Position | undefined>(
    (a, b) => (a === undefined || comparePositions(b, a) > 0 ? b : a),
    undefined,
  );
}

function expired(decision: DecidedRecord, now: string): boolean {
  return decision.until !== undefined && Date.parse(decision.until) <= Date.parse(now);
}
