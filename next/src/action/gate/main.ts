import '../../configure-zod.ts';
import { currentEnvironment } from '../../environment.ts';
import { runGate } from './gate.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The action `gate`: runs the gate of this job. */
runStep(async (runner, signal) => {
  const environment = currentEnvironment();
  const job = await readJob(environment);
  const inputs = readInputs('gate', environment);
  const waitMs = (inputs['outage-minutes'] ?? 5) * 60_000;
  return runGate(
    job,
    inputs,
    createServices({ job, token: inputs['github-token'], environment, runner, waitMs }),
    signal,
  );
});
