import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { checkpointOf } from '../../engine/plan/checkpoints.ts';
import type { UnitOutput } from '../../engine/ports.ts';
import { GatelineError } from '../../errors.ts';
import { digestOf, digestOfJson } from '../../json/digest.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import { pickPointers } from '../../json/pointer.ts';
import { assignmentFor } from '../../local/runs/order.ts';
import type { Definition } from '../../local/project/load-definition.ts';
import { unitKey, type Gate, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import { gateIdFrom } from '../../pipeline/slug.ts';
import type { EntityChange } from '../../run/entity/change.ts';
import type { EntityEntry } from '../../run/entity/entity-log.ts';
import { originOf, type Content } from '../../run/entry.ts';
import { originHow } from '../../run/checkpoint.ts';
import { gateOf, UnitGraph } from '../../run/units.ts';
import type { HandedFile } from '../../store/github/document.ts';
import type { Contract } from '../../verdict/contract.ts';
import { NOT_APPLICABLE } from '../../verdict/verdict.ts';
import {
  describeDefinition,
  describedPipelineId,
  describesGate,
  readTrustedDefinition,
  requireCheckout,
  type DefinitionPlace,
} from './definition.ts';
import { parseApprovals } from '../dispatch-decisions.ts';
import type { GateJob } from './gate-job.ts';
import { outageMsOf, parseJsonInput, type Inputs } from '../inputs.ts';
import { judgeNeed, type VerifyDecision, type Judge } from './judge-need.ts';
import { legsOfJob, narrowMatrices, requireOutputs } from './legs.ts';
import { toJobRef, type Job } from '../job.ts';
import { parseRework } from '../rework.ts';
import { matchNeeds, parseNeeds, type NeedDocument, type NeededJob } from './needs.ts';

/** Reads the documents of needs, and verifies the decisions in them. */
export interface NeedPorts {
  /** Reads the documents that needed jobs hand on, verified by their digests. */
  readonly read: (jobs: readonly NeededJob[], pipeline: string | Promise<string>) => Promise<readonly NeedDocument[]>;
  readonly verifyDecision: VerifyDecision;
}

export interface PreparedGate {
  readonly gateJob: GateJob;
  readonly gate: Gate;
  /** Outputs and exports of its needs, to be stored: the engine finds them by digest. */
  readonly contents: readonly string[];
}

/**
 * Prepares the gate of a job: the definition of the trusted commit, the gate and leg, and the outputs of its needs,
 * verified and judged again.
 */
export async function prepareGate(
  job: Job,
  inputs: Inputs<'gate'>,
  place: DefinitionPlace,
  { read, verifyDecision }: NeedPorts,
): Promise<PreparedGate> {
  await requireCheckout(place);
  const jobs = parseNeeds(inputs.needs);
  const described = describesGate(inputs) ? await read(jobs, describedPipelineId(job)) : undefined;
  const reading = described
    ? describeDefinition(job, inputs, described, place)
    : readTrustedDefinition(job, inputs.file, place);
  const pipelineId = reading.then(({ pipeline: { id } }) => id);
  // Its error is thrown by the `await` below.
  pipelineId.catch(() => undefined);
  const [definition, documents] = await Promise.all([reading, described ?? read(jobs, pipelineId)]);
  const gate = findGate(definition.pipeline, inputs.gate, job);
  const needs = matchNeeds(gate, documents, jobs);
  const contracts = contractsOf(definition, described !== undefined, needs);
  const legs = legsOfJob(gate, inputs.matrix, needs);
  const legIds = legs?.all.map(({ id }) => id) ?? [];
  await requireOutputs(gate.id, legIds, job, place);
  const ownLegs = legs?.all.filter(({ id }) => id === legs.own.id);
  const pipeline = narrowMatrices(definition.pipeline, gate, ownLegs, needs);
  const assignment = assignmentFor(
    pipeline,
    { subject: inputs.subject, task: inputs.task, input: parseJsonInput(inputs.input) },
    subjectOf(job),
  );
  const used = [...needs.values()].flat();
  for (const { document, job: need } of used) requireUnit(pipeline, document.entry.unit, need.id);
  const { subject, isSubjectGiven, metadata } = assignment;
  const judge = {
    pipeline: definition.pipeline,
    contracts,
    subject: isSubjectGiven ? subject : null,
    metadata,
    verifyDecision,
  };
  const judged = await Promise.all(used.map((need) => outputOf(need, judge)));
  const { retentionDays } = job;
  return {
    gate,
    contents: judged.flatMap(({ texts }) => texts),
    gateJob: {
      job: toJobRef(job),
      trust: job.trust,
      pullRequest: job.pullRequest?.number,
      ref: job.ref,
      approvals: parseApprovals(job.dispatch.approve),
      ownInputs: job.ownInputs,
      root: definition.root,
      state: join(job.temp, `gateline-${randomUUID()}`),
      pipeline,
      definitionFile: definition.file,
      contracts: [...contracts],
      assignment,
      unit: unitKey(gate.id, legs?.own.id ?? ''),
      legs: legIds,
      outputs: judged.map(({ unit, output }) => [unit, output] as const),
      entries: used.map(({ document }) => document.entry),
      inherited: mergeFiles(pipeline, used),
      costSoFar: Object.assign({}, ...used.map(({ document }) => document.costSoFar)) as GateJob['costSoFar'],
      spentUsd: parseRework(job.dispatch.rework)?.spentUsd ?? 0,
      entities: entitiesAfter(pipeline, used),
      outageMs: outageMsOf(inputs),
      secrets: gate.secrets,
      retentionDays: inputs['retention-days'] ?? retentionDays,
    },
  };
}

/** Changes of entities by needs and all before them, each unit after those that it needs. */
function entitiesAfter(pipeline: Pipeline, needs: readonly NeedDocument[]): EntityEntry[] {
  const documents = needs.map(({ document }) => document);
  const carried = Object.assign({}, ...documents.map(({ effects }) => effects)) as Record<string, EntityChange[]>;
  // The document of a unit itself counts more than what others carry of it.
  for (const { entry, effects } of documents) carried[entry.unit] = effects?.[entry.unit] ?? [];
  const order = new UnitGraph(pipeline).gatesByNeeds.map(({ id }) => id);
  const units = Object.keys(carried).toSorted((a, b) => order.indexOf(gateOf(a)) - order.indexOf(gateOf(b)));
  return units.map((unit) => {
    const { v, at, subject, run } = documents[0]!.entry;
    const by = { attempt: { subject, run, unit, n: 1 } };
    return { v, kind: 'changed', pipeline: pipeline.id, at, by, changes: carried[unit]! };
  });
}

function findGate(pipeline: Pipeline, named: string | undefined, { job }: Job): Gate {
  const id = named ?? gateIdFrom(job);
  const gate = pipeline.gates.find((other) => other.id === id);
  if (gate) return gate;
  throw new GatelineError('usage', `the pipeline ${pipeline.id} has no gate ${id}`, {
    hint: `Name one by \`gate\`: ${pipeline.gates.map((other) => other.id).join(', ')}.`,
  });
}

/** The default of the subject. */
export function subjectOf({ pullRequest, ref }: Pick<Job, 'pullRequest' | 'ref'>): string {
  return pullRequest ? `pr-${pullRequest.number}` : ref.replace(/^refs\/(?:heads|tags)\//, '') || 'default';
}

/** Contracts by gate. Without a gateline.yml a need is judged by the contract in its document. */
function contractsOf(
  { contracts }: Definition,
  isDescribed: boolean,
  needs: ReadonlyMap<string, readonly NeedDocument[]>,
): ReadonlyMap<string, Contract> {
  if (!isDescribed) return contracts;
  return new Map([...contracts, ...[...needs].map(([gate, [need]]) => [gate, need!.document.contract] as const)]);
}

interface JudgedNeed {
  readonly unit: UnitKey;
  readonly output: UnitOutput;
  /** Canonical JSON of the contents that `output` names. */
  readonly texts: readonly string[];
}

/** @throws GatelineError `failed` for a leg of a gate that has no such leg: only a forged document names one */
function requireUnit(pipeline: Pipeline, unit: UnitKey, job: string): void {
  const graph = new UnitGraph(pipeline);
  // A gate with an empty list of legs hands on one document, without a leg.
  if (graph.unit(unit) || graph.unitsOf(unit)?.length === 0) return;
  throw new GatelineError('failed', `the job ${job} hands over ${unit}, which is no unit of the pipeline`, {
    hint: 'Run the workflow again from its start: Re-run all jobs.',
  });
}

/** The output of a need, judged by today's contract. @throws GatelineError `failed` if it may not be used */
async function outputOf({ document, job }: NeedDocument, judge: Judge): Promise<JudgedNeed> {
  const { entry, output: value, startedAt, files } = document;
  const { unit } = entry;
  const { verdict, refusal } = await judgeNeed(document, judge);
  if (refusal !== undefined)
    throw new GatelineError('failed', refusal, { hint: `Re-run job ${job.id}: its gate is judged anew.` });
  const handedOn = files.map(({ path }) => path).sort();
  if (value === undefined) return { unit, texts: [], output: { verdict: NOT_APPLICABLE, handedOn } };
  const contract = judge.contracts.get(gateOf(unit))!;
  const part = pickPointers(value, contract.exports);
  const texts = (part === value ? [value] : [value, part]).map(canonicalJson);
  const [output, exports = output] = texts.map(contentOf);
  const how = originHow(entry.how);
  const judged = { ...entry, output, exports, verdict, contract: digestOfJson(contract) };
  const checkpoint = checkpointOf(judged, { attempt: originOf(entry), how, startedAt });
  return { unit, texts, output: { verdict, exports, handedOn, checkpoint } };
}

function contentOf(text: string): Content {
  return { digest: digestOf(text), bytes: Buffer.byteLength(text) };
}

/**
 * Merges the files that needs hand on. Of two versions the one of the later gate counts, if that gate found the other
 * one.
 * @throws GatelineError `failed` if two needs hand on different versions of a file
 */
export function mergeFiles(pipeline: Pipeline, needs: readonly NeedDocument[]): HandedFile[] {
  const order = new UnitGraph(pipeline).gatesByNeeds.map(({ id }) => id);
  const files = new Map<string, HandedFile>();
  const position = ({ unit }: HandedFile) => order.indexOf(gateOf(unit));
  const all = needs.flatMap(({ document }) => document.files).sort((a, b) => position(a) - position(b));
  for (const file of all) {
    const other = files.get(file.path);
    if (other && other.after !== file.after && !file.found.includes(other.after))
      throw new GatelineError('failed', `${other.unit} and ${file.unit} hand on different versions of ${file.path}`, {
        hint: `Let one of them need the other, or let only one of them name ${file.path} in \`files\`.`,
      });
    files.set(file.path, file);
  }
  return [...files.values()];
}
