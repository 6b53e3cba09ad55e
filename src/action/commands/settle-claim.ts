import { completeGate, type Completion } from '../../engine/complete.ts';
import { readToken, type ClaimToken } from '../../engine/attempt/claim-token.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { unitOf, type EndedRecord } from '../../run/records/record.ts';
import { engineLog } from '../step/engine-log.ts';
import type { StepResult } from '../invocation.ts';
import { openClaimedJob } from '../job/job.ts';
import { openJobStore, type JobStore, type ClaimEnding } from '../records/job-store.ts';
import type { PostInvocation } from '../post.ts';
import { leftBy, stoppedBy } from '../step/stopped.ts';
import { reportUnsaved } from '../step/unsaved-output.ts';

/**
 * Settles a claim in the post step: uploads the end of an attempt that could not be uploaded, completes an attempt
 * whose agent has finished, and ends any other with the kind that follows from the job's status. So no attempt stays
 * open and nothing waits for it. If GitHub does not accept the result here either, it is shown in the log and the
 * summary.
 *
 * Post steps run in reverse order: that of `complete` comes before that of `begin`, which is the last. So the first one
 * does not wait for anything.
 */
export async function settleClaim(invocation: PostInvocation): Promise<StepResult> {
  const { claim, inputs } = invocation;
  const token = readToken(claim);
  const isLast = inputs.command !== 'complete';
  const waits = isLast ? (inputs.jobStatus === 'cancelled' ? 'cancelled' : 'unhurried') : 'once';
  const store = await openJobStore(invocation, { token, waits } satisfies ClaimEnding);
  try {
    return await settle(invocation, token, store);
  } catch (error) {
    const end = await store.claims.endOf(token);
    if (end.state !== 'waiting' || !(error instanceof GatelineError)) throw error;
    const { record } = end;
    if (isLast) return reportUnsaved(invocation, store.records, record, error);
    return fine(
      `gate ${unitOf(record)}: the next post step will upload the result of attempt ${record.n}: ${error.message}`,
    );
  }
}

async function settle(invocation: PostInvocation, token: ClaimToken, store: JobStore): Promise<StepResult> {
  const end = await store.claims.endOf(token);
  if (end.state === 'recorded') return fine('');
  if (end.state === 'waiting') {
    const { record } = end;
    await store.records.write(record);
    return fine(
      `gate ${unitOf(record)}: the result of attempt ${record.n} is recorded after all (${record.verdict.kind})`,
    );
  }
  const job = await openClaimedJob(invocation, token, store);
  const log = engineLog(invocation.world.runner);
  try {
    const ended = await completeGate(job.ports, job.assignment, completionOf(invocation), log, job.call);
    if (invocation.inputs.jobStatus !== 'cancelled') await store.settled();
    return resultOf(invocation, ended);
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'ALREADY_COMPLETED') return fine('');
    throw error;
  }
}

/** How the agent ended, as far as known: its own exit code, the inputs of `complete`, or the job's status. */
function completionOf({ claim: token, inputs, agentExit }: PostInvocation): Completion {
  switch (inputs.command) {
    case 'complete': {
      const stopped = stoppedBy(inputs.outcome);
      return { token, ...(stopped && { stopped }) };
    }
    case 'run':
      if (agentExit !== undefined) return { token, exitCode: agentExit, last: true };
      return { token, stopped: leftBy(inputs.jobStatus), last: true };
    default: {
      // If nothing failed, the agent did not fail: its output is used although no step collected it.
      const stopped = inputs.jobStatus === 'success' ? undefined : leftBy(inputs.jobStatus);
      return { token, ...(stopped && { stopped }), last: true };
    }
  }
}

function resultOf({ inputs, agentExit }: PostInvocation, ended: EndedRecord): StepResult {
  const about = `gate ${unitOf(ended)}: attempt ${ended.n}`;
  const isFinished = inputs.command === 'complete' || (inputs.command === 'run' && agentExit !== undefined);
  if (isFinished) return fine(`${about} was completed here, and is recorded as ${ended.verdict.kind}`);
  // If the job is green so far, later jobs would continue without a gate.
  const ok = inputs.jobStatus !== 'success' && inputs.jobStatus !== undefined;
  const more = ok ? '' : '. Add a step with `command: complete` after the agent, with `if: always()`';
  return {
    ok,
    title: 'Gate never completed',
    message: `${about} was not completed and is now recorded as ${ended.verdict.kind}${more}`,
  };
}

function fine(message: string): StepResult {
  return { ok: true, title: '', message };
}
