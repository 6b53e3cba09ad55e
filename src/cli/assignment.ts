import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatelineError, messageOf } from '../errors/gateline-error.ts';
import type { Assignment } from '../engine/call.ts';
import type { JsonObject, JsonValue } from '../untrusted/json.ts';
import { parseJson } from '../untrusted/parse-json.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { listOption, textOption, type OptionValues } from './command.ts';
import type { LoadedPipeline } from './load-pipeline.ts';

/** What the options say to work on. @throws GatelineError `INPUT_INVALID`, `METADATA_INVALID` */
export async function assignmentOf(
  options: OptionValues,
  loaded: LoadedPipeline,
  workspace: Pick<Workspace, 'branch'>,
  workingDirectory: string,
): Promise<Assignment> {
  const { pipeline } = loaded;
  const subject = textOption(options, 'subject') ?? pipeline.subject ?? (await workspace.branch()) ?? 'default';
  if (subject.trim() === '')
    throw new GatelineError('user', 'SUBJECT_EMPTY', 'the subject is empty', { hint: 'Pass --subject TEXT.' });
  return {
    pipeline,
    subject,
    metadata: { ...pipeline.metadata, ...metadataOf(listOption(options, 'metadata')) },
    input: await readInput(textOption(options, 'input'), workingDirectory),
  };
}

function metadataOf(pairs: readonly string[]): JsonObject {
  const metadata: JsonObject = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new GatelineError('user', 'METADATA_INVALID', `--metadata ${pair}: expected KEY=VALUE`);
    metadata[pair.slice(0, at)] = jsonOrText(pair.slice(at + 1));
  }
  return metadata;
}

function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A JSON file that the user names; `null` when there is none. */
export async function readInput(path: string | undefined, workingDirectory: string): Promise<JsonValue> {
  if (path === undefined) return null;
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path === '-' ? '/dev/stdin' : resolve(workingDirectory, path));
  } catch (cause) {
    throw new GatelineError('user', 'INPUT_INVALID', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  throw new GatelineError('user', 'INPUT_INVALID', `${path}: ${parsed.issue.message}`, {
    hint: 'It must hold one JSON value.',
  });
}
