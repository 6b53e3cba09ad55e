import type { Attempt, Decided, Place } from './decision-facts.ts';
import { originOf } from './decision-log.ts';
import { DecisionPipeline } from './decision-pipeline.ts';

/** Which earlier outputs may be used in the place of a new one. */
export class DecisionReuse extends DecisionPipeline {
  /** The newest output that may be reused: of this subject, or else of another one. */
  protected reusable({ subject, run }: Place, gate: number, request: string): Attempt | undefined {
    const candidates = this.attempts(gate).filter((one) => {
      const isOfThisRun = one.subject === subject && one.run === run;
      // Another run did this work in several iterations: its last output is the one to reuse.
      if (one.request !== request && (one.base !== request || isOfThisRun)) return false;
      if (!this.isWhole(one) || !this.isYoung(one)) return false;
      // It may have been reused as the answer to this request before, and decided about as that.
      if (one.request !== request && !this.isGood(one, { request })) return false;
      return one.base === undefined || isOfThisRun || this.endedWell(one, one.subject === subject);
    });
    const own = candidates.findLast(
      (one) => one.subject === subject && (this.shapes[gate]!.reuse === 'auto' || one.run === run) && this.isGood(one),
    );
    if (own !== undefined || this.shapes[gate]!.reuse === 'never') return own;
    if (this.isSetAside(subject, run, gate, request)) return undefined;
    // Of another subject, what its agents said is looked for, and not where it reused that.
    return candidates.findLast(
      (one) => one.subject !== subject && one.how === 'ran' && this.isGood(one, { by: subject }),
    );
  }

  /** Whether its agent said it not too long ago. A clock that was set back says nothing about that. */
  protected isYoung(attempt: Attempt): boolean {
    const { maxAge } = this.shapes[attempt.gate]!;
    const age = this.outside.now() - originOf(attempt).time;
    return maxAge === undefined || (age >= 0 && age <= maxAge);
  }

  /** Decisions here that let no output of another subject take the place of a new attempt. */
  protected isSetAside(subject: string, run: number, gate: number, request: string): boolean {
    const decisions = this.decisions(subject, gate);
    const isForced = decisions.some(
      (one) =>
        one.decision === 'force' &&
        (one.run === run ||
          !this.attempts(gate).some(
            ({ subject: of, said, at, how }) => of === subject && said && how !== 'reused' && at > one.at,
          )),
    );
    const isSentBack = decisions.some((one) => one.decision === 'rework' && one.about!.request === request);
    const words = new Map<string, Decided>();
    for (const one of decisions) if (one.about?.request === request && this.isInForce(one)) words.set(one.actor, one);
    return isForced || isSentBack || [...words.values()].some(({ decision }) => decision === 'reject');
  }

  /** The output that `--keep` adopts: by the decisions of its own subject, if it meets the contract now. */
  protected lastGood(subject: string, gate: number): Attempt | undefined {
    const last = this.attempts(gate).findLast(
      (one) => one.subject === subject && this.isGood(one, { isForReuse: false, threshold: one.threshold }),
    );
    return last && this.isEnough(last, this.threshold(gate)) ? last : undefined;
  }

  /** What may be reused by the contract as it is now. What passed and waits for an approval waits where it is reused, too. */
  protected isGood(
    attempt: Attempt,
    {
      by = attempt.subject,
      isForReuse = true,
      threshold = this.threshold(attempt.gate),
      request,
    }: { by?: string; isForReuse?: boolean; threshold?: number; request?: string } = {},
  ): boolean {
    const { status, isOk } = this.standing(attempt, { isForReuse, by, threshold, ...(request && { request }) });
    return isOk || (status === 'paused' && this.isEnough(attempt, threshold));
  }

  /** Whether an output is good enough by itself. */
  protected isEnough({ gate, said }: Attempt, threshold: number): boolean {
    return said!.score >= threshold || this.shapes[gate]!.partial === 'continue';
  }
}
