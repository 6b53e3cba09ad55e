import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { currentEnvironment } from '../../environment.ts';
import { openJob, type GateJob } from '../gate-job.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { publishEnd } from '../publish-end.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';
import type { AttemptDocument } from '../../store/github/document.ts';

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
  const document = (await read('document.json')) as AttemptDocument;
  const open = await openJob(gateJob, environment, services.observe, () => Promise.resolve(undefined));
  await using _ = open.folder;
  await publishEnd(open, document, services.artifacts);
  runner.annotate('notice', `What ${gateJob.unit} left was uploaded after its step had ended: a re-run can use it.`);
  return true;
});
