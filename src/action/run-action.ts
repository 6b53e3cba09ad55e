import { currentEnvironment } from '../environment.ts';
import { OUTAGE_MS, readInputs, type ActionName, type Inputs } from './inputs.ts';
import { readJob, type Job } from './job.ts';
import { createServices, type Services } from './services.ts';
import { runStep } from './step.ts';

/**
 * Runs an action as the step of a job.
 * @param run returns whether the step is green
 * @param waitMs milliseconds in which calls of GitHub are tried again
 */
export function runAction<Name extends ActionName>(
  name: Name,
  run: (job: Job, inputs: Inputs<Name>, services: Services, signal: AbortSignal) => Promise<boolean>,
  waitMs: (inputs: Inputs<Name>) => number = () => OUTAGE_MS,
): void {
  runStep(async (runner, signal) => {
    const environment = currentEnvironment();
    const job = await readJob(environment);
    const inputs = readInputs(name, environment);
    const token = inputs['github-token'];
    const services = createServices({ job, token, environment, runner, waitMs: waitMs(inputs) });
    return run(job, inputs, services, signal);
  });
}
