import { completeGate } from '../engine/complete.ts';
import { readToken, type ClaimToken } from '../engine/claim-token.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import type { EndedRecord } from '../run/record.ts';
import { isCompleted } from './completed-claims.ts';
import { engineLog } from './engine-log.ts';
import type { StepResult } from './invocation.ts';
import { openClaimedJob, type Job } from './job.ts';
import type { PostInvocation } from './post.ts';
import { leftBy } from './stopped.ts';

/**
 * What the post step does about a claim: writes the end of an attempt that could not be uploaded, and ends an attempt that
 * nobody completed with the kind that the job's status says. So no attempt is forgotten, and nobody waits for it.
 */
export async function settleClaim(invocation: PostInvocation): Promise<StepResult> {
  const { claim, inputs, event } = invocation;
  if (await isCompleted(event.temp, claim)) return fine('');
  const token = readToken(claim);
  const job = await openClaimedJob(invocation, token);
  const written = await writePending(job, token);
  if (written > 0) return fine(`gate ${job.key}: the end of its attempt was written after all`);
  const stopped = leftBy(inputs.jobStatus);
  try {
    const ended = await completeGate(
      job.ports,
      job.assignment,
      { token: claim, stopped, last: true },
      engineLog(invocation.world.runner),
      job.call,
    );
    const message = `gate ${job.key}: attempt ${ended.n} was left open and is now on record as ${ended.verdict.kind}`;
    // A job that is green so far would let later jobs go on without a gate.
    return {
      ok: inputs.jobStatus !== 'success' && inputs.jobStatus !== undefined,
      title: 'Gate never completed',
      message,
    };
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'ALREADY_COMPLETED') return fine('');
    throw error;
  }
}

/**
 * The end of this attempt, when it is on this runner and was never uploaded. The folder lies where an agent may write: no
 * record of anything else goes up, and what this one says of its output is judged again by whoever builds on it.
 */
async function writePending({ store }: Job, token: ClaimToken): Promise<number> {
  const { records } = await store.pending.read();
  const ends = records.filter((record) => record.kind === 'ended' && endsClaim(record, token)).slice(0, 1);
  for (const record of ends) await store.records.write(record);
  return ends.length;
}

function endsClaim(ended: EndedRecord, token: ClaimToken): boolean {
  return (
    ended.subject === token.subject &&
    ended.gate === token.gate &&
    ended.leg === token.leg &&
    ended.runNumber === token.run &&
    ended.runAttempt === token.call &&
    ended.n === token.n &&
    ended.fingerprint === token.fingerprint &&
    ended.contract === token.contract
  );
}

function fine(message: string): StepResult {
  return { ok: true, title: '', message };
}
