import '../../configure-zod.ts';
import { currentEnvironment } from '../../environment.ts';
import { parseToken } from '../gate/gate-job.ts';
import { completeGate } from '../gate/gate.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The action `complete`: judges and publishes what the agent wrote. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const job = await readJob(environment);
  const inputs = readInputs('complete', environment);
  const token = inputs['github-token'];
  const { outageMs: waitMs } = parseToken(inputs.token);
  return completeGate(inputs, createServices({ job, token, environment, runner, waitMs }));
});
