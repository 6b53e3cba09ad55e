import { parsePipeline } from '../pipeline/parse-pipeline.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { withEscapes } from '../pipeline/yaml/yaml-text.ts';
import { onThisMachine } from './load-pipeline.ts';
import { PipelineInvalidError } from './pipeline-invalid.ts';

/**
 * A pipeline defined in code: the value that a `gateline.yml` would contain (docs/reference/gateline-yml.md), checked
 * in the same way. Warnings are not reported; `parsePipeline` reports them.
 * @param name name of the pipeline in messages. Default `pipeline`
 * @throws PipelineInvalidError with all problems; places are those of the value as JSON
 */
export function definePipeline(definition: object, name = 'pipeline'): Pipeline {
  // JSON is YAML, so a single parser reads every definition.
  const parsed = parsePipeline(withEscapes(JSON.stringify(definition, null, 2)), name);
  if (parsed.ok) return onThisMachine(parsed.pipeline);
  throw new PipelineInvalidError(parsed.problems);
}
