import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Loop, LoopChoice } from '../../run/plan/loop.ts';
import type { DecidedRecord, EndedRecord, Position } from '../../run/records/record.ts';
import { descendantsOf, type Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';

/** The actor of decisions that Gateline makes by itself. */
const OURSELVES = 'gateline';

/** A loop that sends work back. */
export type SendBack = Extract<LoopChoice, { choice: 'send-back' }>;

/**
 * Sends work back: records the decisions of the given loops about their target, durable before anything runs again. If
 * another process has recorded the same decision, nothing is left to do.
 * @returns the units that are no longer done: the targets and everything downstream
 */
export async function sendBack(
  call: Call,
  loops: readonly { readonly loop: Loop; readonly choice: SendBack }[],
): Promise<ReadonlySet<UnitKey>> {
  const targets = new Set(loops.flatMap(({ choice }) => choice.targets));
  // All are about the same attempt, which is set aside by the first of them.
  const decisions = loops.flatMap(({ loop, choice }) =>
    choice.targets.map((unit) => decisionAbout(call, unit, loop, choice)),
  );
  for (const decision of decisions) await call.journal.write(decision);
  return new Set([...targets].flatMap(({ key }) => [key, ...descendantsOf(call.graph, key)]));
}

function decisionAbout(
  call: Call,
  unit: Unit,
  loop: Loop,
  { times, reason, failed, between }: SendBack,
): DecidedRecord {
  const { ended } = call.journal.state().units.get(unit.key)!;
  const over = [{ unit: unit.key, ended: ended! }, ...between];
  return {
    kind: 'decided',
    // The position of the attempt, if this call made it: the next one has the next number.
    ...call.journal.identity(unit, ended!.runAttempt === call.journal.call.runAttempt ? ended!.n : 0),
    decision: 'rework',
    actor: OURSELVES,
    reason: call.redactor.redactText(reason).slice(0, 4_096),
    fingerprint: ended!.fingerprint,
    ...(ended!.value && { output: ended!.value.digest }),
    rework: {
      cause: loop.cause,
      iteration: times,
      from: failed.map((one) => ({
        unit: one.unit,
        attempt: positionOf(one.ended),
        verdict: one.ended.verdict,
        ...(one.ended.value && { value: one.ended.value }),
      })),
      over: over.map((one) => ({ unit: one.unit, attempt: positionOf(one.ended) })),
    },
  };
}

function positionOf({ runNumber, runAttempt, n }: EndedRecord): Position {
  return { runNumber, runAttempt, n };
}
