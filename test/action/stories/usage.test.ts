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

it('steps may describe gates, and a report show them, beside gates of a definition with their own report', async () => {
  const gate = { run: agent('{"score": 90}'), score: '/score', inputs: '*.txt' };
  const with_ = { needs: '${{ toJSON(needs) }}', file: 'none' };
  const job = (inputs: object, needs = 'judge') => ({
    needs: [needs],
    if: 'always()',
    'runs-on': 'ubuntu-latest',
    steps: [{ uses: 'actions/checkout@v5' }, { uses: 'gateline/gateline/report@v1', with: inputs }],
  });
  const judge = {
    'runs-on': 'ubuntu-latest',
    outputs: { attempt: '${{ steps.gate.outputs.attempt }}' },
    ...step(gate),
  };
  const own = { ...with_, file: '', html: true };
  const jobs = {
    judge,
    x: { ...judge, ...step({}) },
    report: job({ ...with_, html: true }),
    own: job(own, 'x'),
    lost: job({ ...with_, file: '' }),
  };
  const files = {
    'gateline.yml': JSON.stringify({ pipeline: 'other', gates: { x: { run: agent('{}') } } }),
    '.github/workflows/described.yml': JSON.stringify({ on: 'push', jobs }),
  };
  const repository = await world.create({ files });
  const run = await repository.push();
  expect(troubles(run), run.job('report').log).toEqual(['lost failure']);
  expect(run.job('report').summary).toContain('judge');
  const pages = repository.data.artifacts.filter(({ name }) => name.endsWith('.html')).map(({ name }) => name);
  expect(pages.toSorted()).toEqual(['described', 'other'].map((id) => `gateline-report.${id}.main.1.html`));
  expect(run.job('lost').annotations[0]!.message).toMatch(
    /is of the pipeline 'described', not of 'other'\n.*a report needs `file: none`/,
  );
});

it.each(['gateline.yml', 'none'])(
  'a job may be skipped if the report says so: the run is completed (%s)',
  async (file) => {
    const gate = file === 'none' ? { run: agent('{}'), inputs: '*.txt' } : {};
    const jobs = {
      value: { ...step(gate), outputs: { attempt: '${{ steps.gate.outputs.attempt }}' } },
      id: { ...step(gate), if: 'false' },
      report: step({ needs: '${{ toJSON(needs) }}', file, 'allow-skipped': 'id' }),
    };
    jobs.report.steps[1]!.uses = 'gateline/gateline/report@v1';
    const { value, id } = GATES;
    const repository = await world.create({ files: { ...pipelineFiles({ value, id }, { jobs }), 'a.txt': '' } });
    const run = await repository.push();
    const { annotations, summary } = run.job('report');
    expect([troubles(run), annotations], run.job('report').log).toEqual([['id skipped'], []]);
    expect(summary).toMatch(/^## ✅ passed: .*\n[^]*All gates are done/);
  },
);
