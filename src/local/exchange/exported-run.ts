import { calledPipeline, type Call } from '../../engine/call/call.ts';
import { storedRequest } from '../../engine/call/content.ts';
import { hasRequest } from '../../engine/plan/earlier-work.ts';
import { handoffFrom } from '../../engine/plan/handoff.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { ExportedRun } from '../../formats/exchange.ts';
import { runKeyOf, type HistoryEntry } from '../../history/entry.ts';
import { historyOfRun } from '../../history/entry-of-run.ts';
import { estimatedTime, medianTimes } from '../../history/statistics/estimate.ts';
import { gatesOf } from '../../history/query.ts';
import type { Digest } from '../../json/digest.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import { documentPath } from '../../memory/documents.ts';
import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { Request } from '../../run/plan/request.ts';
import { handoffText } from '../../run/state/handoff.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { fileOf, type LoadedPipeline } from '../load-pipeline.ts';
import { historyIn } from '../local-ports.ts';
import { readDocuments } from '../memory/documents.ts';

/** Larger outputs are left out of the files of other systems. Bytes. */
const LARGEST_OUTPUT = 8 * 1_024 ** 2;

/** What is known of a run, besides its outputs and its own entry in the history. */
export interface RunWithoutOutputs extends Omit<ExportedRun, 'outputs' | 'history'> {
  /** Entries of other runs; one of this run is left out. */
  readonly others: readonly HistoryEntry[];
  /** The set that the subject belongs to. */
  readonly set?: string | undefined;
}

/** Where outputs are, and the means to show them. */
export interface ExportedWith {
  readonly store: Pick<RecordStore, 'get'>;
  readonly now: Date;
  readonly redact: (text: string) => string;
  /** Outputs that were read before; those that are read now are added. Default: none. */
  readonly known?: Map<Digest, JsonValue>;
}

/**
 * Collects what formats write about a run of this workspace.
 * @throws GatelineError `RUN_UNKNOWN` if no record of it exists
 */
export async function exportedRun(
  call: Call,
  state: RunState,
  place: Pick<LoadedPipeline, 'root' | 'pipeline'> & Partial<Pick<LoadedPipeline, 'path'>>,
  known?: Map<Digest, JsonValue>,
): Promise<ExportedRun> {
  const { root, path } = place;
  const { ports, assignment, redactor } = call;
  const pipeline = calledPipeline({ ...assignment, pipeline: place.pipeline });
  if (state.startedAt === undefined)
    throw new GatelineError('RUN_UNKNOWN', `there is no run of ${pipeline.id} for ${state.subject} yet`, {
      hint: '`gateline status --subjects` lists the subjects.',
    });
  const records = call.journal.records().filter(({ runNumber }) => runNumber === state.runNumber);
  const log = historyIn(place);
  const handoff = await handoffFrom(call, records);
  const medians = medianTimes(gatesOf(log, { pipeline: pipeline.id }));
  const run: RunWithoutOutputs = {
    state,
    pipeline: await withGivenMemory(call, state, pipeline),
    graph: call.graph,
    definition: path === undefined ? (ports.history?.definition ?? '') : fileOf({ root, path }),
    metadata: await metadataOf(call, state),
    records,
    others: await log.all(),
    set: assignment.set,
    documents: await readDocuments(root),
    handoff: handoff === undefined ? '' : handoffText(handoff),
    estimatedMs: estimatedTime(call.graph, new Set(call.graph.keys()), medians),
  };
  const redact = redactor.redactText;
  return withOutputs(run, { store: ports.store, now: ports.now(), redact, ...(known && { known }) });
}

/** The metadata of a run: that of its newest request, which may be none of the definition. */
async function metadataOf(call: Call, { runNumber }: RunState): Promise<JsonObject> {
  const own = call.journal.archive().records.filter((record) => record.runNumber === runNumber);
  const last = own.findLast(hasRequest);
  const request = last && (await storedRequest(call, last.request));
  return request?.metadata ?? call.assignment.metadata;
}

/** A pipeline whose gates also have the documents that a call asked for: their requests say it. */
async function withGivenMemory(call: Call, state: RunState, pipeline: Pipeline): Promise<Pipeline> {
  const units = [...state.units.values()];
  const gates = pipeline.gates.map(async (gate) => {
    const { id, memory, memoryIfAsked = [] } = gate;
    const open = memoryIfAsked.filter((name) => !memory.includes(name));
    const own = open.length === 0 ? [] : units.filter((unit) => unit.gate === id);
    const requests = await Promise.all(own.map(async (unit) => requestOf(call, unit)));
    const isGiven = (name: string): boolean =>
      requests.some((one) => Object.hasOwn(one?.inputs.files ?? {}, documentPath(name)));
    return { ...gate, memory: [...memory, ...open.filter(isGiven)] };
  });
  return { ...pipeline, gates: await Promise.all(gates) };
}

/** The request of a unit's output, or of the attempt that runs; `undefined`: there is none, or it was removed. */
async function requestOf(call: Call, unit: UnitState): Promise<Request | undefined> {
  const about = resultOf(unit) ?? unit.started;
  const claim = call.journal
    .archive()
    .started.get(unit.key)
    ?.findLast(({ fingerprint }) => fingerprint === about?.fingerprint);
  return claim && storedRequest(call, claim.request);
}

/** A run with its outputs and its entry in the history, and without secrets in its task, metadata and documents. */
export async function withOutputs(
  { others, set, ...run }: RunWithoutOutputs,
  { store, now, redact, known = new Map() }: ExportedWith,
): Promise<ExportedRun> {
  const { state, records, pipeline, metadata, documents } = run;
  const { entry } = historyOfRun({ state, records, groups: pipeline.groups, facts: {}, now: now.toISOString() });
  const isThis = (one: HistoryEntry): boolean => runKeyOf(one) === runKeyOf(entry);
  // No record says it: the call that ran the set wrote it into the history.
  const inSet = set ?? others.find(isThis)?.set;
  const history = [...others.filter((one) => !isThis(one)), { ...entry, ...(inSet !== undefined && { set: inSet }) }];
  return {
    ...run,
    pipeline: pipeline.task === undefined ? pipeline : { ...pipeline, task: redact(pipeline.task) },
    metadata: redacted(metadata, redact) as JsonObject,
    documents: documents.map(({ name, text }) => ({ name, text: redact(text) })),
    outputs: await outputsOf(store, state, known),
    history: history.toSorted((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0)),
  };
}

async function outputsOf(
  store: Pick<RecordStore, 'get'>,
  state: RunState,
  known: Map<Digest, JsonValue>,
): Promise<ReadonlyMap<UnitKey, JsonValue>> {
  const outputs = new Map<UnitKey, JsonValue>();
  for (const unit of state.units.values()) {
    const content = contentOf(unit);
    if (content === undefined || content.bytes > LARGEST_OUTPUT) continue;
    if (!known.has(content.digest)) {
      const read = await store.get(content.digest);
      const parsed = read.state === 'present' ? parseJson(read.value) : undefined;
      if (parsed?.ok !== true) continue;
      known.set(content.digest, parsed.value);
    }
    outputs.set(unit.key, known.get(content.digest)!);
  }
  return outputs;
}

function contentOf(unit: UnitState): { readonly digest: Digest; readonly bytes: number } | undefined {
  return unit.status === 'skipped' ? unit.decided?.exports : resultOf(unit)?.value;
}

function redacted(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, change)]));
}
