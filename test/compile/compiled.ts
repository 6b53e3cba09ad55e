import { compileWorkflow, type CompiledWorkflow } from '../../src/compile/compile.ts';
import { CHECKOUT, gatelineAt } from '../../src/compile/pins.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { formatProblem } from '../../src/pipeline/problem.ts';

/** A commit of the action. */
export const COMMIT = 'c'.repeat(40);

/** The workflow of a definition, with the action of a commit. Throws what is wrong with the definition. */
export function compiled(definition: string, file = 'gateline.yml'): CompiledWorkflow {
  const parsed = parsePipeline(definition, file);
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  return compileWorkflow(parsed.pipeline, {
    definition: file,
    gateline: gatelineAt(COMMIT)!,
    checkout: CHECKOUT,
  });
}
