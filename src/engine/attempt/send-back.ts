import type { UnitKey } from '../../pipeline/pipeline.ts';
import { loopsOf, type Loop, type LoopChoice } from '../../run/plan/loop.ts';
import {
  unitOf,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type Position,
} from '../../run/records/record.ts';
import type { ReworkDecision } from '../../run/records/reworks.ts';
import { descendantsOf, type Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';

/** The actor of decisions that Gateline makes by itself. */
const OURSELVES = 'gateline';

/** A loop that sends work back. */
export type LoopSendBack = Extract<LoopChoice, { choice: 'send-back' }>;

/**
 * Sends work back: records the decisions of the given loops about their target, durable before anything runs again. If
 * another process has recorded the same decision, nothing is left to do.
 * @returns the units that are no longer done: the targets and everything downstream
 */
export async function sendBack(
  call: Call,
  loops: readonly { readonly loop: Loop; readonly choice: LoopSendBack }[],
): Promise<ReadonlySet<UnitKey>> {
  const targets = new Set(loops.flatMap(({ choice }) => choice.targets));
  // All are about the same attempt, which is set aside by the first of them.
  for (const decision of decisionsOf(call, loops)) await call.journal.write(decision);
  return new Set([...targets].flatMap(({ key }) => [key, ...descendantsOf(call.graph, key)]));
}

/**
 * Sends back the legs that a killed call did not reach: each leg of a gate has its own decision. Not for legs that come
 * from an output: they may be newer than the decision.
 */
export async function completeSendBack(call: Call): Promise<void> {
  for (const { cause, onFail } of loopsOf(call.assignment.pipeline)) {
    const legs = [...call.graph.values()].filter(({ gate }) => gate.id === onFail.goto && gate.legsFrom === undefined);
    const last = legs
      .flatMap((unit) => sentBackBy(call, unit, cause))
      .toSorted(byIteration)
      .at(-1);
    for (const unit of last === undefined ? [] : legs) await sendBackToo(call, unit, last!);
  }
}

function sentBackBy({ journal }: Call, { key }: Unit, cause: string): ReworkDecision[] {
  return journal
    .state()
    .units.get(key)!
    .reworks.filter(({ rework }) => rework.cause === cause);
}

function byIteration(a: ReworkDecision, b: ReworkDecision): number {
  return a.rework.iteration - b.rework.iteration;
}

/** Records for a leg what was recorded for another one, unless it was, or something has happened since. */
async function sendBackToo(call: Call, unit: Unit, { unverified: _, ...sent }: ReworkDecision): Promise<void> {
  const { journal } = call;
  const { cause, iteration } = sent.rework;
  const { ended } = journal.state().units.get(unit.key)!;
  const isSent = sentBackBy(call, unit, cause).some(({ rework }) => rework.iteration === iteration);
  // Calls order what different legs did, positions within a call do not.
  const isNewer = (one: GatelineRecord): boolean =>
    one.runNumber === sent.runNumber && one.runAttempt > sent.runAttempt;
  const hasMoved = journal.records().some((one) => unitOf(one) === unit.key && isNewer(one));
  if (isSent || hasMoved || ended === undefined) return;
  await journal.write({
    ...sent,
    ...journal.identity(unit, 0),
    fingerprint: ended.fingerprint,
    ...(ended.value && { output: ended.value.digest }),
    rework: { ...sent.rework, over: [{ unit: unit.key, attempt: positionOf(ended) }, ...sent.rework.over.slice(1)] },
  });
}

/** The decisions of the given loops about their target: one for each loop and unit. */
export function decisionsOf(
  call: Pick<Call, 'journal' | 'redactor'>,
  loops: readonly { readonly loop: Loop; readonly choice: LoopSendBack }[],
): DecidedRecord[] {
  return loops.flatMap(({ loop, choice }) => choice.targets.map((unit) => decisionAbout(call, unit, loop, choice)));
}

function decisionAbout(
  call: Pick<Call, 'journal' | 'redactor'>,
  unit: Unit,
  loop: Loop,
  { times, reason, failed, over: all, targets }: LoopSendBack,
): DecidedRecord {
  const others = new Set(targets.map(({ key }) => key));
  others.delete(unit.key);
  const over = all
    .filter((one) => !others.has(one.unit))
    .toSorted((a, b) => Number(b.unit === unit.key) - Number(a.unit === unit.key));
  const { ended } = over[0]!;
  return {
    kind: 'decided',
    ...call.journal.identity(unit, latestOf(call, unit)),
    decision: 'rework',
    actor: OURSELVES,
    reason: call.redactor.redactText(reason).slice(0, 4_096),
    fingerprint: ended.fingerprint,
    ...(ended.value && { output: ended.value.digest }),
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

/**
 * The number of the latest attempt that this call made, so that the decision follows all of them: one that made an
 * earlier output again is sent back with it. 0 if it made none.
 */
function latestOf({ journal }: Pick<Call, 'journal'>, { key }: Unit): number {
  const { runNumber, runAttempt } = journal.call;
  const ended = journal.archive().ended.get(key) ?? [];
  return ended.findLast((one) => one.runNumber === runNumber && one.runAttempt === runAttempt)?.n ?? 0;
}

function positionOf({ runNumber, runAttempt, n }: EndedRecord): Position {
  return { runNumber, runAttempt, n };
}
