import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

const world = useGithub();

it('of two runs of a pull request at once the comment shows the newer one, and reports compare with main', async () => {
  const wait = 'if [ -e wait.txt ]; then echo begun; while [ ! -e "$GO" ]; do sleep 0.1; done; fi';
  const metrics = `echo "{\\"costUsd\\": $(cat cost.txt)}" > "$GATELINE_METRICS"`;
  const gates = {
    work: { run: agent('{"score": 90}', `${wait}\n${metrics}`), output: { score: '/score', threshold: 80 } },
    other: { run: agent('{}'), inputs: [] },
  };
  const repository = await world.create({ files: { ...pipelineFiles(gates, { comment: true }), 'cost.txt': '2' } });
  const go = join(repository.gitFolder, '../go');
  const machine = { GO: go };
  expect((await repository.push({ machine })).conclusion).toBe('success');
  expect(repository.data.comments).toEqual([]);

  const pull = await repository.openPull({ branch: 'feature', files: { 'wait.txt': '' } });
  const older = await repository.start('pull_request', { pull, machine });
  await (await older.job('work')).logged(/\| begun$/);
  await repository.openPull({ branch: 'feature', files: { 'wait.txt': null, 'cost.txt': '3' } });
  const newer = await (await repository.start('pull_request', { pull, machine })).completed;
  expect([worked(newer), troubles(newer)], logsOf(newer)).toEqual([['work'], []]);
  const [comment] = repository.data.comments;
  expect(comment?.body).toContain(`runs/${newer.id}`);
  await writeFile(go, '');
  const end = await older.completed;
  expect(troubles(end), logsOf(end)).toEqual([]);
  expect(end.job('report').log).toContain('The comment was kept');
  expect(repository.data.comments).toHaveLength(1);
  expect(comment?.body).toContain(`runs/${newer.id}`);

  const { summary } = newer.job('report');
  expect(summary).toMatch(/^\*\*1 of 2 gates used again/m);
  expect(summary).toContain('$3.00 (+$1.00)');
  expect(summary).toMatch(/in brackets: against \[run 1\]\(.*\) of the default branch/);
  expect(summary).toMatch(/Last runs \(1\): 100\s% completed/);
});
