import { GatelineError } from '../../errors/gateline-error.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { loopsOf } from '../../run/plan/loop.ts';
import type { ReworkCause } from '../../run/plan/request.ts';
import { iterationOf, lastRound, type GivenRework } from '../../run/records/reworks.ts';
import { comparePositions, type EndedRecord, type FileChange } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';

/** The files of the earlier attempts, with which the next attempt starts. */
export interface ReworkFiles {
  /** Of the unit's own attempt that was sent back. */
  readonly own: readonly FileChange[];
  /** Of the gates between it and the gates that sent it back. */
  readonly between: readonly FileChange[];
}

/** Work of a unit that was sent back. */
export interface SentBackWork extends ReworkFiles {
  readonly iteration: number;
  readonly from: readonly ReworkCause[];
  /** The units that sent it back, if the records of the run do not say so. */
  readonly causes?: readonly UnitKey[];
}

/**
 * The work of a unit that was sent back; `undefined`: none. In CI every job of a run can write such a record. It can
 * keep an output from being used, but no part of it is used in a request. There the event of the run defines the
 * request.
 * @throws GatelineError `REWORK_UNVERIFIED`
 */
export function sentBackWork(
  call: Pick<Call, 'journal' | 'graph' | 'holder' | 'assignment'>,
  unit: Unit,
): SentBackWork | undefined {
  if (call.holder === 'job') {
    const given = call.assignment.rework;
    return given?.target === unit.gate.id ? givenWork(call, unit, given) : undefined;
  }
  const reworks = call.journal.state().units.get(unit.key)?.reworks ?? [];
  const round = lastRound(reworks).map(({ rework }) => rework);
  if (round.length === 0) return undefined;
  const over = round.flatMap((rework) => rework.over);
  const endOf = (key: UnitKey): EndedRecord | undefined => {
    const attempts = over.filter((one) => one.unit === key).map(({ attempt }) => attempt);
    const ended = call.journal.archive().ended.get(key) ?? [];
    return ended.findLast((one) => attempts.some((attempt) => comparePositions(one, attempt) === 0));
  };
  // In the order of the graph: decisions about one attempt have the same position, and so no order of their own.
  const failed = round.flatMap((rework) => rework.from);
  const from = [...call.graph.keys()].flatMap((key) => failed.filter((one) => one.unit === key));
  return {
    iteration: iterationOf(reworks),
    from,
    ...filesOver(
      call,
      unit,
      over.map((one) => one.unit),
      endOf,
    ),
  };
}

/** The files of a unit's own attempt, and of gates after it, in the order of the graph. */
function filesOver(
  { graph }: Pick<Call, 'graph'>,
  unit: Unit,
  over: readonly UnitKey[],
  endOf: (key: UnitKey) => EndedRecord | undefined,
): ReworkFiles {
  const after = new Set(over.filter((key) => graph.get(key)?.gate.id !== unit.gate.id));
  const between = [...graph.keys()].filter((key) => after.has(key)).flatMap((key) => endOf(key)?.files ?? []);
  return { own: endOf(unit.key)?.files ?? [], between };
}

/** Work that the event of a run names, from the records of the resumed run that it names by their digests. */
function givenWork(
  { journal, graph, assignment }: Pick<Call, 'journal' | 'graph' | 'assignment'>,
  unit: Unit,
  given: GivenRework,
): SentBackWork {
  const ends = [...given.from, ...given.over].map(({ unit: key, digest }) => {
    const ended = journal.archive().ended.get(key) ?? [];
    const found = ended.find((one) => digestOfJson(one as unknown as JsonValue) === digest);
    if (found === undefined) throw unverified(unit, key);
    return [key, found] as const;
  });
  const from = ends
    .slice(0, given.from.length)
    .map(([key, { verdict, value }]) => ({ unit: key, verdict, ...(value && { value }) }));
  const over = new Map(ends.slice(given.from.length));
  const loops = loopsOf(assignment.pipeline).filter(
    ({ cause, onFail }) => onFail.goto === given.target && given.sent[cause] !== undefined,
  );
  const gates = new Set(loops.flatMap((loop) => loop.gates));
  const causes = [...graph.values()].filter(({ gate }) => gates.has(gate.id)).map(({ key }) => key);
  const files = filesOver({ graph }, unit, [...over.keys()], (key) => over.get(key));
  return { iteration: given.iterations[given.target] ?? given.count + 1, from, causes, ...files };
}

function unverified({ key }: Unit, of: UnitKey): GatelineError {
  const message = `gate ${key}: the event of this run names an attempt of ${of}, and the resumed run has no such record`;
  return new GatelineError('REWORK_UNVERIFIED', message);
}
