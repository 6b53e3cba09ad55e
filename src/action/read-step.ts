import type { Environment } from '../environment.ts';
import { readEvent, type WorkflowEvent } from './event.ts';
import { readPayloadFile } from './event-payload.ts';
import { ActionInputsError } from './input-problems.ts';
import { readInputs, type ActionInputs } from './inputs.ts';

/**
 * The inputs of this step and the event it runs for.
 * @throws ActionInputsError with everything that is wrong with the inputs, GatelineError as {@link readEvent}
 */
export async function readStep(environment: Environment): Promise<{ inputs: ActionInputs; event: WorkflowEvent }> {
  const read = readInputs(environment);
  if (!read.ok) {
    const { everyProblem } = await import('./wrong-inputs.ts');
    throw new ActionInputsError(await everyProblem(environment, read));
  }
  const { inputs } = read;
  return { inputs, event: readEvent(environment, await readPayloadFile(environment), inputs) };
}
