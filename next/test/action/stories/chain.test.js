import { describe, expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.js';
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
const FILES = { ...pipelineFiles(GATES), 'idea.txt': 'a page', 'score.txt': '50', 'broken.txt': '' };
describe.each(['run', 'attempt'])('a chain of three gates, where a job sees artifacts of its %s', (mode) => {
  const world = useGithub({ mode });
  it('runs only what is needed: after a fix, in re-runs of a run, and in a run that resumes another', async () => {
    const repository = await world.create({ files: FILES });
    const first = await repository.push();
    expect(worked(first)).toEqual(['design', 'implement', 'review']);
    expect(troubles(first)).toEqual(['report failure', 'review failure']);
    expect(first.job('review').log).toContain('exit code 1');
    const again = await first.rerun('failed');
    expect(again.started).toEqual(['review', 'report']);
    expect([worked(again), troubles(again)]).toEqual([['review'], ['report failure', 'review failure']]);
    const fixed = await repository.push({ files: { 'broken.txt': null, 'score.txt': '90' } });
    expect([worked(fixed), troubles(fixed)], logsOf(fixed)).toEqual([['review'], []]);
    const [saved] = fixed.job('report').summary.split('\n');
    expect(saved).toMatch(/^2 of 3 gates used: saved \$1\.00/);
    expect(fixed.job('design').summary).toMatch(/^Used again: saved \$0\.50/);
    const all = await fixed.rerun('all');
    expect([all.started.length, worked(all), troubles(all)], logsOf(all)).toEqual([4, [], []]);
    expect(all.job('report').summary).toMatch(/^3 of 3 gates used: saved \$1\.00/);
    // What the cache does not know any more, a run that a person names does.
    repository.data.caches.length = 0;
    const resumed = await repository.dispatch({ inputs: { resume: String(first.id) } });
    expect([worked(resumed), troubles(resumed)], logsOf(resumed)).toEqual([['review'], []]);
    const link = `https://github.com/octo/gates/actions/runs/${fixed.id}/attempts/2`;
    const resumedToo = await repository.dispatch({ inputs: { resume: link } });
    expect([worked(resumedToo), troubles(resumedToo)], logsOf(resumedToo)).toEqual([[], []]);
  });
});
