import type { UsedDecision } from './decisions.ts';
import { comparePositions, type EndedRecord, type Source } from './record.ts';

/** The subject, and on GitHub the workflow run, that reuses an output. */
interface Taker {
  readonly subject: string;
  /** GitHub only: id of the workflow run. */
  readonly runId?: string | undefined;
}

/**
 * The origin of an output, as the record of its reuse names it: the attempt whose agent produced it, or that adopted
 * it. Its subject and run are named if they are not the taker's.
 * @param decided decisions about the unit, of the subject that the output is read from
 * @param producedAt when its agent began, if the attempt is of another subject
 */
export function sourceOf(
  from: EndedRecord,
  us: Taker,
  decided: readonly UsedDecision[],
  producedAt = from.startedAt,
): Source {
  const own: Source = { runNumber: from.runNumber, runAttempt: from.runAttempt, n: from.n };
  const source = from.how === 'reused' ? (from.source ?? own) : own;
  const { runNumber, runAttempt, n, subject = from.subject, runId = from.by.runId, at = producedAt } = source;
  const isOther = subject !== us.subject;
  const iteration = from.how === 'ran' ? from.rework?.iteration : from.source?.iteration;
  const adopted = from.source?.adopted ?? adoptionOf(from, decided);
  return {
    runNumber,
    runAttempt,
    n,
    ...(isOther && { subject, at }),
    ...(runId !== undefined && runId !== us.runId && { runId }),
    ...(iteration !== undefined && { iteration }),
    ...(adopted && { adopted: { actor: adopted.actor, reason: adopted.reason } }),
  };
}

/** The decision by which an attempt adopted its output; `undefined`: it did not, or the decision is not known. */
export function adoptionOf(ended: EndedRecord, decided: readonly UsedDecision[]): UsedDecision | undefined {
  if (ended.how !== 'adopted') return undefined;
  return decided.findLast(
    (one) =>
      one.decision === 'adopt' &&
      one.runNumber === ended.runNumber &&
      comparePositions(one, ended) <= 0 &&
      (one.fingerprint === null || one.fingerprint === ended.fingerprint),
  );
}
