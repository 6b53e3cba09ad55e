import { describe, expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

const METRICS = `printf '{"costUsd": 0.5}' > "$GATELINE_METRICS"`;
const GATES = {
  design: { run: agent('{"plan": "$(cat idea.txt)"}', METRICS), inputs: ['idea.txt'] },
  implement: {
    needs: ['design'],
    run: agent('{"done": true}', `${METRICS}\ncp idea.txt made.txt`),
    inputs: ['idea.txt'],
    files: ['made.txt'],
  },
  review: {
    needs: ['implement'],
    run: agent('{"score": $(cat score.txt)}', 'test "$(cat made.txt)" = "$(cat idea.txt)"\ntest ! -e broken.txt'),
    inputs: ['score.txt', 'broken.txt', 'made.txt'],
    output: { score: '/score', threshold: 80 },
  },
};
const FIX = { 'broken.txt': null, 'score.txt': '90' };
const FILES = { ...pipelineFiles(GATES), 'idea.txt': 'a page', 'score.txt': '50', 'broken.txt': '' };

async function startChain(world: ReturnType<typeof useGithub>) {
  const repository = await world.create({ files: FILES });
  const first = await repository.push();
  expect(worked(first)).toEqual(['design', 'implement', 'review']);
  expect(troubles(first)).toEqual(['report failure', 'review failure']);
  expect(first.job('review').log).toContain('exit code 1');
  return { repository, first };
}

describe.each(['run', 'attempt'] as const)('a chain of three gates, where a job sees artifacts of its %s', (mode) => {
  const world = useGithub({ mode });

  it('runs only what failed in a re-run of failed jobs, and nothing in one of all jobs', async () => {
    const { repository, first } = await startChain(world);
    const failed = await first.rerun('failed');
    expect(failed.started).toEqual(['review', 'report']);
    expect([worked(failed), troubles(failed)]).toEqual([['review'], ['report failure', 'review failure']]);
    const fixed = await repository.push({ files: FIX });
    expect([worked(fixed), troubles(fixed)], logsOf(fixed)).toEqual([['review'], []]);
    expect(fixed.job('report').summary).toMatch(/^\*\*2 of 3 gates used again: saved \$1\.00/m);
    expect(fixed.job('design').summary).toMatch(/^Used again: saved \$0\.50/);
    // An earlier run has one for other inputs.
    expect(fixed.job('review').log).toContain('attempt 1 starts: it has no output for these inputs\n');
    const all = await fixed.rerun('all');
    expect([all.started.length, worked(all), troubles(all)], logsOf(all)).toEqual([4, [], []]);
    const { summary } = all.job('report');
    expect(summary).toMatch(/^\*\*3 of 3 gates used again: saved \$1\.00/m);
    // There is no other completed run to compare with.
    expect(summary).not.toContain('in brackets');
  });
});

describe('a run that resumes another', () => {
  const world = useGithub();

  it('uses what that has, by its id or address; what the cache has forgotten, any job of that run may have made', async () => {
    const { repository, first } = await startChain(world);
    await repository.commit(FIX);
    const resumed = await repository.dispatch({ inputs: { resume: String(first.id) } });
    expect([worked(resumed), troubles(resumed)], logsOf(resumed)).toEqual([['review'], []]);
    repository.data.caches.length = 0;
    const resume = `https://github.com/octo/gates/actions/runs/${resumed.id}/attempts/1`;
    const again = await repository.dispatch({ inputs: { resume } });
    expect([worked(again), again.job('design').conclusion]).toEqual([[], 'failure']);
    expect(again.job('design').annotations).toMatchObject([
      { message: expect.stringMatching(/no cache entry names it\n.*Start the workflow without `resume`/) as string },
    ]);
  });
});
