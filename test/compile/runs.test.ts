import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compilePipeline } from '../../src/compile/compile.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { startGithub, type Github } from '../support/github/github.ts';
import { createRepository, type RepositoryOptions, type TestRepository } from '../support/runner/repository.ts';

const agent = (output: string, more = ''): string => `${more}\nprintf '%s' '${output}' > "$GATELINE_OUTPUT"`;

let github: Github;
const repositories: TestRepository[] = [];
beforeAll(async () => {
  github = await startGithub();
});
afterAll(async () => {
  for (const repository of repositories) await repository[Symbol.asyncDispose]();
  await github[Symbol.asyncDispose]();
});

function filesOf(definition: object): Record<string, string> {
  const text = JSON.stringify({ pipeline: 'p', ...definition }, null, 1);
  const parsed = parsePipeline(text, 'gateline.yml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { 'gateline.yml': text, '.github/workflows/p.yml': compilePipeline(parsed.pipeline, 'gateline.yml') };
}

/** A repository with a definition and its workflow. */
async function create(definition: object, options: Partial<RepositoryOptions> = {}): Promise<TestRepository> {
  const name = `octo/compiled-${repositories.length}`;
  const repository = await createRepository(github, {
    name,
    ...options,
    files: { ...filesOf(definition), ...options.files },
  });
  repositories.push(repository);
  return repository;
}

/** `job conclusion, …` in the order of the workflow. */
function conclusions(run: {
  readonly jobs: readonly { readonly name: string; readonly conclusion: string }[];
}): string {
  return run.jobs
    .map(({ name, conclusion }) => `${name} ${conclusion}`)
    .toSorted()
    .join(', ');
}

describe('a compiled workflow on GitHub', () => {
  it('hands the outputs of legs on, whether the file or an output names them', async () => {
    const legs = (list: string) => agent(`{"list": ${list}}`);
    const definition = (list: string) => ({
      gates: {
        plan: { run: legs(list), inputs: [] },
        build: { needs: 'plan', run: agent('{}'), inputs: [], strategy: { matrix: '${{ needs.plan.output.list }}' } },
        fixed: { run: agent('{}'), inputs: [], strategy: { matrix: { os: ['a', 'b'] } } },
        join: {
          needs: ['build', 'fixed'],
          run: `cp "$GATELINE_REQUEST" request.json; node -e 'const { needs } = require("./request.json"); console.log("legs", Object.keys(needs.build?.legs ?? {}).join(), Object.keys(needs.fixed.legs).join())'\n${agent('{}')}`,
          inputs: [],
        },
      },
    });
    const repository = await create(definition('["x", "y"]'));
    const run = await repository.push();
    expect(conclusions(run)).toBe(
      ['build (x)', 'build (y)', 'fixed (a)', 'fixed (b)', 'join', 'plan', 'report']
        .map((name) => `${name} success`)
        .join(', '),
    );
    expect(run.job('join').log).toMatch(/legs x,y a,b/);
    expect(run.job('build (x)').log.match(/build\/\w+(?=: attempt 1 starts)/g)).toEqual(['build/x']);

    const empty = await repository.push({ files: filesOf(definition('[]')) });
    expect(conclusions(empty)).toBe(
      'build () success, fixed (a) success, fixed (b) success, join success, plan success, report success',
    );
  });

  it('does the gates of a sequential group one after the other, whatever becomes of the others', async () => {
    const gate = (needs: string[], run: string) => ({ needs, run, inputs: [] });
    const repository = await create({
      gates: {
        first: gate([], 'exit 1'),
        second: gate([], agent('{}')),
        third: gate(['second'], agent('{}')),
        fourth: gate(['first'], agent('{}')),
      },
      groups: { g: { gates: ['first', 'second'], mode: 'sequential' } },
    });
    const run = await repository.push();
    expect(run.started.slice(0, 3)).toEqual(['first', 'second', 'third']);
    expect(conclusions(run)).toBe('first failure, fourth skipped, report failure, second success, third success');
  });

  it('runs the action of a gate, reads its output, and skips it if an output holds', async () => {
    let calls = 0;
    const actions = {
      'anthropics/claude-code-action': async ({ inputs, env }: { inputs: object; env: Record<string, string> }) => {
        calls += 1;
        expect(inputs).toMatchObject({ prompt: 'Do it.' });
        expect(env['STYLE']).toBe('short');
        return { structured_output: '{"score": 90}' };
      },
    };
    const uses = {
      uses: `anthropics/claude-code-action@${'a'.repeat(40)}`,
      with: { prompt: 'Do it.' },
      env: { STYLE: 'short' },
      inputs: [],
      output: { score: '/score' },
    };
    const gates = { design: uses, review: { needs: 'design', run: agent('{}'), inputs: [] } };
    const repository = await create({ gates }, { actions });
    expect(conclusions(await repository.push())).toBe('design success, report success, review success');
    expect(conclusions(await repository.push())).toBe('design success, report success, review success');
    expect(calls).toBe(1);
  });

  it('proposes the files of gates when all have passed, and nothing before', async () => {
    const branches: object[] = [];
    const actions = {
      'peter-evans/create-pull-request': async ({ inputs, workspace }: { inputs: object; workspace: string }) => {
        const { readFile } = await import('node:fs/promises');
        branches.push({ ...inputs, hello: await readFile(`${workspace}/hello.txt`, 'utf8') });
      },
    };
    const definition = (safety: string) => ({
      deliver: { gates: 'implement' },
      gates: {
        implement: { run: agent('{}', 'echo hello > hello.txt'), inputs: [], files: ['hello.txt'] },
        safety: { needs: 'implement', run: safety, inputs: [] },
      },
    });
    const repository = await create(definition('exit 1'), { actions });
    const failed = await repository.push();
    expect(failed.job('deliver').conclusion).toBe('skipped');
    const run = await repository.push({ files: filesOf(definition(agent('{}'))) });
    expect(conclusions(run)).toBe('deliver success, implement success, report success, safety success');
    expect(branches).toEqual([expect.objectContaining({ branch: 'gateline/p', hello: 'hello\n' })]);
  });
});
