import { GatelineError } from '../../errors.ts';
import type { JsonObject } from '../../json/json.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import { unitKey, type Gate, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import { gateIdFrom } from '../../pipeline/slug.ts';
import { attemptOf, ENTRY_FORMAT, NOT_APPLICABLE_END, type Entry } from '../../run/entry.ts';
import { gateOf, UnitGraph } from '../../run/units.ts';
import type { AttemptDocument } from '../../store/github/document.ts';
import { describeFromDocument } from '../gate/definition.ts';
import { sourceOf } from '../gate/gate-report.ts';
import type { NeedDocument, NeededJob } from '../gate/needs.ts';

/** A run, collected from the documents of its jobs. */
export interface CollectedRun {
  readonly pipeline: Pipeline;
  readonly subject: string;
  /** The log of the run, built from the documents. */
  readonly entries: readonly Entry[];
  /** Problems that make the report red even if all gates passed, one sentence each. */
  readonly problems: readonly string[];
  readonly documents: ReadonlyMap<UnitKey, NeedDocument>;
}

export interface CollectInput {
  /** Number of the run on GitHub. */
  readonly run: number;
  readonly pipeline: Pipeline;
  readonly jobs: readonly NeededJob[];
  readonly documents: readonly NeedDocument[];
  /** Gates that have artifacts in the run. Without a definition nothing else names all gates. */
  readonly artifactGates: readonly string[];
  /** Ids of jobs that may be skipped: their gates do not apply then. */
  readonly allowSkipped: readonly string[];
  readonly subject: string;
  /** ISO 8601 */
  readonly now: string;
}

/** Builds a run from the documents of its jobs, and names what is missing. */
export function collectRun(input: CollectInput): CollectedRun {
  const { run, pipeline, jobs, documents, subject, now } = input;
  const byUnit = new Map<UnitKey, NeedDocument>();
  const problems: string[] = [];
  for (const need of documents) {
    const { unit } = need.document.entry;
    const other = byUnit.get(unit);
    if (other && other.reference.digest !== need.reference.digest)
      problems.push(`the jobs ${other.job.id} and ${need.job.id} both ran ${unit}: a gate has one job`);
    if (need.refusal !== undefined && need.job.result === 'success') problems.push(need.refusal);
    byUnit.set(unit, need);
  }
  problems.push(...problemsOfJobs(input, byUnit));
  const graph = new UnitGraph(pipeline);
  const depth = (need: NeedDocument) => graph.ancestors(gateOf(need.document.entry.unit)).size;
  const sorted = [...byUnit.values()].sort((a, b) => depth(a) - depth(b));
  const entries: Entry[] = [
    ...sorted.flatMap(({ document }) => sourceOf(document.entry, document.costOfOutput)),
    ...sorted.flatMap(({ document }) => entriesOf(document)),
  ].map((entry) => ({ ...entry, subject }));
  const head = { v: ENTRY_FORMAT, pipeline: pipeline.id, subject, run, at: now } as const;
  const allowed = jobs.filter(({ id, result }) => result === 'skipped' && input.allowSkipped.includes(id));
  const skipped = allowed.flatMap(({ id }) => graph.gate(gateIdFrom(id)) ?? []);
  for (const { id } of skipped)
    for (const { key } of graph.unitsOf(id) ?? [{ key: id }])
      entries.push({
        ...head,
        ...NOT_APPLICABLE_END,
        unit: key,
        n: 1,
        reason: 'its job was skipped, as `allow-skipped` allows',
      });
  const gates = new Set([...byUnit.keys()].map(gateOf));
  const isDone = (gate: Gate) => gates.has(gate.id) || skipped.includes(gate);
  const isGood = (job: NeededJob) => job.result === 'success' || allowed.includes(job);
  if (problems.length === 0 && jobs.every(isGood) && pipeline.gates.every(isDone))
    entries.push({ ...head, kind: 'decided', decision: 'complete', actor: 'gateline', reason: 'all gates are done' });
  return { pipeline, subject, entries, problems, documents: byUnit };
}

function entriesOf({ entry, failedTries, decision, startedAt }: AttemptDocument): Entry[] {
  const started = (end: typeof entry, at: string): Entry[] =>
    end.how !== 'ran' || end.snapshot === undefined
      ? []
      : [
          {
            v: ENTRY_FORMAT,
            kind: 'started',
            pipeline: end.pipeline,
            at,
            ...attemptOf(end),
            fingerprint: end.fingerprint,
            contract: end.contract,
            snapshot: end.snapshot,
            iteration: end.iteration,
            rework: end.rework,
            writes: false,
          },
        ];
  return [
    ...failedTries.flatMap((end) => [...started(end, end.at), end]),
    ...(decision ? [decision.entry] : []),
    ...started(entry, startedAt),
    entry,
  ];
}

