import { counted } from '../../verdict/value-texts.ts';
import type { OnFail, Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import { comparePositions, type EndedRecord } from '../records/record.ts';
import { timesSentBackBy } from '../records/reworks.ts';
import { ancestorsOf, descendantsOf, type Unit, type UnitGraph } from '../records/unit.ts';
import type { RunState, UnitState, UnitStatus } from '../state/run-state.ts';

/** A gate, or a group judged together, that sends work back when it fails. */
export interface Loop {
  /** Id of the gate or group. */
  readonly cause: string;
  readonly gates: readonly string[];
  readonly onFail: OnFail;
}

/** Limits that a caller sets for one call. */
export interface LoopLimits {
  /** Overrides the limit of every loop. */
  readonly maxIterations?: number | undefined;
  readonly maxReworks?: number | undefined;
  /** How often work was sent back before, if the records of the run have no part in that. */
  readonly sent?: SentCounts | undefined;
}

/** How often work was sent back. */
export interface SentCounts {
  /** By gate or group. */
  readonly by: Readonly<Record<string, number>>;
  /** By all of them together. */
  readonly all: number;
}

/** The next step of a loop whose gates have ended. */
export type LoopChoice =
  | { readonly choice: 'none' }
  /** The gates that have ended would send work back, and these units have not ended. */
  | { readonly choice: 'await'; readonly units: readonly UnitKey[] }
  /** A judged gate failed, and the work may not be sent back again. */
  | {
      readonly choice: 'used-up';
      readonly reason: string;
      /** How often the target has run. `undefined`: another limit than that of the loop is reached. */
      readonly iterations?: number;
    }
  | {
      readonly choice: 'send-back';
      readonly reason: string;
      /** The units that do their work again. */
      readonly targets: readonly Unit[];
      /** How often the cause has sent work back, this time included. */
      readonly times: number;
      /** The outputs that failed. */
      readonly failed: readonly { readonly unit: UnitKey; readonly ended: EndedRecord }[];
      /**
       * Attempts whose files the targets start from: their own, then those of done gates between them and the cause.
       */
      readonly over: readonly { readonly unit: UnitKey; readonly ended: EndedRecord }[];
    };

/** Every loop of a pipeline. A gate in a group with `on-fail` is judged with its group only. */
export function loopsOf({ gates, groups }: Pick<Pipeline, 'gates' | 'groups'>): Loop[] {
  const grouped = groups.flatMap(({ id, gates: members, onFail }) =>
    onFail === undefined ? [] : [{ cause: id, gates: members, onFail }],
  );
  const inGroup = new Set(grouped.flatMap((loop) => loop.gates));
  const single = gates.flatMap(({ id, onFail }) =>
    onFail === undefined || inGroup.has(id) ? [] : [{ cause: id, gates: [id], onFail }],
  );
  return [...grouped, ...single];
}

/** How often a gate may run, if one loop alone says so; `undefined`: no loop does, or several. */
export function iterationLimitOf(loops: readonly Loop[], gate: string): number | undefined {
  const [loop, ...others] = loops.filter(({ onFail }) => onFail.goto === gate);
  return others.length > 0 ? undefined : loop?.onFail.maxIterations;
}

const JUDGED: ReadonlySet<string> = new Set(['schema', 'score', 'check', 'result']);
const OPEN: ReadonlySet<UnitStatus> = new Set(['pending', 'ready', 'running', 'blocked', 'lost', 'paused']);
/** Open units that end without anybody's help. */
const AWAITED: ReadonlySet<UnitStatus> = new Set(['pending', 'ready', 'running', 'lost']);

/**
 * Whether a loop sends work back now: all its gates have ended, at least one was judged and is not good enough, and
 * none failed in another way (an agent that crashed says nothing about the work).
 */
export function judgeLoop(loop: Loop, graph: UnitGraph, state: RunState, limits: LoopLimits = {}): LoopChoice {
  const units = [...graph.values()].filter(({ gate }) => loop.gates.includes(gate.id));
  const states = units.map(({ key }) => state.units.get(key)!);
  const open = states.filter((one) => !one.done && OPEN.has(one.status));
  const choice = judgeEnded(loop, graph, state, {
    limits,
    failed: states.filter((one) => !one.done && !open.includes(one)),
  });
  if (open.length === 0) return choice;
  const isAwaited = choice.choice === 'send-back' && open.every(({ status }) => AWAITED.has(status));
  return isAwaited ? { choice: 'await', units: open.map(({ key }) => key) } : { choice: 'none' };
}

/** The next step of a loop if only these units failed. */
function judgeEnded(
  loop: Loop,
  graph: UnitGraph,
  state: RunState,
  { limits, failed }: { readonly limits: LoopLimits; readonly failed: readonly UnitState[] },
): LoopChoice {
  if (failed.length === 0 || !failed.every((one) => wasJudged(one, state.runNumber))) return { choice: 'none' };
  const targets = [...graph.values()].filter(({ gate }) => gate.id === loop.onFail.goto);
  if (targets.some(({ key }) => state.units.get(key)?.ended === undefined)) return { choice: 'none' };
  const reworks = targets.flatMap(({ key }) => state.units.get(key)!.reworks);
  const before = reworks.flatMap(({ rework }) => rework.from);
  const isOld = ({ key, ended }: UnitState): boolean =>
    before.some(({ unit, attempt }) => unit === key && comparePositions(attempt, ended!) === 0);
  // The new work looks the same to a gate that failed before: it has to look again.
  if (failed.some(isOld)) return { choice: 'none' };
  const { by, all } = limits.sent ?? countsIn(loop, targets, state);
  const times = 1 + (by[loop.cause] ?? 0);
  const most = limits.maxIterations ?? loop.onFail.maxIterations;
  if (times >= most)
    return {
      choice: 'used-up',
      reason: `${loop.onFail.goto} has run ${times} of ${counted(most, 'time')}`,
      iterations: times,
    };
  if (limits.maxReworks !== undefined && all >= limits.maxReworks)
    return {
      choice: 'used-up',
      reason: `work was sent back ${all === 1 ? 'once' : counted(all, 'time')}, as often as max-reworks allows`,
    };
  return {
    choice: 'send-back',
    reason: failed.map((one) => `${one.key}: ${one.reason}`).join('; '),
    targets,
    times,
    failed: failed.map(({ key, ended }) => ({ unit: key, ended: ended! })),
    over: [
      ...targets.map(({ key }) => ({ unit: key, ended: state.units.get(key)!.ended! })),
      ...gatesBetween(graph, state, targets, failed),
    ],
  };
}

/** The counts of a loop, by the records of its run. Legs of one gate are sent back together, and count once. */
function countsIn({ cause }: Loop, targets: readonly Unit[], state: RunState): SentCounts {
  const all = [...Map.groupBy(state.units.values(), ({ gate }) => gate).values()].flatMap((legs) => {
    const causes = new Set(legs.flatMap(({ reworks }) => reworks.map(({ rework }) => rework.cause)));
    return [...causes].map((one) => timesSentBack(one, legs));
  });
  const own = timesSentBack(
    cause,
    targets.map(({ key }) => state.units.get(key)!),
  );
  return { by: { [cause]: own }, all: all.reduce((sum, times) => sum + times, 0) };
}

/** How often a gate or group sent back the work of a gate with these legs. */
function timesSentBack(cause: string, legs: readonly Pick<UnitState, 'reworks'>[]): number {
  return Math.max(...legs.map(({ reworks }) => timesSentBackBy(cause, reworks)));
}

function wasJudged({ ended, decided }: UnitState, runNumber: number): boolean {
  if (ended === undefined || decided !== undefined || ended.runNumber !== runNumber) return false;
  return ended.verdict.status === 'partial' || JUDGED.has(ended.verdict.kind);
}

function gatesBetween(
  graph: UnitGraph,
  state: RunState,
  targets: readonly Unit[],
  failed: readonly UnitState[],
): { unit: UnitKey; ended: EndedRecord }[] {
  const after = new Set(targets.flatMap(({ key }) => descendantsOf(graph, key)));
  const before = new Set(failed.flatMap(({ key }) => ancestorsOf(graph, key)));
  return [...graph.keys()].flatMap((unit) => {
    const { done, ended } = state.units.get(unit)!;
    const isBetween = after.has(unit) && before.has(unit) && done && ended !== undefined && ended.files.length > 0;
    return isBetween ? [{ unit, ended }] : [];
  });
}
