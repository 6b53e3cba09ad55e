import '../../configure-zod.ts';
import { currentEnvironment } from '../../environment.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { reportRun } from './report.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The action `report`: shows the whole run, and is the check to require. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const job = await readJob(environment);
  const inputs = readInputs('report', environment);
  const services = createServices({ job, token: inputs['github-token'], environment, runner, waitMs: 300_000 });
  return reportRun(job, inputs, services);
});
