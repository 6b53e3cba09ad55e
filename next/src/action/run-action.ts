import { currentEnvironment } from '../environment.ts';
import { readInputs, type ActionName, type Inputs } from './inputs.ts';
import { readJob, type Job } from './job.ts';
import { createServices, type Services } from './services.ts';
import { runStep } from './step.ts';

/** An action: what it does in a job, and how long it waits for GitHub. */
export interface Action<Name extends ActionName> {
  /** Milliseconds in which calls of GitHub are tried again. */
  readonly waitMs: (inputs: Inputs<Name>) => number;
  /** @returns whether the step is green */
  readonly run: (job: Job, inputs: Inputs<Name>, services: Services, signal: AbortSignal) => Promise<boolean>;
}

/** Runs an action as the step of a job. */
export function runAction<Name extends ActionName>(name: Name, { waitMs, run }: Action<Name>): void {
  runStep(async (runner, signal) => {
    const environment = currentEnvironment();
    const job = await readJob(environment);
    const inputs = readInputs(name, environment);
    const token = inputs['github-token'];
    const services = createServices({ job, token, environment, runner, waitMs: waitMs(inputs) });
    return run(job, inputs, services, signal);
  });
}
