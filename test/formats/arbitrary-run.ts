import fc from 'fast-check';
import type { ExportedRun, ImportedGate, SourceFile, WrittenFile } from '../../src/formats/exchange.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { withOutputs } from '../../src/local/exchange/exported-run.ts';
import type { Gate, GateGroup, Pipeline, UnitKey } from '../../src/pipeline/pipeline.ts';
import { RUN_GATE, type GatelineRecord } from '../../src/run/records/record.ts';
import { unitsOf, type Unit } from '../../src/run/records/unit.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { decided, ended, exportsOf, gate, NOW, pipelineOf, started, stateOf } from '../report/fixtures.ts';
import { outputs, texts } from './arbitrary-values.ts';

/** What a unit comes to in a run. */
export interface Outcome {
  readonly end: 'passed' | 'partial' | 'failed' | 'running' | 'skipped' | 'nothing';
  readonly score: number;
  readonly output: JsonValue | undefined;
  readonly label: string;
  readonly message: string;
  readonly issue: string;
  readonly attempts: number;
}

const ends = fc.constantFrom<Outcome['end']>(
  ...(['passed', 'passed', 'passed', 'passed', 'partial', 'failed', 'running', 'skipped', 'nothing'] as const),
);

/** @param valuesOf outputs of the gates of this pipeline. Default: any */
const outcomes = (valuesOf: fc.Arbitrary<JsonValue>): fc.Arbitrary<Outcome> =>
  fc.record({
    end: ends,
    score: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 100, noNaN: true })),
    output: fc.option(valuesOf, { nil: undefined, freq: 6 }),
    label: texts.map((text) => text.slice(0, 200)),
    message: texts.map((text) => text.slice(0, 300)),
    issue: texts,
    attempts: fc.integer({ min: 1, max: 3 }),
  });

/** How a pipeline looks. */
export interface PipelineShape {
  /** Ids of its gates, in order. */
  readonly ids: readonly string[];
  /** Steps of gates side by side have groups. */
  readonly grouped?: boolean;
  readonly legs?: boolean;
}

