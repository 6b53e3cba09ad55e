import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { ActionInvocation } from '../invocation.ts';
import { commandEnvironment } from './command-environment.ts';
import { findDefinition } from './definition.ts';
import { pipelineIdOf } from './describe-gate.ts';

/** The pipeline of a workflow, as its trusted commit defines it. */
export interface NamedPipeline {
  readonly id: string;
  /** `undefined`: no file defines it. */
  readonly defined: Pipeline | undefined;
}

/** The pipeline of a workflow file, for a job that runs none of its gates. */
export async function namedPipeline(
  { world, inputs, event }: ActionInvocation,
  workflow: string,
): Promise<NamedPipeline> {
  const { environment } = await commandEnvironment(world.environment, event.temp);
  const { pipeline } = await findDefinition(event, inputs, environment);
  return { id: pipeline?.id ?? inputs.pipeline ?? pipelineIdOf(workflow), defined: pipeline };
}
