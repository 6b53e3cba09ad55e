import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { startGithub, type Github } from '../support/github/github.ts';
import {
  createRepository,
  type RepositoryOptions,
  type Run,
  type TestRepository,
} from '../support/runner/repository.ts';
import { expectClean, WORKFLOW_TOOLS } from '../support/workflow-tools.ts';

const ROOT = join(import.meta.dirname, '../..');
const WORKFLOWS = ['ci', 'release', 'gate', 'report', 'comment', 'pipeline', 'self-test'];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

let github: Github;
beforeAll(async () => {
  github = await startGithub();
});
afterAll(() => github[Symbol.asyncDispose]());

async function create(options: RepositoryOptions): Promise<TestRepository> {
  const repository = await createRepository(github, options);
  onTestFinished(() => repository[Symbol.asyncDispose]());
  return repository;
}

/** Jobs that are not green, with their logs. */
function failuresIn({ jobs }: Run): readonly (readonly [name: string, log: string])[] {
  return jobs.filter(({ conclusion }) => conclusion !== 'success').map(({ name, log }) => [name, log]);
}

/** A machine with a `gh` that only notes how it was called. */
function machineWithGh() {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-gh-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'gh'), `#!/bin/sh\necho "$@" > ${folder}/calls\n`);
  chmodSync(join(folder, 'gh'), 0o755);
  const machine = { PATH: [folder, process.env['PATH']].join(delimiter) };
  return { machine, calls: () => readFileSync(join(folder, 'calls'), 'utf8') };
}

describe('workflows of this repository', () => {
  it.each(WORKFLOW_TOOLS)('satisfy %s', (tool) => {
    expectClean(tool, Object.fromEntries(WORKFLOWS.map((name) => [name, read(`.github/workflows/${name}.yml`)])));
  });
});

describe('self-test.yml', () => {
  it('passes, starts a run that continues from it, and passes there without an agent', async () => {
    const { machine, calls } = machineWithGh();
    const files = { '.github/workflows/self-test.yml': read('.github/workflows/self-test.yml') };
    const repository = await create({ name: 'octo/self-test', files, machine });
    const run = await repository.push();
    expect(failuresIn(run)).toEqual([]);
    expect(calls()).toContain(`--ref main --field resume=${run.id}`);
    const again = await repository.dispatch({ inputs: { resume: String(run.id) } });
    expect(failuresIn(again).filter(([name]) => name !== 'again')).toEqual([]);
  });
});

describe('the workflow in the README of', () => {
  it.each(['begin', 'complete', 'apply'])('%s passes as it stands there', async (action) => {
    const text = read(`${action}/README.md`);
    const calls: string[] = [];
    const actions = {
      'peter-evans/create-pull-request': async () => void calls.push('pull request'),
      'anthropics/claude-code-action': async () => {
        calls.push('claude');
        return { structured_output: '{"critical":0}' };
      },
    };
    const definition = /this one fits: `(.*)`\./.exec(text)?.[1];
    const files = {
      '.github/workflows/gates.yml': /^```yaml\n([^]*?)^```$/m.exec(text)![1]!,
      ...(definition !== undefined && { 'gateline.yml': definition }),
    };
    const secrets = { ANTHROPIC_API_KEY: 'k'.repeat(20) };
    const repository = await create({ name: `octo/readme-${action}`, files, actions, secrets });
    const isOfPulls = action === 'complete';
    const run = await (isOfPulls ? repository.pullRequest({ branch: 'x', files: { y: '' } }) : repository.push());
    expect(failuresIn(run)).toEqual([]);
    expect(calls.join()).toBe({ apply: 'pull request', complete: 'claude' }[action] ?? '');
  });
});

describe('the workflow of comments in', () => {
  it.each(['comment/README.md', 'docs/recipes/github/approvals.md'])(
    '%s starts a job for commands only',
    async (page) => {
      const blocks = [...read(page).matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text]) => text!);
      const workflow = blocks.find((text) => text.includes('issue_comment'))!;
      const repository = await create({ name: 'octo/comments', files: { '.github/workflows/comments.yml': workflow } });
      const pull = await repository.openPull({ branch: 'x', files: { y: '' } });
      const post = async (body: string): Promise<Run> => {
        const comment = repository.comment(pull.number, body);
        return (await repository.start('issue_comment', { pull, comment })).completed;
      };
      expect((await post('Looks good. /gateline status')).job('comment').conclusion).toBe('skipped');
      expect((await post('/gateline status')).job('comment').conclusion).toBe('success');
      // GitHub asks `if` before it puts a job into its group, and puts a run into its own at once.
      const { concurrency, jobs } = parse(workflow) as { concurrency?: object; jobs: { comment: object } };
      expect([concurrency, jobs.comment]).toEqual([
        undefined,
        expect.objectContaining({ concurrency: expect.anything() }),
      ]);
    },
  );
});

