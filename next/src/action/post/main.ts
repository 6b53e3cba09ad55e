import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { currentEnvironment } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import { openFolder, parseGateJob, parseToken, type GateJob } from '../gate-job.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { publishEnd, type GateEnd } from '../publish-end.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The post step of `gate` and `begin`: uploads what a step had finished and could not upload before it was ended. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const { STATE_state, STATE_published, STATE_token } = environment;
  const claim = STATE_token ? parseToken(STATE_token) : undefined;
  const state = claim?.state ?? STATE_state;
  if (!state || STATE_published === 'true') return true;
  const has = (name: string) =>
    access(join(state, name)).then(
      () => true,
      () => false,
    );
  const [isEnded, isPublished] = await Promise.all([has('end.json'), has('published.json')]);
  if (!isEnded) {
    // A job whose step was lost is red anyway.
    if (!isPublished)
      runner.annotate(
        'warning',
        'No step `complete` has ended what `begin` began: later jobs get nothing of this gate.',
      );
    return true;
  }
  const bytes = await readFile(join(state, 'job.json'));
  const gateJob = claim ? parseGateJob(bytes, claim.digest) : (JSON.parse(bytes.toString()) as GateJob);
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
  return true;
});
