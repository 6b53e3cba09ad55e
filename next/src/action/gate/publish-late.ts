import '../../configure-zod.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readStepState, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import { openFolder, parseGateJob, parseToken, type GateJob } from './gate-job.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { publishEnd, type GateEnd } from './publish-end.ts';
import type { Runner } from '../runner.ts';
import { createServices } from '../services.ts';

/**
 * Uploads what a step had finished and could not upload.
 * @param state the folder of the job, as the step saved it
 */
export async function publishLate(state: string, environment: Environment, runner: Runner): Promise<void> {
  const { token } = readStepState(environment);
  const bytes = await readFile(join(state, 'job.json'));
  const gateJob = token ? parseGateJob(bytes, parseToken(token).digest) : (JSON.parse(bytes.toString()) as GateJob);
  const end = JSON.parse(await readFile(join(state, 'end.json'), 'utf8')) as GateEnd;
  // The file has lain where the agent could write.
  if (end.document.entry.unit !== gateJob.unit)
    throw new GatelineError('failed', `what ${gateJob.unit} left names another gate: it is not uploaded`);
  const job = await readJob(environment);
  const inputs = readInputs('gate', environment);
  const services = createServices({ job, token: inputs['github-token'], environment, runner, waitMs: 60_000 });
  await using folder = await openFolder(gateJob, environment, services.observe);
  await publishEnd({ gateJob, folder }, end, services.artifacts);
  const use = end.isRemembered ? ': a re-run uses its output' : '';
  runner.annotate('notice', `What ${gateJob.unit} left was uploaded after its step had ended${use}.`);
}
