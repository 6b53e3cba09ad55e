import { expect, it } from 'vitest';
import { agent, logsOf, troubles, useGithub } from './support.ts';

const world = useGithub();
const needs = '${{ toJSON(needs) }}';
const checkout = { uses: 'actions/checkout@v5' };
const gateJob = (inputs: object, job: object = {}) => ({
  'runs-on': 'ubuntu-latest',
  outputs: { attempt: '${{ steps.gate.outputs.attempt }}' },
  steps: [checkout, { id: 'gate', uses: 'gateline/gateline@v1', with: inputs }],
  ...job,
});
const create = (jobs: object, files: Record<string, string> = {}, more: object = {}) =>
  world.create({
    files: { ...files, '.github/workflows/w.yml': JSON.stringify({ on: ['push', 'pull_request'], jobs }) },
    ...more,
  });

it('steps that describe gates get the secrets that they name, and a fork without these leaves them out', async () => {
  const secrets = { KEY: 'a-secret-value', OTHER: 'other-secret-value' };
  const values = 'KEY=${{ secrets.KEY }}\nOTHER=${{ secrets.OTHER }}';
  const one = { run: agent('{"key": "$KEY", "other": "$OTHER"}'), inputs: '[]', secrets: 'KEY', 'no-secret': 'skip' };
  const jobs = {
    one: gateJob({ ...one, 'secret-values': values }),
    two: gateJob({ run: agent('{}'), inputs: '[]', needs }, { needs: 'one' }),
    report: gateJob(
      {},
      {
        needs: ['one', 'two'],
        if: 'always()',
        steps: [checkout, { uses: 'gateline/gateline/report@v1', with: { needs, file: 'none' } }],
      },
    ),
  };
  const repository = await create(jobs, { 'a.txt': '1' }, { secrets });
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual([]);
  const document = repository.data.artifacts.find(({ name }) => name.includes('.one.'));
  expect(document!.blob.content!.toString()).toContain('"output":{"key":"***","other":""}');
  const again = await repository.push({ files: { 'a.txt': '2' } });
  expect(again.job('one').log).toContain('nothing that it reads has changed');
  const fork = await repository.pullRequest({ branch: 'x', fork: 'evil/gates', files: { 'a.txt': '3' } });
  expect(troubles(fork), logsOf(fork)).toEqual([]);
  expect(fork.job('report').summary).toContain('a pull request from a fork has no KEY');
});

it('a definition in a folder: paths of its files and of its mistakes are those of the repository', async () => {
  const definition = {
    pipeline: 'pkg',
    gates: {
      make: { run: agent('{}', 'mkdir .vscode; touch a.txt .vscode/x'), inputs: [], files: ['a.txt', '.vscode/**'] },
    },
  };
  const file = 'pkg/gateline.yml';
  const apply = (inputs: object, check: string) => ({
    needs: 'make',
    'runs-on': 'ubuntu-latest',
    steps: [
      checkout,
      { id: 'apply', uses: 'gateline/gateline/apply@v1', with: { needs, file, ...inputs } },
      { run: check, env: { PATHS: '${{ steps.apply.outputs.paths }}' } },
    ],
  });
  const allow = 'pkg/.vscode/x';
  const jobs = {
    make: gateJob({ file }),
    refused: apply({ allow: '.vscode/x' }, 'exit 1'),
    misspelt: apply({ allow, gates: 'mak' }, 'exit 1'),
    all: apply({ allow }, 'test "$(echo $PATHS)" = "pkg/.vscode/x pkg/a.txt"; test -e pkg/a.txt'),
    broken: gateJob({ file: 'bad/gateline.yml', gate: 'x' }),
  };
  const files = { [file]: JSON.stringify(definition), 'bad/gateline.yml': 'gates:\n  x: { rnu: a }\n' };
  const run = await (await create(jobs, files)).push();
  expect(troubles(run), logsOf(run)).toEqual(['broken failure', 'misspelt failure', 'refused failure']);
  expect(run.job('refused').log).toContain('pkg/.vscode/x: files there run or count by themselves');
  expect(run.job('misspelt').log).toContain('`gates` names no gate of the definition: mak');
  const [mistake] = run.job('broken').annotations;
  expect([mistake!.properties['file'], mistake!.message]).toEqual(['bad/gateline.yml', expect.stringContaining('rnu')]);
});
