import { z } from 'zod';
import type { GateGroup } from '../../pipeline/pipeline.ts';
import { resultOf, UNIT_STATUSES, worstStatus, type RunState, type UnitState } from './run-state.ts';

/** A group of gates, as JSON views and state files show it. */
export const groupStateSchema = z.object({
  id: z.string(),
  /** Ids of its gates, as in the definition. */
  gates: z.array(z.string()),
  /** The worst status of its gates and their legs, as for a matrix gate. */
  status: z.enum(UNIT_STATUSES),
  /** All its gates are. */
  done: z.boolean(),
  /** When the first of its gates began; of each gate the latest attempt counts. `null`: none ran. */
  startedAt: z.string().nullable(),
  /** When the last of its gates ended. `null`: none ran, or one has no result yet. */
  endedAt: z.string().nullable(),
  /** The time between both. */
  durationMs: z.number().min(0).nullable(),
});
export type GroupState = z.infer<typeof groupStateSchema>;

/** The state of each group, in the order of the definition. A gate whose output is reused has taken no time. */
export function groupStates(state: RunState, groups: readonly Pick<GateGroup, 'id' | 'gates'>[]): GroupState[] {
  const unitsByGate = Map.groupBy(state.units.values(), ({ gate }) => gate);
  return groups.map(({ id, gates }) => {
    const units = gates.flatMap((gate) => unitsByGate.get(gate) ?? []);
    return {
      id,
      gates: [...gates],
      status: worstStatus(units.map(({ status }) => status)) ?? 'pending',
      done: units.every(({ done }) => done),
      ...timesOf(units),
    };
  });
}

const WITHOUT_WORK: ReadonlySet<string> = new Set(['skipped', 'not-applicable']);
const SETTLED: ReadonlySet<string> = new Set([...WITHOUT_WORK, 'paused', 'passed', 'partial', 'failed']);

function timesOf(units: readonly UnitState[]): Pick<GroupState, 'startedAt' | 'endedAt' | 'durationMs'> {
  const worked = units.filter(({ status, reused }) => !reused && !WITHOUT_WORK.has(status));
  const startedAt = inTime(worked.map((unit) => beginOf(unit))).at(0) ?? null;
  const isSettled = units.every(({ status }) => SETTLED.has(status));
  const endedAt = (isSettled ? inTime(worked.map((unit) => resultOf(unit)?.at)).at(-1) : undefined) ?? null;
  const length = startedAt === null || endedAt === null ? -1 : Date.parse(endedAt) - Date.parse(startedAt);
  return { startedAt, endedAt, durationMs: length >= 0 ? length : null };
}

function beginOf(unit: UnitState): string | undefined {
  if (unit.status === 'running' || unit.status === 'lost') return unit.started?.at;
  return resultOf(unit)?.startedAt;
}

function inTime(times: readonly (string | undefined)[]): string[] {
  return times.filter((time) => time !== undefined).toSorted((a, b) => Date.parse(a) - Date.parse(b));
}
