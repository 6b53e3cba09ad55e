import { expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from '../stories/support.ts';
import { peopleFiles } from './support.ts';

const world = useGithub();
const gate = (needs: string[], run: string) => ({ needs, run: agent('{"text": "$(cat a.txt)"}', run) });
/** The steps of a job before its gate, and what its gate is told beside. */
const steps = (checkout: object, before = 'true', inputs: object = {}) => ({
  steps: [
    { uses: 'actions/checkout@v5', with: checkout },
    { run: before },
    { id: 'gate', uses: 'gateline/gateline@v1', with: { needs: '${{ toJSON(needs) }}', ...inputs } },
  ],
});
// Who has no credentials cannot fetch what the clone lacks.
const LEAVE = 'git remote set-url origin file:///nowhere';

it('any checkout serves: in a folder, of another user, sparse, blobless, whole, without credentials', async () => {
  const first = { run: agent('{}', 'echo made > made.txt'), files: ['made.txt'], inputs: ['a.txt'] };
  const later = gate(['make'], 'test "$(cat made.txt)" = made');
  const blobless = { filter: 'blob:none', 'sparse-checkout': 'app', 'fetch-depth': 0 };
  const jobs = {
    make: steps({}, 'true', {}),
    folder: steps({ path: 'sub' }, 'true', { path: 'sub' }),
    foreign: { ...steps({}), env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' } },
    sparse: steps({ 'sparse-checkout': 'app' }, 'test ! -e lib', {}),
    blobless: steps(blobless, `test ! -e lib; ${LEAVE}`, {}),
    whole: steps({ 'fetch-depth': 0 }, LEAVE),
    nowhere: steps({ path: 'sub' }),
  };
  const ids = ['folder', 'foreign', 'sparse', 'blobless', 'whole', 'nowhere'];
  const gates = { make: first, ...Object.fromEntries(ids.map((id) => [id, later])) };
  const files = { ...pipelineFiles(gates, { jobs }), 'a.txt': 'a', 'app/x.txt': 'x', 'lib/y.txt': 'y' };
  const repository = await world.create({ files, parallel: 4 });
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual(['nowhere failure', 'report failure']);
  expect(run.job('nowhere').log).toContain('give this step `path: sub`');
  const again = await repository.push({ files: { 'a.txt': 'a' } });
  expect([worked(again), troubles(again)], logsOf(again)).toEqual([[], ['nowhere failure', 'report failure']]);
});

it('an agent sees what a `run:` step sees: no input, no state, no credentials of the runner, no file of outputs', async () => {
  const write = `node -e 'fs.writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(Object.keys(process.env)))'`;
  const gates = {
    own: { run: write, inputs: [], secrets: ['OWN'] },
    other: { run: 'echo {} > "$GATELINE_OUTPUT"', inputs: [], secrets: ['OTHER'] },
  };
  const env = { OWN: 'secret-of-own', OTHER: 'secret-of-other', PLAIN: 'x' };
  const repository = await world.create({ files: pipelineFiles(gates, { jobs: { own: { env } } }) });
  const run = await repository.push();
  const names = JSON.parse(
    repository.data.artifacts.find(({ name }) => name.includes('.own.'))!.blob.content!.toString(),
  ).output as string[];
  expect(names).toEqual(expect.arrayContaining(['GATELINE_REQUEST', 'GITHUB_SHA', 'OWN', 'PLAIN', 'PATH']));
  const wrong = /^(INPUT_|STATE_|ACTIONS_(RUNTIME|RESULTS|CACHE)|GITHUB_(OUTPUT|STATE)$|OTHER$)/;
  expect(
    names.filter((name) => wrong.test(name)),
    run.job('own').log,
  ).toEqual([]);
});

it('agents of the state guide read the envelopes of their needs and write their own', async () => {
  const envelope = JSON.stringify({
    gate: 1,
    agent: 'plan',
    status: 'SUCCESS',
    metadata: { domain: 'shop', feature: 'cart', url: '' },
    output: { steps: 3 },
    validation: { score: 90, issues: [], passed: true },
  });
  const gates = {
    idea: { run: agent('{"idea":"carts"}'), inputs: [] },
    plan: {
      needs: ['idea'],
      run: `echo "agent works"; set -e; tr -d ' \\n' < .state/shop-cart-gate0-output.json | grep '"idea":"carts"'
printf '%s' '${envelope}' > .state/shop-cart-gate1-output.json`,
      inputs: [],
    },
    last: { needs: ['plan'], run: agent('{}', 'cat "$GATELINE_REQUEST"'), inputs: [] },
  };
  const pipeline = { mirror: ['state-guide'], metadata: { domain: 'shop', feature: 'cart' } };
  // What a commit puts there is no envelope of a gate.
  const forged = envelope.replace('3', '9');
  const files = { ...peopleFiles(gates, { pipeline }), '.state/shop-cart-gate0-output.json': forged };
  const repository = await world.create({ files: { ...files, '.state/shop-cart-gate1-output.json': forged } });
  const run = await repository.push();
  expect([worked(run), troubles(run)], logsOf(run)).toEqual([['idea', 'last', 'plan'], []]);
  expect(run.job('last').log).toMatch(/"steps":\s*3/);
  const names = repository.data.artifacts.map(({ name }) => name).filter((name) => name.startsWith('shop-cart'));
  expect(names.toSorted()).toEqual([
    ...[0, 1, 2].map((n) => `shop-cart-gate${n}-output.json`),
    'shop-cart-pipeline.json',
  ]);
});
