import { describe, expect, it } from 'vitest';
import { runAct } from '../support/act/act-run.ts';
import { ACT, tellWithoutAct } from '../support/act/act-tool.ts';
import { startResultsService } from '../support/github/results-service.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

const WORKFLOW = '.github/workflows/gates.yml';

const FILES = {
  [WORKFLOW]: `
name: gates
on:
  push:
  workflow_dispatch:
    inputs: { code: { type: string } }
jobs:
  one:
    runs-on: ubuntu-latest
    outputs: { word: '\${{ steps.spy.outputs.word }}' }
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with: { persist-credentials: false }
      - run: cat note.txt; git log --oneline | wc -l
      - { id: spy, uses: ./spy, with: { who: '\${{ github.actor }}' } }
      - { uses: octo/spy@v1 }
  two:
    needs: one
    runs-on: ubuntu-latest
    steps:
      - run: 'echo "\${{ needs.one.outputs.word }} in $(ls | wc -l) files"; env | sort'
      - run: exit \${{ inputs.code || 3 }}
      - if: always()
        run: |
          echo "::error file=a.ts,line=1::bad%25"
          echo "sum" >> "$GITHUB_STEP_SUMMARY"
  three:
    needs: two
    runs-on: ubuntu-latest
    steps: [{ run: 'true' }]
`,
  'note.txt': 'noted\n',
  'spy/action.yml': `
name: spy
inputs: { who: { default: nobody }, status: { default: '\${{ job.status }}' } }
runs: { using: node24, main: index.cjs, post: index.cjs }
`,
  'spy/index.cjs': `
const { appendFileSync } = require('node:fs');
const { env } = process;
appendFileSync(env.GITHUB_OUTPUT, 'word=said\\n');
appendFileSync(env.GITHUB_STATE, 'isPost=true\\n');
appendFileSync(env.GITHUB_STEP_SUMMARY, '# ' + env.INPUT_WHO + (env.STATE_isPost ? ' post' : ' main') + '\\n');
console.log([process.version, env.INPUT_STATUS, env.ACTIONS_RESULTS_URL].join());
`,
};

describe('act', () => {
  it('is on this machine, or it is said that its tests are left out', () => {
    expect(tellWithoutAct).not.toThrow();
  });
});

describe.runIf(ACT !== undefined)('a workflow under act', () => {
  it('runs as on GitHub: checkout, actions with their posts, outputs, a failure, summaries and annotations', async () => {
    await using service = await startResultsService();
    await using repository = await ScratchWorkspace.create(FILES);
    const about = { number: 12, actor: 'octocat' };
    const report = await runAct({
      service,
      run: 77,
      attempt: 2,
      about,
      repository: repository.root,
      workflow: WORKFLOW,
      actions: { 'octo/spy@v1': repository.path('spy') },
    });
    expect(report.ok).toBe(false);
    expect([...report.jobs.values()].map(({ name, result }) => `${name} ${result}`)).toEqual([
      'one success',
      'two failure',
    ]);

    const one = report.job('one');
    expect(one.steps.map(({ id, stage, result }) => `${id} ${stage} ${result}`)).toEqual([
      '0 main success',
      '1 main success',
      'spy main success',
      '3 main success',
      '3 post success',
      'spy post success',
    ]);
    const told = `${process.version},success,${service.origin}/`;
    expect(one.lines.map((line) => line.trim())).toEqual(['noted', '1', told, told, told, told]);
    expect(one.steps[2]?.outputs).toEqual({ word: 'said' });
    expect(one.summary).toBe('# octocat main\n# nobody main\n# nobody post\n# octocat post\n');

    const two = report.job('two');
    expect(two.lines[0]).toBe('said in 0 files');
    expect(two.lines).toEqual(
      expect.arrayContaining([
        'GITHUB_RUN_ID=77',
        'GITHUB_RUN_ATTEMPT=2',
        'GITHUB_RUN_NUMBER=12',
        'GITHUB_REPOSITORY=octo/gates',
        'GITHUB_ACTOR=octocat',
        'GITHUB_REF=refs/heads/main',
        `GITHUB_API_URL=${service.origin}`,
        `GITHUB_WORKFLOW_REF=octo/gates/${WORKFLOW}@refs/heads/main`,
      ]),
    );
    expect(two.summary).toBe('sum\n');
    expect(two.annotations).toEqual([{ level: 'error', message: 'bad%', properties: { file: 'a.ts', line: '1' } }]);
    expect(service.world.runs.get(77)?.jobs).toMatchObject([
      { name: 'one', attempt: 2, conclusion: 'success' },
      { name: 'two', attempt: 2, conclusion: 'failure' },
    ]);
  });

  it('takes inputs of a dispatch', async () => {
    await using service = await startResultsService();
    await using repository = await ScratchWorkspace.create(FILES);
    const report = await runAct({
      service,
      run: 1,
      about: { event: 'workflow_dispatch' },
      inputs: { code: '0' },
      repository: repository.root,
      workflow: WORKFLOW,
      actions: { 'octo/spy@v1': repository.path('spy') },
    });
    expect(report.stderr).not.toContain('Error');
    expect(report.ok).toBe(true);
    expect([...report.jobs.keys()]).toEqual(['one', 'two', 'three']);
  });
});
