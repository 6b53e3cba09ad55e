import type { Digest } from './digest.ts';
import { comparePositions, type DecidedRecord, type EndedRecord, type Position } from './record.ts';

/** The decisions about one unit, in order, and whether there are some that could not be read. */
export interface UnitDecisions {
  readonly decided: readonly DecidedRecord[];
  /** Position of the latest decision that exists but could not be read; it may have been anything. */
  readonly unknownAt: Position | undefined;
}

/** What was decided about an attempt since it ended. */
export type Ruling =
  | { readonly ruling: 'stands' }
  | { readonly ruling: 'approved'; readonly by: DecidedRecord }
  | { readonly ruling: 'rejected'; readonly by: DecidedRecord }
  | { readonly ruling: 'voided'; readonly by: DecidedRecord }
  | { readonly ruling: 'unknown' };

/**
 * What the decisions since an attempt make of it. `force` and `rollback` void it for good; of `approve` and
 * `reject` the later one counts; an unreadable decision counts as one that might have been any of them.
 * A reused output is what its source made: what was decided about that counts for it too.
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

/** The skip that is in force, if any: the latest decision of a kind that ends a skip must not come after it. */
export function skipInForce(
  decisions: UnitDecisions,
  fingerprint: Digest | undefined,
  now: string,
): DecidedRecord | undefined {
  const last = decisions.decided.findLast((decision) => decision.decision !== 'approve');
  if (last?.decision !== 'skip' || expired(last, now)) return undefined;
  if (decisions.unknownAt !== undefined && comparePositions(decisions.unknownAt, last) > 0) return undefined;
  if (last.fingerprint !== null && fingerprint !== undefined && last.fingerprint !== fingerprint) return undefined;
  return last;
}

/** The latest of some positions. */
export function latestPosition(positions: readonly Position[]): Position | undefined {
  return positions.reduce<Position | undefined>(
    (a, b) => (a === undefined || comparePositions(b, a) > 0 ? b : a),
    undefined,
  );
}

function expired(decision: DecidedRecord, now: string): boolean {
  return decision.until !== undefined && Date.parse(decision.until) <= Date.parse(now);
}