/** Pipelines of steps one after another; each step is a gate, a gate with a matrix, or two gates side by side. */
function pipelines({ ids, grouped = false, legs = true }: PipelineShape): fc.Arbitrary<Pipeline> {
  const kinds = fc.constantFrom(
    ...(['gate', 'gate', 'gate', ...(legs ? ['legs'] : []), ...(grouped ? ['two'] : [])] as const),
  );
  return fc
    .record({
      kinds: fc.array(kinds, { minLength: ids.length, maxLength: ids.length }),
      count: fc.integer({ min: 1, max: ids.length }),
      mode: fc.constantFrom<GateGroup['mode']>('parallel', 'sequential'),
      continues: fc.boolean(),
      first: fc.constantFrom(0, 1),
      task: fc.option(
        texts.filter((text) => text.isWellFormed() && text.trim() !== ''),
        { nil: undefined },
      ),
      metadata: fc.record(
        {
          domain: texts,
          feature: texts,
          url: texts,
          userStory: texts,
          acceptanceCriteria: fc.array(texts, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    })
    .map((drawn) => {
      const gates: Gate[] = [];
      const groups: GateGroup[] = [];
      let before: string[] = [];
      for (let at = 0; at < drawn.count;) {
        const kind = drawn.kinds[at]!;
        const step = ids.slice(at, Math.min(drawn.count, at + (kind === 'two' ? 2 : 1)));
        for (const id of step)
          gates.push(
            gate(id, drawn.first + gates.length, {
              agent: `agent of ${id}`,
              needs: before,
              contract: {
                schema: undefined,
                score: '/score',
                threshold: 80,
                partial: drawn.continues ? 'continue' : 'block',
                checks: [],
              },
              ...(kind === 'legs' && { legs: ['x', 'y.z'].map((leg) => ({ id: leg, matrix: { leg } })) }),
            }),
          );
        if (step.length === 2) groups.push({ id: `group_${at}`, gates: step, mode: drawn.mode, onFail: undefined });
        before = step;
        at += step.length;
      }
      const { task, metadata } = drawn;
      return pipelineOf(gates, { id: 'p', groups, metadata, ...(task !== undefined && { task }) });
    });
}

/** A pipeline, and what each unit comes to if it is reached. */
export interface RunStory {
  readonly pipeline: Pipeline;
  readonly told: Readonly<Record<UnitKey, Outcome>>;
  readonly isRolledBack: boolean;
}

/**
 * Runs of small pipelines, in any state.
 * @param valuesOf outputs of gates. Default: any
 */
export function stories(shape: PipelineShape, valuesOf: fc.Arbitrary<JsonValue> = outputs): fc.Arbitrary<RunStory> {
  return pipelines(shape).chain((pipeline) =>
    fc.record({
      pipeline: fc.constant(pipeline),
      told: fc.record(Object.fromEntries([...unitsOf(pipeline).keys()].map((key) => [key, outcomes(valuesOf)]))),
      isRolledBack: fc.constantFrom(...Array<boolean>(9).fill(false), true),
    }),
  );
}

const SUBJECT = 'shop-cart';

/** Records of units in order; one whose need is not done has none. */
export async function exported({ pipeline, told, isRolledBack }: RunStory): Promise<ExportedRun> {
  /** What later gates get of each unit that is done. */
  const given = new Map<UnitKey, Digest | null>();
  const values = new Map<Digest, JsonValue>();
  const records: GatelineRecord[] = [];
  const graph = unitsOf(pipeline);
  for (const [minute, unit] of [...graph.values()].entries()) {
    const outcome = told[unit.key]!;
    if (!unit.needs.every((key) => given.has(key)) || outcome.end === 'nothing') continue;
    records.push(...recordsOf(unit, outcome, { pipeline, minute, values, given }));
    const isPartial = outcome.end === 'partial' && unit.gate.contract.partial === 'continue';
    if (outcome.end === 'skipped') given.set(unit.key, outcome.output === undefined ? null : valueOf(unit.key));
    else if (outcome.end === 'passed' || isPartial)
      given.set(unit.key, outcome.output === undefined ? null : exportsOf(unit.key).digest);
  }
  if (isRolledBack)
    records.push(decided(RUN_GATE, { pipeline, subject: SUBJECT, call: 2, minute: 58 }, { decision: 'rollback' }));
  const { state } = stateOf(records, { pipeline, subject: SUBJECT });
  const store = {
    get: (digest: Digest) => {
      return Promise.resolve({ state: 'present' as const, value: Buffer.from(JSON.stringify(values.get(digest))) });
    },
  };
  return withOutputs(
    {
      state,
      pipeline,
      graph,
      definition: 'gateline.yml',
      metadata: pipeline.metadata,
      records,
      others: [],
      documents: [],
      handoff: '',
      estimatedMs: undefined,
    },
    { store, now: new Date(NOW), redact: (text) => text },
  );
}

interface Making {
  readonly pipeline: Pipeline;
  readonly minute: number;
  /** Outputs by digest; those of the unit are added. */
  readonly values: Map<Digest, JsonValue>;
  readonly given: ReadonlyMap<UnitKey, Digest | null>;
}

function valueOf(key: UnitKey): Digest {
  return digestOf(`value of ${key}`);
}

function recordsOf(
  { gate: { id }, leg, key, needs: before }: Unit,
  outcome: Outcome,
  { pipeline, minute, values, given }: Making,
): GatelineRecord[] {
  const needs = Object.fromEntries(before.map((need) => [need, given.get(need)!]));
  const { end, score, output, label, message, issue, attempts } = outcome;
  const where = (n: number) => ({ pipeline, subject: SUBJECT, leg: leg.id, minute, n });
  const value = { digest: valueOf(key), bytes: 30 };
  if (output !== undefined) values.set(value.digest, output);
  const made = output === undefined ? {} : { value, exports: exportsOf(key) };
  if (end === 'skipped')
    return [decided(id, where(0), { decision: 'skip', ...(output !== undefined && { exports: value }) })];
  const tries = Array.from({ length: attempts }, (_, at) => at + 1);
  return tries.flatMap((n): GatelineRecord[] => {
    if (end === 'running' && n === attempts) return [started(id, where(n), { needs })];
    const issues = [{ severity: 'error' as const, message: issue }];
    const failed: Verdict = { status: 'failed', kind: 'check', score, issues, advice: '' };
    const status = end === 'passed' ? 'passed' : 'partial';
    const good: Verdict = { ...failed, status, kind: status, result: label, ...(end === 'passed' && { message }) };
    const { value: _, exports: __, ...record } = ended(id, where(n), { needs });
    return [
      started(id, where(n), { needs }),
      { ...record, verdict: n < attempts || end === 'failed' ? failed : good, ...made },
    ];
  });
}

/** What a format wrote, as files to be read. */
export function filesOf(written: readonly WrittenFile[]): SourceFile[] {
  return written.map(({ path, text }) => ({ path, bytes: Buffer.from(text), modified: 0 }));
}

/** The outputs of a run by gate, those of a matrix gate by leg. */
export function outputsByGate({ pipeline, outputs: all }: ExportedRun): Map<string, JsonValue> {
  return new Map(
    pipeline.gates.flatMap(({ id, legs }): [string, JsonValue][] => {
      const found = legs.flatMap((leg): [string, JsonValue][] => {
        const key = leg.id === '' ? id : `${id}/${leg.id}`;
        return all.has(key) ? [[leg.id, all.get(key)!]] : [];
      });
      if (found.length === 0) return [];
      return [[id, legs[0]!.id === '' ? found[0]![1] : Object.fromEntries(found)]];
    }),
  );
}

/** Imported gates that are completed, with their outputs. */
export function completed(gates: readonly ImportedGate[]): Map<string | number, JsonValue> {
  return new Map(gates.flatMap(({ gate: name, output }) => (output === undefined ? [] : [[name, output]])));
}
