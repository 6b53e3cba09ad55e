import type { Gate, UnitKey } from '../../pipeline/pipeline.ts';
import type { AttemptRef } from '../../run/entry.ts';
import { attemptKey, type Rework } from '../../run/state.ts';
import type { Unit } from '../../run/units.ts';
import type { Call, Outcome } from '../call.ts';

/** The reworks of a gate in this run. */
function reworksOf({ state }: Call, target: string): readonly Rework[] {
  const run = state.current;
  return (run && !run.finalStatus && run.reworks.get(target)) || [];
}

/** The rework that a gate must answer in this run, and the units that have answered it. */
export function noteOf({ state }: Call, gate: string) {
  return state.current?.finalStatus ? undefined : state.current?.notes.get(gate);
}

function maxRounds({ order }: Call, gate: Gate): number {
  return (order.maxIterations ?? gate.onFail?.maxIterations ?? 1) - 1;
}

/**
 * How often a failed output may still send its work back. 0: iterations are used up, its rework was answered, or the
 * target does not apply or has no legs.
 */
export function iterationsLeft(call: Call, gate: Gate, attempt: AttemptRef): number {
  if (gate.onFail === undefined) return 0;
  const units = call.graph.unitsOf(gate.onFail.goto) ?? [];
  // A gate without legs, or whose condition is false, cannot answer.
  const isUnable = ({ key }: Unit) => call.outcomes.get(key)?.result === 'done' && !call.outcomes.get(key)?.checkpoint;
  if (units.length === 0 || units.some(isUnable)) return 0;
  const reworks = reworksOf(call, gate.onFail.goto);
  const index = reworks.findIndex(({ causes }) =>
    causes.some((cause) => attemptKey(cause.attempt) === attemptKey(attempt)),
  );
  if (index < 0) return Math.max(0, maxRounds(call, gate) - reworks.length);
  // This output sent the work back before. If that was answered, the answer changed no input of this gate.
  const note = noteOf(call, gate.onFail.goto);
  const isOpen =
    note !== undefined && note.rework === reworks[index] && units.some(({ key }) => !note.answered.has(key));
  return isOpen ? 1 : 0;
}

/**
 * Sends the work back, if outcomes of this call ask for it: one rework for the first target of their gates, with all
 * that failed as its causes. The outcomes of that gate and of all that need it are dropped.
 * @returns whether work was sent back
 */
export async function sendBack(call: Call): Promise<boolean> {
  const failed = [...call.outcomes].filter(([, { result }]) => result === 'sends-back');
  const target = failed.map(([key]) => call.graph.unit(key)!.gate.onFail!.goto)[0];
  if (target === undefined) return false;
  const causes = failed.filter(([key]) => call.graph.unit(key)!.gate.onFail!.goto === target);
  if (!isReworkOpen(call, target, causes)) {
    const iteration = reworksOf(call, target).length + 2;
    await call.write({
      ...call.entryHead(),
      kind: 'decided',
      decision: 'rework',
      actor: 'gateline',
      reason: `sent back by ${causes.map(([key]) => key).join(', ')}`,
      gate: target,
      iteration,
      causes: causes.map(([unit, { checkpoint, verdict }]) => ({
        unit,
        attempt: checkpoint!.attempt,
        output: checkpoint!.output!,
        verdict,
      })),
    });
    call.observe({ type: 'rework', gate: target, iteration, causes: causes.map(([key]) => key) });
  }
  for (const unit of call.graph.units)
    if (unit.gate.id === target || call.graph.ancestors(unit.gate.id).has(target)) call.outcomes.delete(unit.key);
  return true;
}

/** Whether a rework by the same outputs was recorded before a kill, and is not answered yet. */
function isReworkOpen(call: Call, target: string, causes: readonly (readonly [UnitKey, Outcome])[]): boolean {
  const note = noteOf(call, target);
  if (note === undefined) return false;
  const names = new Set(note.rework.causes.map(({ attempt }) => attemptKey(attempt)));
  const units = call.graph.unitsOf(target) ?? [];
  const isOpen = units.some(({ key }) => !note.answered.has(key));
  return isOpen && causes.every(([, { checkpoint }]) => names.has(attemptKey(checkpoint!.attempt)));
}
