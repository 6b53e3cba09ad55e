import { expect, it } from 'vitest';
import { agent, logsOf, troubles, useGithub } from '../stories/support.ts';
import { peopleFiles } from './support.ts';

const world = useGithub();
const needs = '${{ toJSON(needs) }}';
const checkout = { uses: 'actions/checkout@v5' };

it('files are delivered unless they run by themselves; `allow` names those that may', async () => {
  const gates = {
    make: { run: agent('{}', 'mkdir src; echo new > src/a.txt; rm old.txt'), files: ['src/**', 'old.txt'], inputs: [] },
    setup: {
      run: agent(
        '{}',
        'mkdir -p .github/workflows; echo "on: push" > .github/workflows/x.yml; echo x > .gitattributes',
      ),
      files: ['.github/**', '.gitattributes'],
      inputs: [],
    },
  };
  const deliver = (inputs: object, check: string) => ({
    needs: ['make', 'setup'],
    'runs-on': 'ubuntu-latest',
    steps: [checkout, { id: 'apply', uses: 'gateline/gateline/apply@v1', with: { needs, ...inputs } }, { run: check }],
  });
  const allow = '.github/workflows/x.yml\n.gitattributes';
  const jobs = {
    refused: deliver({}, 'exit 1'),
    part: deliver({ gates: 'make' }, 'test "$(cat src/a.txt)" = new; test ! -e old.txt; test ! -e .gitattributes'),
    half: deliver({ allow: '.gitattributes' }, 'exit 1'),
    all: deliver({ allow }, 'test "$(cat .github/workflows/x.yml)" = "on: push"; test -e src/a.txt'),
  };
  const repository = await world.create({ files: { ...peopleFiles(gates, { jobs }), 'old.txt': 'old' }, parallel: 4 });
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual(['half failure', 'refused failure']);
  expect(run.job('refused').log).toMatch(/not delivered.*\.gitattributes.*\.github\/workflows\/x\.yml/s);
  expect(run.job('part').summary).toContain('Files for delivery: 2');
});

it('the report is red for what nobody checked: a gate without a job, two jobs of one gate, a job that was skipped', async () => {
  const gate = { run: agent('{}', 'date +%N'), inputs: [] };
  const gates = { one: gate, two: gate, three: gate };
  const report = (ids: string[], inputs: object = {}) => ({
    needs: ids,
    if: 'always()',
    'runs-on': 'ubuntu-latest',
    steps: [checkout, { uses: 'gateline/gateline/report@v1', with: { needs, comment: 'false', ...inputs } }],
  });
  const twin = {
    'runs-on': 'ubuntu-latest',
    outputs: { attempt: '${{ steps.gate.outputs.attempt }}' },
    steps: [checkout, { id: 'gate', uses: 'gateline/gateline@v1', with: { gate: 'one', definition: '' } }],
  };
  const lint = { if: 'false', 'runs-on': 'ubuntu-latest', steps: [{ run: 'true' }] };
  const ids = ['one', 'two', 'three'];
  const jobs = {
    twin,
    lint,
    report: report(ids),
    missing: report(ids.slice(1)),
    double: report([...ids, 'twin']),
    strict: report([...ids, 'lint']),
    lenient: report([...ids, 'lint'], { 'allow-skipped': 'lint' }),
  };
  const repository = await world.create({ files: peopleFiles(gates, { jobs }), parallel: 4 });
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual(['double failure', 'lint skipped', 'missing failure', 'strict failure']);
  const errors = (id: string) => run.job(id).annotations.map(({ message }) => message);
  expect([errors('missing'), errors('double'), errors('strict')]).toEqual([
    ['the report does not need the job of gate one: add it to `needs`'],
    ['the jobs one and twin both ran one: a gate has one job'],
    [expect.stringMatching(/^job lint was skipped: if it may be, list it/)],
  ]);
});
