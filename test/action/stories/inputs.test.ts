import { expect, it } from 'vitest';
import { agent, troubles, useGithub, worked } from './support.ts';

const world = useGithub();
const needs = '${{ toJSON(needs) }}';
const gate = (inputs: Readonly<Record<string, string>>, more: object = {}) => ({
  'runs-on': 'ubuntu-latest',
  permissions: { contents: 'read', actions: 'read' },
  outputs: { attempt: '${{ steps.gate.outputs.attempt }}', status: '${{ steps.gate.outputs.status }}' },
  steps: [
    { uses: 'actions/checkout@v5', with: { path: 'sub' } },
    { id: 'gate', uses: 'gateline/gateline@v1', env: { KEY: '${{ secrets.KEY }}' }, with: { path: 'sub', ...inputs } },
  ],
  ...more,
});

it('gates that steps describe are judged, reused and reported as those of a gateline.yml', async () => {
  const check = 'test "$(node -p "require(process.env.GATELINE_REQUEST).needs.plan.output.score")" = 90';
  const jobs = {
    setup: { 'runs-on': 'ubuntu-latest', steps: [{ run: 'true' }] },
    plan: gate(
      {
        ...{
          run: agent('{"score": 90, "key": "$KEY"}'),
          score: '/score',
          threshold: '80',
          inputs: 'idea.txt',
          secrets: 'KEY',
        },
        ...{ schema: 'plan.schema.json', checks: "output.score > 50\noutput.key != 'x'", needs },
      },
      { needs: 'setup' },
    ),
    code: gate(
      {
        definition: `run: |\n  ${agent('{"ok": true}', `${check}; echo code > code.txt`).replaceAll('\n', '\n  ')}\nfiles: [code.txt]\noutput:\n  schema: {type: object, required: [ok]}`,
        needs,
      },
      { needs: ['setup', 'plan'] },
    ),
    low: gate(
      { run: agent('{"score": 50, "code": "$(cat code.txt)"}'), score: '/score', inputs: 'idea.txt', needs },
      { needs: 'code' },
    ),
    typo: gate({ run: agent('{}'), score: '/score', treshold: '90' }),
    idle: gate({ checks: 'output.ok' }),
    report: {
      needs: ['setup', 'plan', 'code', 'low', 'typo', 'idle'],
      if: 'always()',
      'runs-on': 'ubuntu-latest',
      permissions: { contents: 'read', actions: 'read' },
      steps: [
        { uses: 'actions/checkout@v5', with: { path: 'sub' } },
        { uses: 'gateline/gateline/report@v1', with: { needs, path: 'sub' } },
      ],
    },
  };
  const schema = {
    type: 'object',
    required: ['score'],
    properties: { score: { type: 'number' }, key: { type: 'string' } },
  };
  const files = {
    '.github/workflows/own.yml': JSON.stringify({ name: 'Own', on: 'push', jobs }),
    'plan.schema.json': JSON.stringify(schema),
    'idea.txt': '',
  };
  const repository = await world.create({ files, secrets: { KEY: 'long-secret-value' } });
  const run = await repository.push();
  expect(troubles(run), run.job('plan').log + run.job('code').log).toEqual([
    'idle failure',
    'low failure',
    'report failure',
    'typo failure',
  ]);
  expect(run.job('low').outputs['status']).toBe('partial');
  expect(run.job('typo').log).toContain('there is no input `treshold`: did you mean `threshold`?');
  expect(run.job('idle').annotations).toMatchObject([
    { message: expect.stringMatching(/^idle has no command\nGive the step `run`, or let another step/) },
  ]);
  // The gate has annotated it.
  const messages = run.jobs.flatMap(({ annotations }) => annotations.map(({ message }) => message));
  expect(messages.filter((message) => message.includes('50, below the threshold'))).toHaveLength(1);
  const { summary } = run.job('report');
  expect(summary).toContain('2 of 3 gates done');
  expect(summary).toContain('no result (job typo: failure)');
  const stored = repository.data.artifacts.map(({ blob }) => blob.content?.toString() ?? '').join('\n');
  expect(stored).not.toContain('long-secret-value');
  // A score below the threshold is an output: it is judged again, and the threshold may have changed.
  const lower = JSON.stringify({
    name: 'Own',
    on: 'push',
    jobs: {
      ...jobs,
      low: {
        ...jobs.low,
        steps: [jobs.low.steps[0], { ...jobs.low.steps[1], with: { ...jobs.low.steps[1]!.with, threshold: '50' } }],
      },
    },
  });
  const second = await repository.push({ files: { '.github/workflows/own.yml': lower } });
  expect([worked(second), troubles(second)]).toEqual([['code'], ['idle failure', 'report failure', 'typo failure']]);
  expect(second.job('report').summary).toContain('Last runs (1)');
});
