import { resolve } from 'node:path';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import { DEFAULT_MAX_BYTES, parseJson } from '../../json/parse-json.ts';
import { readNamed } from '../../workspace/files/read-named.ts';
import type { ActionInputs } from './inputs.ts';

/**
 * The caller's input: the value of `input`, or of the file that `input-file` names; `null` if there is none.
 * @throws GatelineError `INPUT_INVALID`
 */
export async function callersInput(
  { input, inputFile }: Pick<ActionInputs, 'input' | 'inputFile'>,
  workspace: string,
): Promise<JsonValue> {
  if (inputFile === undefined) return input ?? null;
  let bytes: Uint8Array;
  try {
    bytes = await readNamed(resolve(workspace, inputFile), DEFAULT_MAX_BYTES);
  } catch (cause) {
    throw new GatelineError('INPUT_INVALID', `input-file: ${inputFile} cannot be read: ${messageOf(cause)}`, {
      hint: 'Name a file with one JSON value, written by an earlier step.',
      cause,
    });
  }
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  throw new GatelineError('INPUT_INVALID', `input-file: ${inputFile}: ${parsed.issue.message}`, {
    hint: 'It must contain one JSON value.',
  });
}
