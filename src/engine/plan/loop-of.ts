import { judgeLoop, loopsOf, type Loop, type LoopChoice } from '../../run/plan/loop.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';

/** A loop, and what happens to it now. */
export interface JudgedLoop {
  readonly loop: Loop;
  readonly choice: LoopChoice;
}

/** The loop that a unit's failure concerns. `undefined`: the unit is in no loop. */
export function loopOf(call: Call, { gate }: Unit): JudgedLoop | undefined {
  const loop = loopsOf(call.assignment.pipeline).find(({ gates }) => gates.includes(gate.id));
  return loop && judged(call, loop);
}

/** Every loop that sends work back to the same gate: that gate runs once for all of them. */
export function loopsBackTo(call: Call, target: string): JudgedLoop[] {
  const loops = loopsOf(call.assignment.pipeline).filter(({ onFail }) => onFail.goto === target);
  return loops.map((loop) => judged(call, loop));
}

function judged(call: Call, loop: Loop): JudgedLoop {
  const { pipeline, maxIterations } = call.assignment;
  const limits = { maxIterations, maxReworks: pipeline.maxReworks };
  return { loop, choice: judgeLoop(loop, call.graph, call.journal.state(), limits) };
}
