import { readFile } from 'node:fs/promises';
import { GITHUB_VARIABLES, type Environment } from '../environment.ts';
import { GatelineError, messageOf } from '../errors/gateline-error.ts';
import { parseJson } from '../untrusted/parse-json.ts';
import { readEvent, type WorkflowEvent } from './event.ts';
import { ActionInputsError } from './input-problems.ts';
import { readInputs, type ActionInputs } from './inputs.ts';

/** The largest payload that is read: GitHub's own limit is 25 MB. */
const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;

/**
 * The inputs of this step and the event it runs for.
 * @throws ActionInputsError with everything that is wrong with the inputs, GatelineError as {@link readEvent}
 */
export async function readStep(environment: Environment): Promise<{ inputs: ActionInputs; event: WorkflowEvent }> {
  const read = readInputs(environment);
  if (!read.ok) {
    const { descriptionProblems } = await import('./describe-gate.ts');
    const told = new Set(read.problems.map(({ input }) => input));
    const more = descriptionProblems(read.description).filter(({ input }) => !told.has(input));
    throw new ActionInputsError([...read.problems, ...more]);
  }
  const { inputs } = read;
  return { inputs, event: readEvent(environment, await readPayloadFile(environment), inputs) };
}

async function readPayloadFile(environment: Environment): Promise<unknown> {
  const path = environment[GITHUB_VARIABLES.eventPath] ?? '';
  if (path === '') throw unreadable('GITHUB_EVENT_PATH is not set');
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw unreadable(`the payload of the event cannot be read: ${messageOf(cause)}`, cause);
  }
  const parsed = parseJson(bytes, { maxBytes: MAX_PAYLOAD_BYTES });
  if (parsed.ok) return parsed.value;
  throw unreadable(`the payload of the event cannot be read: ${parsed.issue.message}`);
}

function unreadable(message: string, cause?: unknown): GatelineError {
  return new GatelineError('platform', 'EVENT_INVALID', message, {
    hint: 'The action needs what the runner of GitHub Actions lays out for every step.',
    ...(cause === undefined ? {} : { cause }),
  });
}
