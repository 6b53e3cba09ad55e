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

it('an error in the workflow is named, with what to repair and no advice to run it again', async () => {
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

it('steps may describe gates, and a report show them, in a repository with a definition for others', async () => {
  const gate = { run: agent('{"score": 90}'), score: '/score', inputs: '*.txt' };
  const with_ = { needs: '${{ toJSON(needs) }}', file: 'none' };
  const job = (inputs: object) => ({
    needs: ['judge'],
    if: 'always()',
    'runs-on': 'ubuntu-latest',
    steps: [{ uses: 'actions/checkout@v5' }, { uses: 'gateline/gateline/report@v1', with: inputs }],
  });
  const judge = {
    'runs-on': 'ubuntu-latest',
    outputs: { attempt: '${{ steps.gate.outputs.attempt }}' },
    steps: [{ uses: 'actions/checkout@v5' }, { id: 'gate', uses: 'gateline/gateline@v1', with: gate }],
  };
  const jobs = { judge, report: job(with_), lost: job({ ...with_, file: '' }) };
  const files = {
    'gateline.yml': JSON.stringify({ pipeline: 'other', gates: { x: { run: ':' } } }),
    '.github/workflows/described.yml': JSON.stringify({ on: 'push', jobs }),
  };
  const run = await (await world.create({ files })).push();
  expect(troubles(run), run.job('report').log).toEqual(['lost failure']);
  expect(run.job('report').summary).toContain('judge');
  expect(run.job('lost').annotations[0]!.message).toMatch(
    /is of the pipeline 'described', not of 'other'\n.*a report needs `file: none`/,
  );
});
