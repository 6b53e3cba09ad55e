import type { Runner } from '../runner.ts';
import type { ReadYaml } from './input-values.ts';
import { mayHoldYaml } from './inputs-schema.ts';

/** What reads the inputs of a step that hold YAML. The library is loaded only if there is one: it costs a step 20 ms. */
export async function yamlReaderFor({ getInput }: Pick<Runner, 'getInput'>): Promise<ReadYaml> {
  if (mayHoldYaml(getInput)) return (await import('../../pipeline/yaml/read-source.ts')).readSource;
  return () => {
    throw new TypeError('an input holds YAML that nobody expected');
  };
}
