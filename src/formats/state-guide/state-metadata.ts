import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';

/** `metadata` of a gate's state file, as in the guide: always present, always strings. */
export interface StateMetadata {
  readonly domain: string;
  readonly feature: string;
  readonly url: string;
}

/** `metadata` of the pipeline's state file. */
export interface PipelineMetadata extends StateMetadata {
  readonly userStory: string;
  readonly acceptanceCriteria: readonly string[];
}

/**
 * The guide's metadata from a pipeline's. Missing values are derived: `domain` from the host of `url` (`demoqa.com` →
 * `demoqa_com`), `feature` from the subject without the leading domain (`demoqa_com-student_registration` →
 * `student_registration`). A value that cannot be derived is empty. Numbers and booleans become text, anything else its
 * JSON.
 */
export function stateMetadata(metadata: JsonObject, subject: string): StateMetadata {
  const url = textOf(metadata['url']);
  const domain = textOf(metadata['domain']) || domainOf(url);
  return { domain, feature: textOf(metadata['feature']) || featureOf(subject, domain), url };
}

/** {@link stateMetadata} with the user story and its acceptance criteria; a single criterion becomes a list of one. */
export function pipelineMetadata(metadata: JsonObject, subject: string): PipelineMetadata {
  return {
    ...stateMetadata(metadata, subject),
    userStory: textOf(metadata['userStory']),
    acceptanceCriteria: listOf(metadata['acceptanceCriteria']),
  };
}

/**
 * The metadata in the document that the guide's orchestrator gives to agents: `{metadata: {domain, feature}, userStory,
 * url, acceptanceCriteria}`. Empty for any other input.
 */
export function orchestratorMetadata(input: JsonValue): JsonObject {
  const { metadata, url, userStory, acceptanceCriteria } = isJsonObject(input) ? input : {};
  const { domain, feature } = metadata !== undefined && isJsonObject(metadata) ? metadata : {};
  if (!isText(domain) || !isText(feature)) return {};
  const isList = Array.isArray(acceptanceCriteria) && acceptanceCriteria.every(isText);
  return {
    domain,
    feature,
    ...(isText(url) && { url }),
    ...(isText(userStory) && { userStory }),
    ...((isText(acceptanceCriteria) || isList) && { acceptanceCriteria }),
  };
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) || isJsonObject(value)) return JSON.stringify(value);
  return String(value);
}

function listOf(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.map(textOf);
  const text = textOf(value);
  return text === '' ? [] : [text];
}

function domainOf(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  return host.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
}

function featureOf(subject: string, domain: string): string {
  return domain !== '' && subject.startsWith(`${domain}-`) ? subject.slice(domain.length + 1) : subject;
}