function problemsOfJobs(
  { pipeline, jobs, allowSkipped, artifactGates }: CollectInput,
  byUnit: ReadonlyMap<UnitKey, NeedDocument>,
): string[] {
  if (jobs.length === 0) return ['the report needs no job: `needs: [...]` of its job names all gates'];
  const gates = new Set([...byUnit.keys()].map(gateOf));
  const named = new Set(jobs.map(({ id }) => gateIdFrom(id)));
  const missing = pipeline.gates.filter(({ id }) => !gates.has(id) && !named.has(id)).map(({ id }) => id);
  const isReported = (job: NeededJob) => job.references.length > 0;
  // GitHub skips what comes after a failed job, which makes the report red by itself.
  const hasFailed = jobs.some(({ result }) => result === 'failure' || result === 'cancelled');
  const problems = jobs.flatMap((job) => {
    const { id, result } = job;
    if (result === 'success') {
      const isGate = pipeline.gates.some((gate) => gate.id === gateIdFrom(id));
      return isGate && !isReported(job) ? [`job ${id} hands over no output \`attempt\`, so its gate is not known`] : [];
    }
    if (result === 'skipped')
      return hasFailed || allowSkipped.includes(id)
        ? []
        : [`job ${id} was skipped: if it may be, list it in \`allow-skipped\` of the report`];
    // A document tells more than the result of its job.
    return isReported(job) ? [] : [`no result (job ${id}: ${result})`];
  });
  const absent = missing.map((id) => `the report does not need the job of gate ${id}: add it to \`needs\``);
  const incomplete = [...byUnit.values()].flatMap(({ document: { legs, entry }, job }) => {
    const keys = legs.map((leg) => unitKey(gateOf(entry.unit), leg));
    return keys.flatMap((key) => (byUnit.has(key) ? [] : [`no result of ${key} (job ${job.id})`]));
  });
  const lost = artifactGates
    .filter((gate) => !gates.has(gate))
    .map(
      (gate) =>
        `the result of gate ${gate} did not reach the report: its job lacks the output \`attempt\`, or the report does not need its job`,
    );
  // Without a definition, a run without gates must not be green.
  const isEmpty = pipeline.gates.length === 0 && jobs.every(({ result }) => result === 'success');
  const none = isEmpty ? ['no job that the report needs has the result of a gate'] : [];
  return [...new Set([...problems, ...absent, ...incomplete, ...lost, ...none])];
}

/** Keys of a gate for reports: score, threshold, and whether it waits for a person. */
function describeRules({ contract, entry, waits }: AttemptDocument): JsonObject {
  const { score, threshold, partial } = contract;
  return {
    ...(score !== undefined && { output: { score, threshold, partial } }),
    ...(waits && entry.verdict.status === 'passed' && { approval: 'required' }),
  };
}

/** The pipeline of a run whose steps describe their gates. A gate needs those whose costs are in its document. */
export function pipelineOf(documents: readonly NeedDocument[], defaultId: string): Pipeline {
  const ids = new Set(documents.map(({ document }) => gateOf(document.entry.unit)));
  const gates = new Map<string, JsonObject>();
  for (const { document } of documents) {
    const gate = gateOf(document.entry.unit);
    const others = Object.keys(document.costSoFar).map(gateOf);
    const needs = [...new Set(others.filter((id) => id !== gate && ids.has(id)))];
    gates.set(gate, {
      ...describeFromDocument(document),
      ...describeRules(document),
      ...(needs.length > 0 && { needs }),
    });
  }
  // The parser rejects an empty pipeline.
  const described = Object.fromEntries(gates.size > 0 ? gates : [['none', { run: ':' }]]);
  const pipeline = documents[0]?.document.entry.pipeline ?? defaultId;
  const parsed = parsePipeline(JSON.stringify({ pipeline, gates: described }), 'the steps of the workflow');
  if (!parsed.ok) throw new GatelineError('failed', `the steps describe no pipeline: ${parsed.problems[0]?.message}`);
  return gates.size > 0 ? parsed.pipeline : { ...parsed.pipeline, gates: [] };
}
