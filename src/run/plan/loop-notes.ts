import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import { iterationOf } from '../records/reworks.ts';
import type { UnitGraph } from '../records/unit.ts';
import type { RunState } from '../state/run-state.ts';
import { iterationLimitOf, judgeLoop, loopsOf } from './loop.ts';

/** Notes for people about the loops of a run. */
export interface LoopNotes {
  /** A note after the reason of a unit: which iteration it is, or that no more are allowed. */
  readonly notes: ReadonlyMap<UnitKey, string>;
  /** A sentence about each loop that may not send its work back again. */
  readonly usedUp: readonly string[];
}

/**
 * The notes about the loops of a run.
 * @param maxIterations the limit of the call; it is not recorded, so later the pipeline's own is shown
 */
export function loopNotes(state: RunState, graph: UnitGraph, pipeline: Pipeline, maxIterations?: number): LoopNotes {
  const loops = loopsOf(pipeline);
  const notes = new Map<UnitKey, string>();
  const usedUp: string[] = [];
  for (const { key, gate, reworks } of state.units.values()) {
    const iteration = iterationOf(reworks);
    const limit = iterationLimitOf(loops, gate);
    const most = limit && (maxIterations ?? limit);
    const of = most === undefined ? '' : ` of ${Math.max(iteration, most)}`;
    if (iteration > 1) notes.set(key, `iteration ${iteration}${of}`);
  }
  for (const loop of loops) {
    const choice = judgeLoop(loop, graph, state, { maxIterations, maxReworks: pipeline.maxReworks });
    if (choice.choice !== 'used-up') continue;
    const { reason, iterations } = choice;
    const what = iterations === undefined ? reason : `iterations used up: ${iterations} of ${iterations}`;
    const more = iterations === undefined ? '' : '; `--max-iterations N` allows more';
    usedUp.push(`${loop.cause} sends nothing back: ${what}${more}.`);
    for (const { key, gate, done } of state.units.values())
      if (loop.gates.includes(gate) && !done) notes.set(key, what);
  }
  return { notes, usedUp };
}