type Interface = Readonly<Record<'inputs' | 'outputs', object>>;

describe('reusable workflows', () => {
  /** Left to the steps of a job: to describe a gate, and to look at its files. */
  const DESCRIPTION = ['run', 'definition', 'schema', 'checks', 'score', 'threshold', 'inputs', 'files', 'secrets'];

  it.each([
    ['gate', 'action.yml', [...DESCRIPTION, 'secret-values', 'path', 'github-token', 'job-status', 'output-file']],
    ['report', 'report/action.yml', ['path', 'github-token', 'view-file']],
  ])('%s.yml takes and hands on what its action does', (name, action, others) => {
    const namesOf = ({ inputs, outputs }: Interface): string[] => [inputs, outputs].flatMap(Object.keys);
    const workflow = parse(read(`.github/workflows/${name}.yml`)) as { on: { workflow_call: Interface } };
    const expected = namesOf(parse(read(action)) as Interface).filter((key) => !others.includes(key));
    expect(namesOf(workflow.on.workflow_call)).toEqual(expect.arrayContaining(expected));
  });

  it('run gates, a matrix of them too, and report', async () => {
    const call = (workflow: string, inputs: object, needs: readonly string[], more: object = {}) => ({
      needs,
      ...more,
      permissions: { contents: 'read', actions: 'read', 'pull-requests': workflow === 'report' ? 'write' : 'read' },
      uses: `gateline/gateline/.github/workflows/${workflow}.yml@v1`,
      with: { ...(needs.length > 0 && { needs: '${{ toJSON(needs) }}' }), ...inputs },
    });
    const strategy = { matrix: { os: ['a', 'b'] } };
    const run = `printf '{}' > "$GATELINE_OUTPUT"`;
    const definition = {
      pipeline: 'p',
      gates: {
        plan: {
          run: `test "$KEY" = secret-value && test "$GATELINE_TASK" = ship && printf '{"score":85}' > "$GATELINE_OUTPUT"`,
          inputs: [],
          secrets: 'KEY',
          output: { score: '/score' },
        },
        build: { needs: 'plan', run, inputs: [], strategy },
        join: { needs: 'build', run, inputs: [] },
      },
    };
    const workflow = {
      name: 'p',
      on: 'push',
      jobs: {
        plan: {
          ...call('gate', { gate: 'plan', task: 'ship', 'retention-days': 3 }, []),
          secrets: { env: 'KEY=secret-value' },
        },
        show: {
          needs: ['plan'],
          permissions: {},
          'runs-on': 'ubuntu-latest',
          env: Object.fromEntries(
            ['verdict', 'score', 'used'].map((name) => [name, `\${{ needs.plan.outputs.${name} }}`]),
          ),
          steps: [{ run: 'test "$verdict $score $used" = "passed 85 false"' }],
        },
        build: call('gate', { gate: 'build', matrix: '${{ toJSON(matrix) }}' }, ['plan'], { strategy }),
        join: call('gate', { gate: 'join' }, ['build']),
        report: call('report', { html: true, 'retention-days': 3 }, ['plan', 'build', 'join'], { if: 'always()' }),
      },
    };
    const files = { 'gateline.yml': JSON.stringify(definition), '.github/workflows/p.yml': JSON.stringify(workflow) };
    const repository = await create({ name: 'octo/reusable', files });
    const ended = await repository.push();
    expect(failuresIn(ended)).toEqual([]);
    expect(ended.jobs).toHaveLength(6);
    const soon = new Date(github.now().getTime() + 4 * 86_400_000);
    const names = repository.data.artifacts.filter(({ expiresAt }) => expiresAt < soon).map(({ name }) => name);
    expect(names.map((name) => name.split('.')[0])).toEqual(['gateline', 'gateline-report', 'gateline-history']);
  });
});
