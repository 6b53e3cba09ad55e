import type { JsonValue } from '../json/json.ts';
import type { Gate } from '../pipeline/pipeline.ts';
import { iterationOf } from '../run/records/reworks.ts';
import { resultOf, worstStatus, type UnitState, type UnitStatus } from '../run/state/run-state.ts';
import type { ExportedRun } from './exchange.ts';

/** A gate with all its legs: other systems have no legs. */
export interface Phase {
  readonly gate: Gate;
  /** The worst of its legs. */
  readonly status: UnitStatus;
  /** Later gates may use it. */
  readonly done: boolean;
  readonly units: readonly UnitState[];
  /** ISO 8601; `undefined`: it did not begin, or did not end. */
  readonly started: string | undefined;
  readonly ended: string | undefined;
  /** Attempts after the first one, of all its legs. */
  readonly retries: number;
  readonly iteration: number;
  /** The agent's own label for its result, and its line about an output that passed or what is wrong. */
  readonly result: string;
  readonly message: string;
  /** Of a matrix gate by leg. `undefined`: there is none. */
  readonly output: JsonValue | undefined;
}

/** The gates of a run, each after those that it needs; otherwise in the order of the definition. */
export function phasesOf({ pipeline, graph, state, outputs }: ExportedRun): Phase[] {
  const byGate = Map.groupBy(state.units.values(), ({ gate }) => gate);
  const places = new Map([...graph.values()].map(({ gate }, place) => [gate.id, place]));
  const placeOf = ({ id }: Gate): number => places.get(id) ?? graph.size;
  const inOrder = pipeline.gates.toSorted((a, b) => placeOf(a) - placeOf(b));
  return inOrder.map((gate) => {
    const units = byGate.get(gate.id) ?? [];
    const verdict = units.map((unit) => resultOf(unit)?.verdict).find((one) => one !== undefined);
    const found = units.flatMap(({ key, leg }) => (outputs.has(key) ? [[leg, outputs.get(key)!] as const] : []));
    const isMatrix = found.some(([leg]) => leg !== '');
    const times = units.map((unit) => resultOf(unit));
    const begun = units.map((unit, index) => times[index]?.startedAt ?? unit.started?.at);
    return {
      gate,
      status: worstStatus(units.map(({ status }) => status)) ?? 'pending',
      done: units.length > 0 && units.every(({ done }) => done),
      units,
      started: begun.filter((time) => time !== undefined).toSorted()[0],
      ended: times.every((one) => one !== undefined)
        ? times
            .map((one) => one.at)
            .toSorted()
            .at(-1)
        : undefined,
      retries: units.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0),
      iteration: Math.max(1, ...units.map(({ reworks }) => iterationOf(reworks))),
      result: verdict?.result ?? '',
      // What is remarked about an output that passed is not a line of its agent.
      message: verdict?.message ?? (verdict?.status === 'passed' ? '' : (verdict?.issues[0]?.message ?? '')),
      output: isMatrix ? Object.fromEntries(found) : found[0]?.[1],
    };
  });
}
