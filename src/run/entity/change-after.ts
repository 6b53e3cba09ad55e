import { comparePositions, type DecidedRecord, type Position } from '../records/record.ts';

/**
 * Whether a change of an entity came after an attempt. Within a call the order of both says so: `n` counts the attempts
 * of each unit for itself.
 * @param order the place of the attempt's claim among those of its call that use entities; `undefined`: unknown
 */
export function isChangeAfter(change: DecidedRecord, attempt: Position, order: number | undefined): boolean {
  const isSameCall = change.runNumber === attempt.runNumber && change.runAttempt === attempt.runAttempt;
  if (!isSameCall) return comparePositions(change, attempt) > 0;
  return (change.entity?.order ?? Infinity) > (order ?? -Infinity);
}
