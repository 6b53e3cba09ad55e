import { GatelineError } from '../errors.ts';
import type { Environment } from '../environment.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';

/** What somebody gave for a run, beside the definition. */
export interface Given {
  readonly subject?: string;
  readonly task?: string;
  readonly metadata?: JsonObject;
  readonly input?: JsonValue;
}

/** What a run is about. */
export interface Assignment {
  readonly subject: string;
  /** Whether somebody gave it: only then it is part of requests. */
  readonly isSubjectGiven: boolean;
  readonly task?: string;
  readonly metadata: JsonObject;
  readonly input: JsonValue;
}

/**
 * What a run is about: what was given, else the definition, else a name that agents do not see: `domain-feature` of
 * the metadata, or the branch. The caller's input may carry metadata (seed 000: `input.metadata`, `userStory`,
 * `acceptanceCriteria`, `url`).
 */
export function assignmentFor(pipeline: Pipeline, given: Given, branch: string | undefined): Assignment {
  const input = given.input ?? null;
  const metadata = { ...metadataOf(input), ...pipeline.metadata, ...given.metadata };
  const { domain, feature } = metadata;
  const name = typeof domain === 'string' && typeof feature === 'string' ? `${domain}-${feature}` : branch;
  const subject = given.subject ?? pipeline.subject ?? name ?? 'default';
  if (subject.trim() === '' || subject.length > 1_024)
    throw new GatelineError('usage', 'the subject must have 1 to 1,024 characters');
  return {
    subject,
    isSubjectGiven: (given.subject ?? pipeline.subject) !== undefined,
    task: given.task ?? pipeline.task,
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

/** The values of all secrets that gates name. @returns by name; unset ones are left out */
export function secretValues(pipeline: Pipeline, environment: Environment): Record<string, string> {
  const names = new Set(pipeline.gates.flatMap(({ secrets }) => secrets));
  return Object.fromEntries([...names].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}
