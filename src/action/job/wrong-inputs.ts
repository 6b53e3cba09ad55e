import type { Environment } from '../../environment.ts';
import { contractErrors, createContracts } from '../../engine/call/contracts.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import { callersInput } from '../inputs/callers-input.ts';
import { findDefinition, type Definition } from './definition.ts';
import { judgeDescription, type JudgedDescription } from './describe-gate.ts';
import { readEvent, type WorkflowEvent } from '../event/event.ts';
import { readPayloadFile } from '../event/event-payload.ts';
import { ActionInputsError, type InputProblem } from '../inputs/input-problems.ts';
import { type ActionInputs, type WrongInputs } from '../inputs/inputs.ts';
import { definitionProblems } from '../inputs/check-definition.ts';

/**
 * Checks the inputs of a step that works on a gate against the definition, and reads the caller's input.
 * @returns the caller's input
 * @throws ActionInputsError with all problems, including those of contracts; GatelineError `INPUT_INVALID` if the
 *   caller's input is the only problem. If a contract is the only problem, planning the gate reports it
 */
export async function checkInputs(
  inputs: ActionInputs,
  event: WorkflowEvent,
  definition: Definition,
): Promise<JsonValue> {
  const isDefined = definition.pipeline !== undefined;
  const judged = isDefined ? NOTHING : judgeDescription(inputs, event);
  const problems = [...definitionProblems(inputs, isDefined), ...judged.problems];
  if (problems.length === 0) return callersInput(inputs, event.workspace);
  const more = [...(await wrongFile(inputs, event)), ...(await wrongContracts(judged, definition))];
  throw new ActionInputsError([...problems, ...more]);
}

/** All problems of inputs of which some are invalid, as far as the others can be checked. Never throws. */
export async function everyProblem(environment: Environment, read: WrongInputs): Promise<readonly InputProblem[]> {
  const around = await aroundStep(environment, read);
  const isDefined = around?.definition.pipeline !== undefined;
  const isJudged = read.command !== 'complete' && (read.command !== 'report' || !isDefined);
  const about = around === undefined || !isJudged ? [] : definitionProblems(read, isDefined);
  // Its own id and its needs may be the invalid inputs.
  const judged = isDefined ? NOTHING : judgeDescription({ ...read, gate: 'gate', needs: undefined }, { job: 'gate' });
  const files =
    around === undefined
      ? []
      : [...(await wrongFile(read, around.event)), ...(await wrongContracts(judged, around.definition))];
  const told = new Set(read.problems.map(({ input }) => input));
  return [...read.problems, ...[...about, ...judged.problems, ...files].filter(({ input }) => !told.has(input))];
}

const NOTHING: JudgedDescription = { problems: [], contracts: [] };

/** `undefined`: it is unknown whether there is a definition. Its problems are reported once the inputs are valid. */
async function aroundStep(
  environment: Environment,
  read: WrongInputs,
): Promise<{ readonly event: WorkflowEvent; readonly definition: Definition } | undefined> {
  const unknown = { matrix: undefined, workflowFile: undefined, workflowRepository: undefined };
  try {
    const payload = await readPayloadFile(environment);
    const event = readEvent(environment, payload, { ...unknown, workflowSha: undefined, checkRunId: undefined });
    return { event, definition: await findDefinition(event, read, environment) };
  } catch (error) {
    if (error instanceof GatelineError && error.fault !== 'gateline') return undefined;
    throw error;
  }
}

/** Problems with the file of the caller's input. */
async function wrongFile(
  { inputFile }: Pick<ActionInputs, 'inputFile'>,
  { workspace }: WorkflowEvent,
): Promise<InputProblem[]> {
  try {
    await callersInput({ input: undefined, inputFile }, workspace);
    return [];
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    return [{ input: 'input-file', message: error.message.replace(/^input-file: /, '') }];
  }
}

async function wrongContracts(judged: JudgedDescription, { files }: Definition): Promise<InputProblem[]> {
  const errors = await contractErrors(createContracts(files), judged.contracts);
  return errors.map(({ message }) => ({
    input: message.startsWith('/checks') ? 'checks' : 'schema',
    message: message.replaceAll('\n', '; '),
  }));
}
