import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Listing, RestClient } from './rest.ts';

/** A job of one attempt of a run. */
export interface RunJob {
  readonly id: number;
  /** As the page shows it, not the id in the workflow file: `build`, `build (ubuntu, 24)`, `caller / build`. */
  readonly name: string;
  readonly runAttempt: number;
  /** `queued`, `in_progress`, `completed`, `waiting`, `requested`, `pending`. */
  readonly status: string;
  /** `success`, `failure`, `cancelled`, `skipped`, `timed_out`, `neutral`, `action_required`; undefined before its end. */
  readonly conclusion: string | undefined;
}

/** Jobs, or why there are none to be had. */
export type RunJobs =
  | { readonly known: true; readonly jobs: readonly RunJob[] }
  /** One sentence for people. */
  | { readonly known: false; readonly notice: string };

const jobsSchema = z
  .object({
    jobs: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        run_attempt: z.int().optional(),
        status: z.string(),
        conclusion: z.string().nullish(),
      }),
    ),
  })
  .transform(({ jobs }) => jobs);

/** Jobs read of one attempt: 10 pages of 100. */
const PAGES = 10;

/**
 * The jobs of an attempt with their conclusions: what shows that a gate's job is gone. 1 request for 100 jobs. Never throws for
 * what GitHub refuses or does not answer; then nothing is known, which is not the same as no jobs.
 */
export async function listRunJobs(rest: RestClient, runId: number, runAttempt: number): Promise<RunJobs> {
  const path = `/repos/${rest.repository}/actions/runs/${runId}/attempts/${runAttempt}/jobs`;
  let found: Listing<z.infer<typeof jobsSchema>[number]>;
  try {
    found = await rest.list({ method: 'GET', path }, jobsSchema, { pages: PAGES });
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    return { known: false, notice: `The jobs of this run could not be listed: ${error.message}` };
  }
  if (!found.complete) return { known: false, notice: 'The run has more jobs than Gateline reads.' };
  const jobs = found.items.map(({ id, name, run_attempt, status, conclusion }) => ({
    id,
    name,
    runAttempt: run_attempt ?? runAttempt,
    status,
    conclusion: conclusion ?? undefined,
  }));
  return { known: true, jobs };
}
