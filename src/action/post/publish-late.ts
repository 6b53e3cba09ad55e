import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readStepState, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import type { AttemptDocument } from '../../store/github/document.ts';
import { verifyDecision } from '../verify-decision.ts';
import { openFolder, parseGateJob, parseToken, type GateJob } from '../gate/gate-job.ts';
import { judgeNeed, type VerifyDecision } from '../gate/judge-need.ts';
import { readGate } from '../gate/open-gate.ts';
import { publishEnd } from '../gate/publish-end.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import type { Runner } from '../runner.ts';
import { createServices } from '../services.ts';

/**
 * Uploads a document that its step could not upload. Agents can change the saved files, so the gate's job is verified by
 * the token, which was saved before the agent began, or else read again as at the start of the step.
 * @param state the folder of the job, as the step saved it
 */
export async function publishLate(state: string, environment: Environment, runner: Runner): Promise<void> {
  const { token } = readStepState(environment);
  const job = await readJob(environment);
  const inputs = readInputs('gate', environment);
  const services = createServices({ job, token: inputs['github-token'], environment, runner, waitMs: 60_000 });
  const gateJob = token
    ? parseGateJob(await readFile(join(state, 'job.json')), parseToken(token).digest)
    : { ...(await readGate(job, inputs, services)).gateJob, state };
  const document = JSON.parse(await readFile(join(state, 'end.json'), 'utf8')) as AttemptDocument;
  const problem = await explainForgery(document, gateJob, (other, pipeline) =>
    verifyDecision(job, services, pipeline, other),
  );
  if (problem !== undefined)
    throw new GatelineError('failed', `what ${gateJob.unit} left ${problem}: it is not uploaded`);
  await using folder = await openFolder(gateJob, environment, services.observe);
  const isRemembered = document.isRemembered && gateJob.trust.savesPointers;
  await publishEnd({ gateJob, folder }, { ...document, job: gateJob.job, isRemembered }, services.artifacts);
  const use = isRemembered ? ': a re-run uses its output' : '';
  runner.annotate('notice', `What ${gateJob.unit} left was uploaded after its step had ended${use}.`);
}

/** Why a document is forged: its verdict is not the one that its contract gives. Undefined: it is not. */
async function explainForgery(
  document: AttemptDocument,
  { unit, pipeline, contracts, assignment }: GateJob,
  verifyDecision: VerifyDecision,
): Promise<string | undefined> {
  if (document.entry.unit !== unit) return 'names another gate';
  const { subject, isSubjectGiven, metadata } = assignment;
  const { verdict, refusal, isProven } = await judgeNeed(document, {
    pipeline,
    contracts: new Map(contracts),
    subject: isSubjectGiven ? subject : null,
    metadata,
    verifyDecision,
  });
  const { status } = document.entry.verdict;
  const hasReason = document.output !== undefined || status === 'failed' || refusal === undefined;
  return isProven && verdict.status === status && hasReason ? undefined : `is not what its contract says`;
}
