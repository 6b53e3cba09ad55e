import type { Assignment, Order } from '../../engine/ports.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import { UnitGraph } from '../../run/units.ts';
import { createRedactor } from '../../untrusted/redact.ts';
import type { Definition } from '../project/load-definition.ts';

/** What a run is about, as far as the caller says. */
export interface AssignmentOptions {
  readonly subject?: string;
  readonly task?: string;
  readonly metadata?: JsonObject;
  readonly input?: JsonValue;
}

/**
 * Determines what a run is about: by the caller, else by the definition. Without a subject, `domain-feature` of the
 * metadata or the branch names the run, but is no part of requests. The caller's input may hold metadata (state guide:
 * `input.metadata`, `userStory`, `acceptanceCriteria`, `url`).
 */
export function assignmentFor(pipeline: Pipeline, options: AssignmentOptions, branch: string | undefined): Assignment {
  const input = options.input ?? null;
  const metadata = { ...metadataOf(input), ...pipeline.metadata, ...options.metadata };
  const { domain, feature } = metadata;
  const name = typeof domain === 'string' && typeof feature === 'string' ? `${domain}-${feature}` : branch;
  const subject = options.subject ?? pipeline.subject ?? name ?? 'default';
  if (subject.trim() === '' || subject.length > 1_024)
    throw new GatelineError('usage', 'the subject must have 1 to 1,024 characters');
  return {
    subject,
    isSubjectGiven: (options.subject ?? pipeline.subject) !== undefined,
    task: options.task ?? pipeline.task,
    metadata,
    input,
  };
}

function metadataOf(input: JsonValue): JsonObject {
  if (!isJsonObject(input)) return {};
  const { metadata, userStory, acceptanceCriteria, url } = input;
  return {
    ...(isJsonObject(metadata) && metadata),
    ...(typeof url === 'string' && { url }),
    ...(typeof userStory === 'string' && { userStory }),
    ...(Array.isArray(acceptanceCriteria) && { acceptanceCriteria }),
  };
}

/** Creates an order. Subject, task and metadata are redacted, because they are shown and name files; requests redact `input`. */
export function createOrder(definition: Definition, assignment: Assignment, environment: Environment): Order {
  const { pipeline, file, contracts } = definition;
  const redactor = createRedactor(secretValues(pipeline, environment));
  const { text, json } = redactor;
  const { subject, task, metadata } = assignment;
  const shown = { subject: text(subject), task: task && text(task), metadata: json(metadata).value as JsonObject };
  return { pipeline, definitionFile: file, contracts, redactor, ...assignment, ...shown };
}

/** The values of the secrets that gates name, by name, without unset ones. */
export function secretValues(pipeline: Pipeline, environment: Environment): Record<string, string> {
  const names = new Set(pipeline.gates.flatMap(({ secrets }) => secrets));
  return Object.fromEntries([...names].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** Which gates a call works on, and how many at a time. */
export interface Limits {
  /** These gates and what they need. */
  readonly until?: readonly string[];
  /** Only these gates: their needs must be done, or have a stand-in. */
  readonly only?: readonly string[];
  readonly maxParallel?: number;
  readonly maxIterations?: number;
  /** Further documents that every gate gets in this call. */
  readonly memory?: readonly string[];
}

/** @throws GatelineError `usage` naming a gate that the pipeline does not have, or if it has none */
export function limitOrder(order: Order, { until, only, maxParallel, maxIterations, memory }: Limits): Order {
  const pipeline = memory ? withDocuments(order.pipeline, memory) : order.pipeline;
  if (pipeline.gates.length === 0)
    throw new GatelineError('usage', `${order.definitionFile} has no gates`, {
      hint: '`gateline do COMMAND` runs one of its commands',
    });
  const graph = new UnitGraph(pipeline);
  for (const id of [...(until ?? []), ...(only ?? [])]) graph.requireGate(id);
  const gates = only ?? until?.flatMap((id) => [id, ...graph.ancestors(id)]);
  return { ...order, pipeline, ...(gates && { only: new Set(gates) }), maxParallel, maxIterations };
}

function withDocuments(pipeline: Pipeline, names: readonly string[]): Pipeline {
  const other = names.find((name) => !/^[a-z0-9][a-z0-9-]{0,63}$/.test(name));
  if (other !== undefined)
    throw new GatelineError('usage', `${other} is no name of a document`, {
      hint: '`gateline memory` lists documents; `handoff` is made for each attempt',
    });
  const gates = pipeline.gates.map((gate) => ({ ...gate, memory: [...new Set([...gate.memory, ...names])] }));
  return { ...pipeline, gates };
}

/** @throws GatelineError `usage` suggesting the unit that was meant */
export function assertUnit(pipeline: Pipeline, key: UnitKey): void {
  new UnitGraph(pipeline).requireUnit(key);
}
