import type { Call } from '../../engine/call/call.ts';
import { handoffFrom } from '../../engine/plan/handoff.ts';
import type { ExportedRun } from '../../formats/exchange.ts';
import { runKeyOf } from '../../history/entry.ts';
import { historyOfRun } from '../../history/entry-of-run.ts';
import { estimatedTime, medianTimes } from '../../history/statistics/estimate.ts';
import { gatesOf } from '../../history/query.ts';
import type { Digest } from '../../json/digest.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { handoffText } from '../../run/state/handoff.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import { fileOf, type LoadedPipeline } from '../load-pipeline.ts';
import { historyIn } from '../local-ports.ts';
import { readDocuments } from '../memory/documents.ts';

/** Larger outputs are left out of the files of other systems. Bytes. */
const LARGEST_OUTPUT = 8 * 1_024 ** 2;

/** Collects what formats write about a run. Outputs that were read before are kept in `known`. */
export async function exportedRun(
  call: Call,
  state: RunState,
  loaded: LoadedPipeline,
  known: Map<Digest, JsonValue> = new Map(),
): Promise<ExportedRun> {
  const { pipeline } = loaded;
  const { redactText } = call.redactor;
  const records = call.journal.records().filter(({ runNumber }) => runNumber === state.runNumber);
  const now = call.ports.now().toISOString();
  const { entry } = historyOfRun({ state, records, groups: pipeline.groups, now });
  const log = historyIn(loaded);
  const others = (await log.all()).filter((one) => runKeyOf(one) !== runKeyOf(entry));
  const handoff = await handoffFrom(call, records);
  const medians = medianTimes(gatesOf(log, { pipeline: pipeline.id }));
  return {
    state,
    pipeline: pipeline.task === undefined ? pipeline : { ...pipeline, task: redactText(pipeline.task) },
    graph: call.graph,
    definition: fileOf(loaded),
    metadata: redacted(call.assignment.metadata, redactText) as JsonObject,
    records,
    outputs: await outputsOf(call, state, known),
    history: [...others, entry].toSorted((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0)),
    documents: (await readDocuments(loaded.root)).map(({ name, text }) => ({ name, text: redactText(text) })),
    handoff: handoff === undefined ? '' : handoffText(handoff),
    estimatedMs: estimatedTime(call.graph, new Set(call.graph.keys()), medians),
  };
}

async function outputsOf(
  { ports }: Call,
  state: RunState,
  known: Map<Digest, JsonValue>,
): Promise<ReadonlyMap<UnitKey, JsonValue>> {
  const outputs = new Map<UnitKey, JsonValue>();
  for (const unit of state.units.values()) {
    const content = contentOf(unit);
    if (content === undefined || content.bytes > LARGEST_OUTPUT) continue;
    if (!known.has(content.digest)) {
      const read = await ports.store.get(content.digest);
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
