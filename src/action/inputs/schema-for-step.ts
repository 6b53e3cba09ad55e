import type { Runner } from '../runner.ts';
import { isPath, isWords } from './input-values.ts';
import { inputsSchemaWith, PLAIN_INPUTS, type InputName } from './inputs-schema.ts';

/** Inputs that are maps in YAML or JSON. */
const MAPS: readonly InputName[] = ['with', 'metadata', 'result'];

/**
 * The schema for the inputs of a step. The YAML library is loaded only if an input may hold YAML: it costs a step 20
 * ms.
 */
export async function schemaForStep({ getInput }: Pick<Runner, 'getInput'>): Promise<typeof PLAIN_INPUTS> {
  if (!mayHoldYaml(getInput)) return PLAIN_INPUTS;
  return inputsSchemaWith((await import('../../pipeline/yaml/read-source.ts')).readSource);
}

function mayHoldYaml(getInput: (name: InputName) => string): boolean {
  const isAnyMap = MAPS.some((name) => getInput(name).trim() !== '');
  return isAnyMap || !isWords(getInput('tools')) || !isPath(getInput('schema'));
}
