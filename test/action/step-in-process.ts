import type { ActionInvocation } from '../../src/action/invocation.ts';
import { readStep } from '../../src/action/job/read-step.ts';
import { ACTION_PROGRAMS } from '../support/action-files.ts';
import { plainEnvironment } from '../support/command-line.ts';
import type { JobEnvironment } from '../support/github/job-environment.ts';
import { runnerIn } from '../support/runner/lent-process.ts';

/** A step of a job, in this process. */
export interface StepInProcess {
  readonly invocation: ActionInvocation;
  /** What it wrote to its log, with the commands to the runner. */
  readonly log: () => string;
}

/** @param inputs as `with:` has them */
export async function stepInProcess(
  job: JobEnvironment,
  inputs: Readonly<Record<string, string>> = {},
): Promise<StepInProcess> {
  const given = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const environment = { ...plainEnvironment(), ...job.env, ...Object.fromEntries(given) };
  let written = '';
  const runner = runnerIn(environment, (text) => void (written += text));
  const program = ACTION_PROGRAMS.main;
  const world = { environment, runner, program, now: () => new Date(), signal: new AbortController().signal };
  return { invocation: { world, ...(await readStep(world)) }, log: () => written };
}
