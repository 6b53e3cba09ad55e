import { placeOf } from './unit-records.ts';
import type { UsedDecision } from './decisions.ts';
import type { DecidedRecord, Position } from './record.ts';
import { z } from 'zod';
import { digestSchema } from '../../json/digest.ts';
import { ID_PATTERN } from '../../pipeline/pipeline.ts';

/** A decision that sends a unit's work back. */
export type ReworkDecision = UsedDecision & { readonly rework: NonNullable<DecidedRecord['rework']> };

/**
 * The decisions of one run that sent a unit's work back and are in force, in order. When a person asks for a new
 * attempt the loop begins anew, unless it is one of the same iteration.
 * @param decided about the unit, in order
 */
export function reworksIn(decided: readonly UsedDecision[]): ReworkDecision[] {
  const reset = decided.findLastIndex(
    ({ decision, keepsIterations }) =>
      (decision === 'force' && keepsIterations === undefined) || decision === 'rollback',
  );
  return decided.slice(reset + 1).filter((one): one is ReworkDecision => one.rework !== undefined);
}

/** The decisions that sent back the latest attempt: several gates may have failed on it. */
export function lastRound(reworks: readonly ReworkDecision[]): ReworkDecision[] {
  const last = reworks.at(-1);
  return last === undefined ? [] : reworks.filter((one) => sentBack(one) === sentBack(last));
}

/** Which time the work is done: 1 plus the number of attempts that were sent back. */
export function iterationOf(reworks: readonly ReworkDecision[]): number {
  return 1 + new Set(reworks.map(sentBack)).size;
}

/** How often a gate or group sent the work back. */
export function timesSentBackBy(cause: string, reworks: readonly ReworkDecision[]): number {
  return reworks.filter(({ rework }) => rework.cause === cause).length;
}

/** The attempt that was sent back, as a lookup key. */
function sentBack({ rework }: ReworkDecision): string {
  const attempt: Position | undefined = rework.over[0]?.attempt;
  return attempt === undefined ? '' : `${attempt.runNumber}.${placeOf(attempt)}`;
}

const count = z.int().min(1).max(9_999);
const counts = z.record(z.string().regex(ID_PATTERN), count);
/** The end of an attempt in the run that is resumed, by the digest of its record. */
const end = z.strictObject({ unit: z.string().min(1).max(200), digest: digestSchema });

/**
 * The work that a run on GitHub does again, from the event that started it. No job can change the event, so its counts
 * limit the loops, and its digests say which records of the resumed run are used.
 */
export const givenReworkSchema = z.strictObject({
  /** How many runs of this chain were started to do work again, this one included. */
  count,
  /** The gate that does its work again. */
  target: z.string().regex(ID_PATTERN),
  /** By gate that did its work again in this chain: which time this is. */
  iterations: counts,
  /** How often each gate or group sent work back in this chain. */
  sent: counts,
  /** The outputs that failed. */
  from: z.array(end).min(1).max(1_000),
  /** Attempts whose files the target starts from: its own that was sent back, then those of the gates after it. */
  over: z.array(end).min(1).max(1_000),
});

/** The work that a run on GitHub does again. */
export type GivenRework = z.infer<typeof givenReworkSchema>;
