import type { UnitKey } from '../../src/pipeline/pipeline.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import { foldRun } from '../../src/run/state/fold.ts';
import { nextAttempt } from '../../src/run/state/numbering.ts';
import {
  recordName,
  unitOf,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../../src/run/records/record.ts';
import { writerKey, type RunState } from '../../src/run/state/run-state.ts';
import { unitsOf, type UnitGraph } from '../../src/run/records/unit.ts';
import { contentOf, ended, FAILED, listing, ME, NOW, PASSED, PIPELINE, started, SUBJECT } from '../support/records.ts';
import { pipelineOf } from '../support/pipelines.ts';
import type { Model } from './explore.ts';

/**
 * The protocol by which the jobs of one call share out gates, with the real fold, numbering and names in it.
 *
 * Each writer lists, claims, runs the agent and records what it came to, as four steps that any other writer's may
 * come between; it may die before any of them. A listing has all of the writer's own records and, of each other writer, all but
 * any number of the newest. Whether a writer has died is known at once, as is that its agent died with it.
 *
 * Bounds: one call, which all writers share; each writer tries each gate once (no retries); outputs are told apart by
 * gate and attempt; no output is reused from another run.
 */
export interface ProtocolOptions {
  /** Gate → the gates that it needs. */
  readonly gates: Readonly<Record<string, readonly string[]>>;
  readonly writers: number;
  /** Whether a claim is refused where one of that name exists. Without: it is always written. */
  readonly claims: boolean;
  /** Whether agents may fail. */
  readonly failures: boolean;
}

export interface WriterState {
  readonly records: readonly GatelineRecord[];
  /** Gates that it has had its go at. */
  readonly tried: readonly string[];
  /** The claim that it is about to write, or holds. */
  readonly claim: StartedRecord | undefined;
  readonly phase: 'idle' | 'listed' | 'claimed' | 'ran' | 'dead';
  /** What its agent came to, before that is recorded. */
  readonly result: EndedRecord | undefined;
}

export type ProtocolState = readonly WriterState[];

const IDLE: WriterState = { records: [], tried: [], claim: undefined, phase: 'idle', result: undefined };
const CALL = { runNumber: 1, runAttempt: 1 };

export function protocol(options: ProtocolOptions): Model<ProtocolState> {
  const graph = unitsOf(
    pipelineOf(Object.fromEntries(Object.entries(options.gates).map(([id, needs]) => [id, { needs }]))),
  );
  const claimsOf = remembered(viewKey, (view: View) => possibleClaims(graph, view));
  const distinct = remembered(
    (state: ProtocolState, index: number) => `${textOf(state[index]!)}>${recordsKey(state)}`,
    (state, index) => distinctClaims(state, index, claimsOf),
  );
  const recorded = remembered(recordsKey, (state: ProtocolState) => recordedViolation(graph, state, options.claims));
  return {
    initial: Array.from({ length: options.writers }, () => IDLE),
    key: (state) => state.map(textOf).sort().join('|'),
    *next(state) {
      for (const [index, writer] of state.entries()) {
        const name = `writer ${index}`;
        const become = (more: Partial<WriterState>): ProtocolState => state.with(index, { ...writer, ...more });
        if (writer.phase === 'dead') continue;
        if (writer.phase === 'idle') {
          for (const claim of distinct(state, index)) {
            yield [`${name} lists and means to claim ${recordName(claim)}`, become({ phase: 'listed', claim })];
          }
        } else {
          yield [`${name} dies`, become({ phase: 'dead', claim: undefined, result: undefined })];
          yield* goOn(options, state, writer).map(
            (more) => [`${name}: ${writer.phase} → ${more.phase!}`, become(more)] as const,
          );
        }
      }
    },
    violation: (state) => runningViolation(state) ?? recorded(state),
  };
}

/** What a writer does after it has listed. */
function goOn(options: ProtocolOptions, state: ProtocolState, writer: WriterState): Partial<WriterState>[] {
  const claim = writer.claim!;
  if (writer.phase === 'listed') {
    const tried = [...writer.tried, claim.gate].sort();
    if (options.claims && isTaken(state, claim)) return [{ phase: 'idle', claim: undefined, tried }];
    return [{ phase: 'claimed', records: [...writer.records, claim], tried }];
  }
  if (writer.phase === 'claimed') {
    const { gate, n, needs, fingerprint } = claim;
    const output = contentOf(`${gate} ${n}`);
    const passed = ended({ gate, n, needs, fingerprint, verdict: PASSED, value: output, exports: output });
    const failed = ended({ gate, n, needs, fingerprint, verdict: FAILED });
    return (options.failures ? [passed, failed] : [passed]).map((result) => ({ phase: 'ran', result }));
  }
  return [{ phase: 'idle', records: [...writer.records, writer.result!], claim: undefined, result: undefined }];
}

/** What a listing holds, and whose writers are gone. */
interface View {
  /** Of each writer. */
  readonly records: readonly (readonly GatelineRecord[])[];
  readonly dead: readonly boolean[];
  /** Gates that are not up for a claim any more. */
  readonly tried: readonly string[];
}

function viewKey({ records, dead, tried }: View): string {
  const parts = records.map((list, index) => `${list.map(textOfRecord).join()}${dead[index]! ? '!' : ''}`);
  return `${tried.join()}:${parts.sort().join('|')}`;
}

function viewOf(
  state: ProtocolState,
  records = state.map((writer) => writer.records),
  tried: readonly string[] = [],
): View {
  return { records, dead: state.map(({ phase }) => phase === 'dead'), tried };
}

function recordsKey(state: ProtocolState): string {
  return viewKey(viewOf(state));
}

function signed<T extends GatelineRecord>(record: T, pid: number): T {
  return { ...record, by: { ...ME, pid } };
}

/** Every claim that the writer may come to mean to take, by whatever it may have seen. */
function distinctClaims(
  state: ProtocolState,
  index: number,
  claimsOf: (view: View) => readonly StartedRecord[],
): StartedRecord[] {
  const found = new Map<string, StartedRecord>();
  for (const seen of listings(state, index)) {
    for (const claim of claimsOf(viewOf(state, seen, state[index]!.tried))) found.set(textOfRecord(claim), claim);
  }
  return [...found.values()];
}

/** Everything that a listing may show: of each other writer all but any number of the newest records. */
function listings(state: ProtocolState, index: number): (readonly GatelineRecord[])[][] {
  return state.reduce<(readonly GatelineRecord[])[][]>(
    (before, { records }, other) => {
      const seen =
        other === index
          ? [records]
          : Array.from({ length: records.length + 1 }, (_, length) => records.slice(0, length));
      return before.flatMap((rest) => seen.map((some) => [...rest, some]));
    },
    [[]],
  );
}

/** The engine's own decision: what is not done, has its needs done, and is not somebody's at the moment. */
function possibleClaims(graph: UnitGraph, view: View): StartedRecord[] {
  const { units } = fold(graph, view);
  return [...graph.values()].flatMap(({ key, needs }) => {
    const unit = units.get(key)!;
    if (
      unit.done ||
      unit.status === 'running' ||
      view.tried.includes(key) ||
      !needs.every((need) => units.get(need)!.done)
    )
      return [];
    const given = Object.fromEntries(needs.map((need) => [need, units.get(need)!.exports!.digest]));
    const n = nextAttempt(listing(view.records.flat()), CALL, key);
    return [started({ gate: key, n, needs: given, fingerprint: digestOf(JSON.stringify([key, given])) })];
  });
}

function fold(graph: UnitGraph, { records, dead }: View): RunState {
  const all = records.flatMap((list, pid) => list.map((record) => signed(record, pid)));
  const deadWriters = new Set(dead.flatMap((gone, pid) => (gone ? [writerKey({ ...ME, pid })] : [])));
  return foldRun(graph, listing(all), { pipeline: PIPELINE, subject: SUBJECT }, { now: NOW, deadWriters });
}

function isTaken(state: ProtocolState, record: GatelineRecord): boolean {
  const name = recordName(record);
  return state.some(({ records }) => records.some((other) => recordName(other) === name));
}

/** What must never be true of the agents that are running. */
function runningViolation(state: ProtocolState): string | undefined {
  const running = state.filter(({ phase }) => phase === 'claimed' || phase === 'ran').map(({ claim }) => claim!);
  const gates = running.map(({ gate }) => gate);
  return (
    repeated(gates, 'runs twice at the same time') ??
    withoutNeeds(
      running,
      state.flatMap(({ records }) => records),
    )
  );
}

/** What must never be true of the records. */
function recordedViolation(graph: UnitGraph, state: ProtocolState, claims: boolean): string | undefined {
  const names = state.flatMap(({ records }) => records.map(recordName));
  return (
    repeated(names, 'was written by two') ??
    runWithoutReason(state) ??
    unsoundFold(graph, fold(graph, viewOf(state)), claims)
  );
}

function repeated(names: readonly string[], what: string): string | undefined {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `${twice} ${what}`;
}

/** A gate runs again with the same needs only where it failed before, or who ran it died. */
function runWithoutReason(state: ProtocolState): string | undefined {
  const starts = state.flatMap(({ records, phase }) =>
    records.flatMap((record) => {
      if (record.kind !== 'started') return [];
      const end = records.find((other) => other.kind === 'ended' && other.gate === record.gate && other.n === record.n);
      return [{ record, open: phase === 'dead' || (end?.kind === 'ended' && end.verdict.status === 'failed') }];
    }),
  );
  for (const { record } of starts) {
    const earlier = starts.find(
      (other) =>
        unitOf(other.record) === unitOf(record) &&
        other.record.n < record.n &&
        other.record.fingerprint === record.fingerprint &&
        !other.open,
    );
    if (earlier !== undefined)
      return `${recordName(record)} began though ${recordName(earlier.record)} was neither lost nor failed`;
  }
  return undefined;
}

/** An agent runs on outputs that are durable. */
function withoutNeeds(running: readonly StartedRecord[], records: readonly GatelineRecord[]): string | undefined {
  const durable = new Set<Digest | null>(
    records.flatMap((record) => (record.kind === 'ended' && record.exports ? [record.exports.digest] : [])),
  );
  const without = running.find(({ needs }) => Object.values(needs).some((digest) => !durable.has(digest)));
  return without === undefined ? undefined : `${recordName(without)} runs on outputs that nobody kept`;
}

function unsoundFold(graph: UnitGraph, state: RunState, claims: boolean): string | undefined {
  const exported = (key: UnitKey): Digest | null => state.units.get(key)!.exports?.digest ?? null;
  for (const [key, unit] of state.units) {
    if (!unit.done) continue;
    const stale = graph
      .get(key)!
      .needs.find((need) => !state.units.get(need)!.done || unit.ended?.needs[need] !== exported(need));
    if (stale !== undefined) return `${key} is done with other exports of ${stale} than it has`;
  }
  return claims && state.problems.length > 0 ? state.problems[0]!.message : undefined;
}

const writerTexts = new WeakMap<WriterState, string>();

function textOf(writer: WriterState): string {
  const known = writerTexts.get(writer);
  if (known !== undefined) return known;
  const { records, tried, claim, phase, result } = writer;
  const parts = [
    phase,
    tried.join(),
    records.map(textOfRecord).join(),
    claim && textOfRecord(claim),
    result && textOfRecord(result),
  ];
  const text = parts.join(';');
  writerTexts.set(writer, text);
  return text;
}

const recordTexts = new WeakMap<GatelineRecord, string>();

/** All that tells records of this model apart. */
function textOfRecord(record: GatelineRecord): string {
  const known = recordTexts.get(record);
  if (known !== undefined) return known;
  const verdict = record.kind === 'ended' ? record.verdict.status : '';
  const text = `${recordName(record)}${verdict}${record.fingerprint?.slice(7, 13) ?? ''}`;
  recordTexts.set(record, text);
  return text;
}

function remembered<A extends unknown[], T>(keyOf: (...args: A) => string, of: (...args: A) => T): (...args: A) => T {
  const known = new Map<string, T>();
  return (...args) => {
    const key = keyOf(...args);
    if (!known.has(key)) known.set(key, of(...args));
    return known.get(key)!;
  };
}
