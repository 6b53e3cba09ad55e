import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { currentEnvironment } from '../../environment.ts';
import { openFolder, type GateJob } from '../gate-job.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { publishEnd, type GateEnd } from '../publish-end.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The post step of a gate: uploads what its step had finished and could not upload before it was ended. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const state = environment['STATE_state'];
  if (!state || environment['STATE_published'] === 'true') return true;
  const job = await readJob(environment);
  const inputs = readInputs('gate', environment);
  const services = createServices({ job, token: inputs['github-token'], environment, runner, waitMs: 60_000 });
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(state, name), 'utf8'));
  const gateJob = (await read('job.json')) as GateJob;
  const end = (await read('end.json')) as GateEnd;
  await using folder = await openFolder(gateJob, environment, services.observe);
  await publishEnd({ gateJob, folder }, end, services.artifacts);
  const use = end.isRemembered ? ': a re-run uses its output' : '';
  runner.annotate('notice', `What ${gateJob.unit} left was uploaded after its step had ended${use}.`);
  return true;
});
