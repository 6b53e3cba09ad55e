import type { Gate, Pipeline, UnitKey } from '../pipeline/pipeline.ts';
import { groupStates, type GroupState } from '../run/state/group-states.ts';
import { worstStatus, resultOf, type RunState, type UnitState, type UnitStatus } from '../run/state/run-state.ts';
import { count, oneLine } from './text.ts';
import { durationOf, durationText, howOf, legName, messageOf, scoreFact, scoreText } from './wording.ts';

/** One line of the status table, as safe text; `heading` rows have only a name and a time. */
export interface StatusRow {
  readonly heading: boolean;
  /** The unit of the row; `undefined` for a heading and for a matrix gate as a whole. */
  readonly key: UnitKey | undefined;
  /** 0, or 1 for gates in a group, plus 1 for legs. */
  readonly depth: number;
  readonly number: string;
  readonly name: string;
  readonly status: UnitStatus | undefined;
  readonly how: string;
  readonly score: string;
  readonly time: string;
  readonly reason: string;
  /** The agent's line about an output that passed, in quotation marks; '' if there is none. */
  readonly message: string;
}

/**
 * The rows of a status table, in file order: each group's heading and gates at the position of its first gate, each
 * gate, and the legs of a matrix gate below it. A gate of several groups is shown in the first.
 */
export function statusRows(state: RunState, pipeline: Pick<Pipeline, 'gates' | 'groups'>, now?: string): StatusRow[] {
  const rows: StatusRow[] = [];
  const unitsByGate = Map.groupBy(state.units.values(), (unit) => unit.gate);
  const groupOf = new Map(
    pipeline.groups.toReversed().flatMap((group) => group.gates.map((gate) => [gate, group.id] as const)),
  );
  const groups = new Map(groupStates(state, pipeline.groups).map((group) => [group.id, group]));
  const shown = new Set<string>();
  for (const gate of pipeline.gates) {
    if (shown.has(gate.id)) continue;
    const group = groupOf.get(gate.id);
    const members = group === undefined ? [gate] : pipeline.gates.filter(({ id }) => groupOf.get(id) === group);
    if (group !== undefined)
      rows.push(
        headingRow(
          groups.get(group)!,
          members.flatMap(({ id }) => unitsByGate.get(id) ?? []),
          now,
        ),
      );
    for (const member of members) {
      shown.add(member.id);
      rows.push(...gateRows(member, unitsByGate.get(member.id) ?? [], group === undefined ? 0 : 1, now));
    }
  }
  return rows;
}

function gateRows(
  { id, number, legs, contract }: Gate,
  units: readonly UnitState[],
  depth: number,
  now: string | undefined,
): StatusRow[] {
  const [first] = units;
  if (first === undefined) return [];
  if (units.length === 1 && first.leg === '') return [unitRow(first, contract, String(number), id, depth, now)];
  return [
    matrixRow(units, String(number), id, depth),
    ...units.map((unit) => unitRow(unit, contract, '', legName({ id: unit.leg }, legs), depth + 1, now)),
  ];
}

function unitRow(
  unit: UnitState,
  contract: Gate['contract'],
  number: string,
  name: string,
  depth: number,
  now: string | undefined,
): StatusRow {
  const ended = resultOf(unit);
  return {
    heading: false,
    key: unit.key,
    depth,
    number,
    name: oneLine(name),
    status: unit.status,
    how: howOf(unit),
    score: (ended === undefined ? undefined : scoreFact(ended.verdict, contract)?.score) ?? '',
    time: durationText(durationOf(unit, now)),
    reason: reasonOf(unit),
    message: quoted(messageOf(unit)),
  };
}

/** In quotation marks, so that an agent's line is not read as ours. */
function quoted(message: string): string {
  return message === '' ? '' : `“${oneLine(message)}”`;
}

/** Leaves out what other columns already show: that it ran, once, and the score. */
function reasonOf(unit: UnitState): string {
  const isPlain = unit.done && unit.decided === undefined && howOf(unit) === 'ran';
  if (!isPlain) return oneLine(unit.reason);
  const n = resultOf(unit)?.n ?? 1;
  return n > 1 ? `attempt ${n}` : '';
}

function matrixRow(legs: readonly UnitState[], number: string, gate: string, depth: number): StatusRow {
  const status = worstStatus(legs.map((leg) => leg.status));
  const judged = legs.filter((leg) => leg.status !== 'not-applicable');
  const scores = judged.flatMap((leg) => resultOf(leg)?.verdict.score ?? []);
  const score = scores.length > 0 && scores.length === judged.length ? scoreText(Math.min(...scores)) : '';
  return {
    heading: false,
    key: undefined,
    depth,
    number,
    name: oneLine(gate),
    status,
    how: '',
    score,
    time: '',
    reason: doneText(legs, 'leg'),
    message: '',
  };
}

function headingRow(group: GroupState, units: readonly UnitState[], now: string | undefined): StatusRow {
  const { id, startedAt, durationMs } = group;
  const isRunning = startedAt !== null && now !== undefined && units.some(({ status }) => status === 'running');
  const time = isRunning ? Date.parse(now) - Date.parse(startedAt) : (durationMs ?? undefined);
  const name = `group ${oneLine(id)}: ${doneText(units, 'gate')}`;
  return {
    heading: true,
    key: undefined,
    depth: 0,
    number: '',
    name,
    status: undefined,
    how: '',
    score: '',
    time: durationText(time),
    reason: '',
    message: '',
  };
}

function doneText(units: readonly UnitState[], noun: string): string {
  return `${units.filter((unit) => unit.done).length} of ${count(units.length, noun)} done`;
}
