import '../../configure-zod.ts';
import { currentEnvironment } from '../../environment.ts';
import { applyFiles } from './apply.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The action `apply`: lays the files of gates into the checkout. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const job = await readJob(environment);
  const inputs = readInputs('apply', environment);
  return applyFiles(
    job,
    inputs,
    createServices({ job, token: inputs['github-token'], environment, runner, waitMs: 300_000 }),
  );
});
