import { parsePipeline } from '../pipeline/parse-pipeline.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { PipelineInvalidError } from './pipeline-invalid.ts';

/**
 * A pipeline defined in code: the value that a `gateline.yml` would hold (docs/reference/gateline-yml.md), checked in
 * the same way. Warnings are not told; `parsePipeline` tells them.
 * @param name how messages call it. Default `pipeline`
 * @throws PipelineInvalidError with all problems; places are those of the value as JSON
 */
export function definePipeline(definition: object, name = 'pipeline'): Pipeline {
  // JSON is YAML, so the one parser there is sees every definition.
  const parsed = parsePipeline(JSON.stringify(definition, null, 2), name);
  if (parsed.ok) return parsed.pipeline;
  throw new PipelineInvalidError(parsed.problems);
}
