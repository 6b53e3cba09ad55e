import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';

const jobsSchema = z
  .object({
    jobs: z.array(z.object({ id: z.int().positive(), name: z.string(), conclusion: z.string().nullish() })),
  })
  .transform(({ jobs }) => jobs);

type ApiJob = z.infer<typeof jobsSchema>[number];

/**
 * The pages of a run's jobs by their id in the workflow file. A job with a `name` of its own and a matrix that is green
 * have no page: callers link to the run instead. So they do if GitHub does not list the jobs.
 * @param run the page of the run
 */
export async function jobPages(
  rest: RestClient,
  runId: string,
  run: string,
): Promise<(job: string) => string | undefined> {
  const jobs = await jobsOf(rest, runId);
  return (job) => {
    const found = jobs.filter(({ name }) => isOf(job, name) || isOf(job, name.slice(name.lastIndexOf(' / ') + 3)));
    const red = found.find(({ conclusion }) => conclusion !== 'success' && conclusion !== 'skipped');
    const page = found.length > 1 ? red : found[0];
    return page && `${run}/job/${page.id}`;
  };
}

/** GitHub calls a leg `<job> (<values>)`, and a job of a reusable workflow `<caller> / <job>`. */
function isOf(job: string, name: string): boolean {
  return name === job || name.startsWith(`${job} (`);
}

async function jobsOf(rest: RestClient, runId: string): Promise<readonly ApiJob[]> {
  try {
    return (
      await rest.list({ method: 'GET', path: `/repos/${rest.repository}/actions/runs/${runId}/jobs` }, jobsSchema)
    ).items;
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    return [];
  }
}
