import { expect, it } from 'vitest';
import type { Fault } from '../../support/github/faults.ts';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

const world = useGithub();
const gate = (needs: string[] = []) => ({
  needs,
  run: agent('{"n": 1}', `printf '{"costUsd": 1}' > "$GATELINE_METRICS"`),
  inputs: [],
});

const FAULTS: Readonly<Record<string, Fault>> = {
  dropped: { kind: 'drop' },
  unavailable: { kind: 'status', status: 503 },
  unacknowledged: { kind: 'drop', done: true },
  truncated: { kind: 'truncate' },
  silent: { kind: 'hang' },
};
/** One after the other for the jobs, by phase. */
const ROUTES = [
  ['CreateArtifact', 'PutBlob', 'FinalizeArtifact'],
  ['ListArtifacts', 'GetSignedArtifactURL', 'GetBlob'],
  ['GetCacheEntryDownloadURL', 'CreateCacheEntry', 'FinalizeCacheEntryUpload'],
];
const REST = ['GET /actions/runs/:id/attempts/:n', 'GET /actions/runs/:id/artifacts', 'GET /actions/artifacts/:id/zip'];

it('a bad answer in each phase of a gate leaves it green within the outage budget', async () => {
  const names = Object.keys(FAULTS);
  const gates = Object.fromEntries([['first', gate()], ...names.map((name) => [name, gate(['first'])])]);
  // A client that waits for ever is given up after a third of the budget.
  const minutes = "${{ (github.job == 'truncated' || github.job == 'silent') && '0.3' || '5' }}";
  const files = pipelineFiles(gates, { with: { 'outage-minutes': minutes } });
  const repository = await world.create({ files, parallel: 5 });
  const plan = (phases: readonly (readonly string[])[]) =>
    names.flatMap((job, index) =>
      phases.map((routes, phase) => {
        const route = routes[(index + phase) % routes.length]!;
        return { job, route, rule: world.github.fail({ route, job, fault: FAULTS[job]! }) };
      }),
    );
  const missedOf = (rules: ReturnType<typeof plan>) => rules.filter(({ rule }) => rule.hits === 0);
  const rules = plan(ROUTES);
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual([]);
  expect(missedOf(rules)).toEqual([]);
  world.github.faults.length = 0;
  const later = plan([REST]);
  const second = await repository.push();
  expect([worked(second), troubles(second)], logsOf(second)).toEqual([[], []]);
  expect(missedOf(later)).toEqual([]);
  world.github.faults.length = 0;
});

it('an outage beyond the budget is red, shows the output, and the post step hands it over', async () => {
  const files = pipelineFiles({ build: gate(), next: gate(['build']) }, { with: { 'outage-minutes': '0.02' } });
  const repository = await world.create({ files });
  const outage = world.github.fail({ route: /Artifact/, job: 'build', times: Infinity, fault: { kind: 'hang' } });
  const running = await repository.start('push');
  const job = await running.job('build');
  await job.logged(/::error.*upload of the output of build/i);
  Object.assign(outage.rule, { times: 0 });
  const run = await running.completed;
  expect(troubles(run)).toEqual(['build failure', 'next skipped', 'report failure']);
  expect(run.job('build').log).toContain('{\n  "n": 1\n}');
  expect(run.job('build').steps.map(({ stage, outcome }) => [stage, outcome])).toEqual([
    ['main', 'success'],
    ['main', 'failure'],
    ['post', 'success'],
  ]);
  const again = await run.rerun('failed');
  expect([worked(again), troubles(again)], logsOf(again)).toEqual([['next'], []]);
});

it('a need that cannot be read within the budget is red, and its agent does not work', async () => {
  const files = pipelineFiles({ build: gate(), next: gate(['build']) }, { with: { 'outage-minutes': '0.02' } });
  const repository = await world.create({ files });
  const planned = world.github.fail({
    route: 'ListArtifacts',
    job: 'next',
    times: Infinity,
    fault: { kind: 'status', status: 503 },
  });
  const run = await repository.push();
  expect([worked(run), troubles(run)]).toEqual([['build'], ['next failure', 'report failure']]);
  expect(planned.hits).toBeGreaterThan(0);
  expect(run.job('next').annotations[0]?.properties['title']).toBe('GitHub, git or the disk failed');
  expect((await run.rerun('failed')).conclusion).toBe('success');
});
