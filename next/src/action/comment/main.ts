import '../../configure-zod.ts';
import { currentEnvironment } from '../../environment.ts';
import { handleComment, requireEvent } from './comment.ts';
import { readInputs } from '../inputs.ts';
import { readJob } from '../job.ts';
import { createServices } from '../services.ts';
import { runStep } from '../step.ts';

/** The action `comment`: commands in comments, and comments about runs of forks. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const job = await readJob(environment);
  requireEvent(job);
  const inputs = readInputs('comment', environment);
  const services = createServices({ job, token: inputs['github-token'], environment, runner, waitMs: 60_000 });
  return handleComment(job, inputs, services);
});
