import { completeGate } from '../engine/complete.ts';
import { readToken } from '../engine/claim-token.ts';
import { GatelineError } from '../errors/gateline-error.ts';
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
  const written = await writePending(job);
  if (written > 0) return fine(`gate ${job.key}: the end of its attempt was written after all`);
  const stopped = leftBy(inputs.jobStatus);
  try {
    const ended = await completeGate(
      job.ports,
      job.assignment,
      { token: claim, stopped },
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

/** Ends of attempts that are on this runner and were never uploaded. */
async function writePending({ store }: Job): Promise<number> {
  const { records } = await store.pending.read();
  for (const record of records) await store.records.write(record);
  return records.length;
}

function fine(message: string): StepResult {
  return { ok: true, title: '', message };
}
