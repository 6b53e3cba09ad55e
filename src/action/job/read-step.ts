import { readEvent, type WorkflowEvent } from '../event/event.ts';
import { readPayloadFile } from '../event/event-payload.ts';
import { ActionInputsError } from '../inputs/input-problems.ts';
import { readInputs, type ActionInputs } from '../inputs/inputs.ts';
import type { ActionWorld } from '../invocation.ts';
import { schemaForStep } from '../inputs/schema-for-step.ts';

/**
 * Reads the inputs of this step and its event.
 * @throws ActionInputsError with all problems of the inputs, GatelineError as {@link readEvent}
 */
export async function readStep({
  environment,
  runner,
}: Pick<ActionWorld, 'environment' | 'runner'>): Promise<{ inputs: ActionInputs; event: WorkflowEvent }> {
  const read = readInputs(environment, runner, await schemaForStep(runner));
  if (!read.ok) {
    const { everyProblem } = await import('./wrong-inputs.ts');
    throw new ActionInputsError(await everyProblem(environment, read));
  }
  const { inputs } = read;
  return { inputs, event: readEvent(environment, await readPayloadFile(environment), inputs) };
}
