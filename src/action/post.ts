import { ACTION_STATE } from '../environment.ts';
import type { ActionInvocation, ActionWorld, StepResult } from './invocation.ts';
import { readInputs } from './inputs/inputs.ts';
import { readStep } from './job/read-step.ts';
import { schemaForStep } from './inputs/schema-for-step.ts';

/** The arguments of the post step, to settle a claim that may be open. */
export interface PostInvocation extends ActionInvocation {
  /** The token that main saved ({@link ACTION_STATE}). */
  readonly claim: string;
  /** Main finished. False: it was killed, or its process ended early. */
  readonly finished: boolean;
  /** The exit code of the agent that main started, if it ended. */
  readonly agentExit: number | undefined;
}

/**
 * Settles a claim that may still be open when the job ends: an outage, a failed agent, a cancelled job, a `complete`
 * that never ran (`inputs.jobStatus` says how the job ended). Outputs of a post step are not available to other steps;
 * if it is red, the job is red.
 */
export type PostHook = (invocation: PostInvocation) => Promise<StepResult>;

/** Runs the post step: reports if main was interrupted, and settles an open claim. True: green. */
export async function runPost(world: ActionWorld, settle: () => Promise<PostHook>): Promise<boolean> {
  const { runner } = world;
  const claim = runner.getState(ACTION_STATE.claim);
  const finished = runner.getState(ACTION_STATE.finished) === 'true';
  const ok = finished || (await reportCutShort(world));
  if (claim === '') return ok;
  const { inputs, event } = await readStep(world);
  const hook = await settle();
  const exit = runner.getState(ACTION_STATE.agentExit);
  const agentExit = /^-?\d{1,10}$/.test(exit) ? Number(exit) : undefined;
  const result = await hook({ world, inputs, event, claim, finished, agentExit });
  if (!result.ok) runner.annotate('error', result.message, { title: result.title });
  else if (result.message !== '') runner.info(result.message);
  return ok && result.ok;
}

/** A step that ended without doing anything must not leave a green job. A cancelled or failed job is not green. */
async function reportCutShort({ runner, environment }: ActionWorld): Promise<boolean> {
  const read = readInputs(environment, runner, await schemaForStep(runner));
  const status = read.ok ? read.inputs.jobStatus : undefined;
  const isRed = status === 'failure' || status === 'cancelled';
  const message = 'The Gateline step ended before it finished. The gate may have no result.';
  runner.annotate(isRed ? 'warning' : 'error', message, { title: 'Gateline was interrupted' });
  return isRed;
}
