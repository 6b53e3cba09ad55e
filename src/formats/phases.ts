import type { JsonValue } from '../json/json.ts';
import { groupStatus } from '../report/run-view.ts';
import type { UnitStatus, UnitView } from '../report/view.ts';
import type { Source } from './format.ts';

/** A gate with all its legs, because other systems have no legs. */
export interface Phase {
  readonly id: string;
  readonly agent: string;
  readonly units: readonly UnitView[];
  /** Of the leg that matters most. */
  readonly status: UnitStatus;
  /** Later gates may use it. */
  readonly done: boolean;
  /** ISO 8601 in UTC. Undefined: it has not started. */
  readonly started: string | undefined;
  /** ISO 8601 in UTC. Undefined: it has not ended. */
  readonly ended: string | undefined;
  /** Attempts after the first one, of all its legs. */
  readonly retries: number;
  readonly iteration: number;
  /** The agent's own label for its result; empty: none. */
  readonly result: string;
  /** Why it has no output, else the message of the agent, else the first issue; may be empty. */
  readonly message: string;
  /** By leg for a matrix gate. Undefined: no output. */
  readonly output: JsonValue | undefined;
}

/** The gates of a run, in the order of gateline.yml. */
export function phasesOf({ view, values }: Pick<Source, 'view' | 'values'>): Phase[] {
  return [...Map.groupBy(view.units, ({ gate }) => gate)].map(([id, units]) => {
    const attempts = units.flatMap((unit) => unit.attempts);
    const verdict = units.find((unit) => unit.verdict !== undefined)?.verdict;
    const outputs = units.flatMap(({ key, leg }) => (values.has(key) ? [[leg, values.get(key)!] as const] : []));
    const isOver = units.every((unit) => unit.attempts.length > 0 && unit.attempts.at(-1)!.ended !== undefined);
    const failure = verdict?.status === 'passed' ? undefined : verdict?.issues[0]?.message;
    const without = units.find(({ status }) => status === 'skipped' || status === 'lost');
    return {
      id,
      agent: units[0]!.agent,
      units,
      status: groupStatus(units),
      done: units.every(({ done }) => done),
      started: attempts.flatMap(({ started }) => started ?? []).toSorted()[0],
      ended: isOver
        ? attempts
            .flatMap(({ ended }) => ended ?? [])
            .toSorted()
            .at(-1)
        : undefined,
      retries: units.reduce((sum, unit) => sum + Math.max(0, unit.attempts.length - 1), 0),
      iteration: Math.max(1, ...units.map(({ iteration }) => iteration)),
      result: verdict?.result ?? '',
      message: without?.reason ?? verdict?.message ?? failure ?? '',
      output: outputs.some(([leg]) => leg !== '') ? Object.fromEntries(outputs) : outputs[0]?.[1],
    };
  });
}

/** An ISO 8601 time without fractions of a second, as other systems write it; empty: no time. */
export function secondsText(time: string | undefined): string {
  return (time ?? '').replace(/\.\d+(?=Z$)/, '');
}
