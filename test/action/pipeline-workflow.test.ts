import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGithub, type Github } from '../support/github/github.ts';
import type { ThirdPartyAction } from '../support/runner/action.ts';
import { bundlePrograms } from '../support/runner/bundle.ts';
import { createRepository, type TestRepository } from '../support/runner/repository.ts';

/** pipeline.yml with this `gateline`, whose package is not installed, and with caches as GitHub keeps them. */

const CACHE_STEP = join(import.meta.dirname, '../support/cache-step.ts');

let github: Github;
beforeAll(async () => {
  github = await startGithub();
});
afterAll(() => github[Symbol.asyncDispose]());

function cacheStep(mode: 'restore' | 'save'): ThirdPartyAction {
  return async ({ env, workspace: cwd }) =>
    void (await promisify(execFile)(process.execPath, [CACHE_STEP, mode], { env, cwd }));
}

const ACTIONS = {
  'actions/setup-node': async () => undefined,
  'actions/cache/restore': cacheStep('restore'),
  'actions/cache/save': cacheStep('save'),
};

/** A pipeline whose second agent fails until there is a file `fixed`; `calls()` are the gates whose agents have worked. */
async function create(path: string, inputs: object): Promise<{ repository: TestRepository; calls(): string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-pipeline-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const programs = {
    npm: 'exit 0',
    gateline: `exec '${process.execPath}' '${join(await bundlePrograms(), 'cli.mjs')}' "$@"`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const calls = join(folder, 'calls');
  const note = 'echo "$GATELINE_GATE" >> "$CALLS"';
  const definition = {
    pipeline: 'p',
    gates: {
      plan: {
        run: `${note}; test "$KEY" = secret-value && test -z "$SECRETS" && cp "$GATELINE_REQUEST" "$GATELINE_OUTPUT"`,
        inputs: [],
        secrets: 'KEY',
        output: { checks: ["output.task == 'Sign in'", 'output.input.deep == true'] },
      },
      code: { needs: 'plan', run: `${note}; test -e fixed && echo '{}' > "$GATELINE_OUTPUT"`, inputs: ['fixed'] },
    },
  };
  const workflow = {
    name: 'Build, test',
    on: { workflow_dispatch: { inputs: { subject: { type: 'string' } } } },
    permissions: {},
    jobs: {
      pipeline: {
        permissions: { contents: 'read' },
        uses: 'gateline/gateline/.github/workflows/pipeline.yml@v1',
        with: { subject: '${{ inputs.subject }}', task: 'Sign in', input: '{"deep":true}', ...inputs },
        secrets: { env: 'KEY=secret-value' },
      },
    },
  };
  const repository = await createRepository(github, {
    name: `octo/pipeline-${github.nextNumber()}`,
    files: { [path]: JSON.stringify(definition), '.github/workflows/p.yml': JSON.stringify(workflow) },
    machine: { PATH: [folder, process.env['PATH']].join(delimiter), CALLS: calls },
    actions: ACTIONS,
  });
  onTestFinished(() => repository[Symbol.asyncDispose]());
  return { repository, calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').slice(0, -1) : []) };
}

describe('pipeline.yml', () => {
  it.each([
    ['.github/gateline.yml', 'fixed', { file: '.github/gateline.yml' }],
    ['packages/a/gateline.yml', 'packages/a/fixed', { file: 'packages/a/gateline.yml' }],
  ])('continues a run of %s from what passed before a gate failed', async (path, fixed, inputs) => {
    const { repository, calls } = await create(path, inputs);
    const red = await repository.dispatch();
    expect(red.conclusion).toBe('failure');
    expect(red.job('pipeline').summary).toMatch(/^ {4}.*plan +passed/m);
    expect(calls()).toEqual(['plan', 'code']);
    const green = await repository.dispatch({ files: { [fixed]: '' } });
    expect(green.conclusion).toBe('success');
    expect(calls()).toEqual(['plan', 'code', 'code']);
  });

  it('keeps the state of each subject, also of one whose name begins with another', async () => {
    const { repository, calls } = await create('gateline.yml', {});
    await repository.dispatch({ inputs: { subject: 'login' } });
    await repository.dispatch({ inputs: { subject: 'login-reset' } });
    const { conclusion } = await repository.dispatch({ inputs: { subject: 'login' }, files: { fixed: '' } });
    expect(conclusion).toBe('success');
    expect(calls()).toEqual(['plan', 'code', 'plan', 'code', 'code']);
  });
});
