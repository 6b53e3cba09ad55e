import { GatelineError } from '../../errors/gateline-error.ts';
import { wavesOf } from '../../pipeline/waves.ts';
import { count } from '../../report/text.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { commandEnvironment } from '../job/command-environment.ts';
import { findDefinition } from '../job/definition.ts';

/** `command: waves`: the gates of the file as matrices for the jobs of `pipeline.yml`. Starts nothing. */
export async function execute({ world, inputs, event }: ActionInvocation): Promise<StepResult> {
  const { environment } = await commandEnvironment(world.environment, event.temp);
  const { pipeline, missing, notices } = await findDefinition(event, inputs, environment);
  for (const notice of notices) world.runner.annotate('warning', notice);
  if (pipeline === undefined) throw missing ?? new GatelineError('PIPELINE_MISSING', 'there is no gateline.yml');
  const waves = wavesOf(pipeline);
  world.runner.setOutput('waves', JSON.stringify(waves));
  const units = waves.flat().length;
  const these = units === 1 ? '1 gate or leg' : `${units} gates and legs`;
  return { ok: true, title: 'Waves', message: `${these} in ${count(waves.length, 'wave')}` };
}
