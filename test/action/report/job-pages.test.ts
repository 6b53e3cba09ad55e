import { describe, expect, it } from 'vitest';
import { jobPages } from '../../../src/action/report/job-pages.ts';
import { createRestClient } from '../../../src/github/rest/rest.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { beginJob } from '../../support/github/workflow-runs.ts';

const RUN = 'https://github.com/octo/gates/actions/runs/1';

describe('the page of a job', () => {
  /** Pages of jobs of a run whose jobs have these names and conclusions. */
  async function pagesOf(jobs: readonly (readonly [string, 'success' | 'failure' | null])[]) {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'report' });
    const run = service.world.runs.get(1)!;
    const ids = jobs.map(([name, conclusion]) => {
      const begun = beginJob(service.world, run, name, 1);
      begun.conclusion = conclusion;
      return `${RUN}/job/${begun.id}`;
    });
    const { token, env } = job;
    const rest = createRestClient({ apiUrl: env['GITHUB_API_URL']!, repository: env['GITHUB_REPOSITORY']!, token });
    return { ids, pageOf: await jobPages(rest, '1', RUN) };
  }

  it('is found by its name, in a reusable workflow too', async () => {
    const { ids, pageOf } = await pagesOf([
      ['plan', 'success'],
      ['call / write', 'success'],
      ['plans', 'success'],
    ]);
    expect([pageOf('plan'), pageOf('write'), pageOf('pla')]).toEqual([ids[0], ids[1], undefined]);
  });

  it('is that of the leg that is not green; none if all are', async () => {
    const { ids, pageOf } = await pagesOf([
      ['review (go)', 'success'],
      ['review (ts)', 'failure'],
      ['check (a)', 'success'],
      ['check (b)', 'success'],
    ]);
    expect([pageOf('review'), pageOf('check')]).toEqual([ids[1], undefined]);
  });

  it('is unknown if GitHub does not list the jobs', async () => {
    const rest = createRestClient({ apiUrl: 'http://127.0.0.1:9', repository: 'octo/gates', token: 'x' }).within(1);
    expect((await jobPages(rest, '1', RUN))('plan')).toBeUndefined();
  });
});
