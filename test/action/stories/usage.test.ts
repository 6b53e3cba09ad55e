import { expect, it } from 'vitest';
import { agent, pipelineFiles, troubles, useGithub } from './support.ts';

const world = useGithub();
const GATES = {
  value: { run: agent('{}') },
  id: { run: agent('{}') },
  run: { run: agent('{}') },
  needs: { run: agent('{}'), needs: ['value'] },
  outside: { run: agent('{}') },
};
const step = (inputs: object) => ({
  steps: [{ uses: 'actions/checkout@v5' }, { id: 'gate', uses: 'gateline/gateline@v1', with: inputs }],
});

it('a slip in the workflow is named, with what to repair and no advice to run it again', async () => {
  const jobs = {
    value: step({ 'no-secret': 'maybe' }),
    id: step({ gate: 'ID' }),
    run: step({ resume: 'yesterday' }),
    needs: { ...step({ needs: 'design' }), if: 'always()' },
    outside: step({ file: '../gateline.yml' }),
  };
  const repository = await world.create({ files: pipelineFiles(GATES, { jobs }), parallel: 4 });
  const run = await repository.push();
  expect(troubles(run)).toEqual([...Object.keys(GATES), 'report'].map((id) => `${id} failure`).toSorted());
  const errors = Object.keys(GATES).map((id) => [
    id,
    run
      .job(id)
      .annotations.map(({ message }) => message)
      .join(),
  ]);
  expect(errors).toEqual([
    ['value', expect.stringMatching(/`no-secret`: .*"fail"\|"skip"\nCorrect the step that uses `gate`/)],
    ['id', expect.stringContaining('Name one by `gate`: value, id, run, needs, outside.')],
    ['run', expect.stringMatching(/`resume` is not the id .*\nBoth are in the address of its page/)],
    ['needs', expect.stringContaining('Write `needs: ${{ toJSON(needs) }}`.')],
    ['outside', expect.stringContaining('`file` is a path below `path`')],
  ]);
  const { summary } = run.job('report');
  expect(summary).toContain('Look at the job of value: repair what its error names, then push');
  expect(run.jobs.map((job) => job.summary + job.log).join()).not.toContain('gh run rerun');
});
