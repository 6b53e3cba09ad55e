import { resolve } from 'node:path';
import type { Assignment } from '../../engine/call/call.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { stateInputs } from '../../local/state-files/state-inputs.ts';
import { orchestratorMetadata } from '../../formats/state-guide/state-metadata.ts';
import { oneLine } from '../../report/text.ts';
import { MAX_SUBJECT_LENGTH, NAMELESS_SUBJECT, subjectOfMetadata } from '../../run/records/subject.ts';
import { MAX_TASK_LENGTH } from '../../pipeline/pipeline.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { DEFAULT_MAX_BYTES, parseJson } from '../../json/parse-json.ts';
import { readNamed } from '../../workspace/files/read-named.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { listOption, recordedOption, textOption, type OptionValues } from '../command.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';
import { redactorFor } from './redactor.ts';

/**
 * The assignment that the options define. @throws GatelineError `SUBJECT_EMPTY`, `INPUT_INVALID`, `METADATA_INVALID`
 */
export async function assignmentOf(
  world: CliWorld,
  options: OptionValues,
  loaded: LoadedPipeline,
  workspace: Pick<Workspace, 'root' | 'branch' | 'readText'>,
): Promise<Assignment> {
  const { pipeline } = loaded;
  const given = recordedOption(options, 'subject', MAX_SUBJECT_LENGTH) ?? pipeline.subject;
  const subject = given ?? subjectOfMetadata(pipeline.metadata) ?? (await workspace.branch()) ?? NAMELESS_SUBJECT;
  if (subject.trim() === '') throw new GatelineError('SUBJECT_EMPTY', 'the subject is empty');
  const input = await readInput(world, textOption(options, 'input'));
  const warn = (warning: string): void => say(world.err, `note: ${oneLine(warning)}`);
  const metadata = {
    ...orchestratorMetadata(input),
    ...pipeline.metadata,
    ...metadataOf(listOption(options, 'metadata')),
  };
  const redact = redactorFor(pipeline, world.environment).redactText;
  const file = stateInputs({ workspace, place: loaded, subject, metadata, warn, redact });
  return {
    pipeline,
    subject,
    ...(given === undefined && { isDefaultSubject: true }),
    task: recordedOption(options, 'task', MAX_TASK_LENGTH) ?? pipeline.task,
    metadata,
    input,
    ...(options['stand-in'] === true && { standIn: { file } }),
  };
}

function metadataOf(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      if (at > 0 && name !== '__proto__') return [name, jsonOrText(pair.slice(at + 1))];
      throw new GatelineError('METADATA_INVALID', `--metadata ${pair}: expected KEY=VALUE`);
    }),
  );
}

function jsonOrText(text: string): JsonValue {
  const parsed = parseJson(new TextEncoder().encode(text));
  return parsed.ok ? parsed.value : text;
}

/**
 * A JSON file that the user names, `-` for standard input; `null` if none is named.
 * @throws GatelineError `INPUT_INVALID`, also for a device, a pipe and a file over 256 MiB
 */
export async function readInput(world: CliWorld, path: string | undefined): Promise<JsonValue> {
  if (path === undefined) return null;
  let bytes: Uint8Array;
  try {
    const named = path === '-' ? undefined : resolve(world.workingDirectory, path);
    bytes =
      named === undefined
        ? await world.readStandardInput(DEFAULT_MAX_BYTES)
        : await readNamed(named, DEFAULT_MAX_BYTES);
  } catch (cause) {
    throw new GatelineError('INPUT_INVALID', `${path} cannot be read: ${messageOf(cause)}`, {
      hint: 'Name a file with one JSON value, or `-` for standard input.',
      cause,
    });
  }
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  throw new GatelineError('INPUT_INVALID', `${path}: ${parsed.issue.message}`, {
    hint: 'It must contain one JSON value.',
  });
}
