import '../../configure-zod.ts';
import { currentEnvironment } from '../../environment.ts';
import { beginGate } from '../gate/gate.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The action `begin`: prepares the agent that is the next step. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const job = await readJob(environment);
  const inputs = readInputs('begin', environment);
  const waitMs = (inputs['outage-minutes'] ?? 5) * 60_000;
  return beginGate(job, inputs, createServices({ job, token: inputs['github-token'], environment, runner, waitMs }));
});
