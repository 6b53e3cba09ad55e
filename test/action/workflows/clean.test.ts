import { expect, it } from 'vitest';
import { plantArtifact } from '../../support/github/plant-artifact.ts';
import { ActionWorld, errorsOf } from './action-world.ts';
import { ACTION, type Keys } from './workflow-text.ts';

const DAYS = 40;
const NAME = 'gl1.0123abcd.review._.1.1.started.json';

/** A repository with an old run, and a workflow that removes what it left. */
async function cleaning(inputs: Keys, permissions: Keys = { actions: 'write', 'pull-requests': 'read' }) {
  const step = { id: 'clean', uses: ACTION, with: { command: 'clean', ...inputs } };
  const world = await ActionWorld.ofJobs({ clean: { 'runs-on': 'ubuntu-latest', permissions, steps: [step] } });
  const { service } = world;
  const at = new Date(Date.now() - DAYS * 24 * 60 * 60 * 1_000);
  service.addRun({ id: 77, status: 'completed', conclusion: 'success', createdAt: at, updatedAt: at });
  for (const name of [NAME, 'coverage']) {
    const planted = plantArtifact(service, { run: 77, name, bytes: Buffer.from('{}') });
    service.world.artifacts.splice(service.world.artifacts.indexOf(planted), 1, { ...planted, createdAt: at });
  }
  return world;
}

const namesIn = ({ service }: ActionWorld): string[] =>
  service.world.artifacts.filter(({ run }) => run === 77).map(({ name }) => name);

it('removes what an old run left, and says how much', async () => {
  await using world = await cleaning({});
  const { clean } = Object.fromEntries((await (await world.run()).start().ended).jobs);
  expect(errorsOf(clean!)).toEqual([]);
  expect(clean!.summary).toContain('- Removed 1 artifact of 1 run (2 bytes) and 0 cache entries (0 bytes).');
  expect(namesIn(world)).toEqual(['coverage']);
});

it('removes nothing in a dry run, and nothing of runs that are younger than `older`', async () => {
  await using dry = await cleaning({ 'dry-run': 'true' });
  const shown = (await (await dry.run()).start().ended).job('clean');
  expect(shown.summary).toContain('- Would remove 1 artifact of 1 run');
  await using young = await cleaning({ older: '6w' });
  expect((await (await young.run()).start().ended).job('clean').summary).toContain('- Removed 0 artifacts of 0 runs');
  for (const world of [dry, young]) expect(namesIn(world)).toHaveLength(2);
});

it.each([
  ['29d', 'older: expected a time of at least 30 days'],
  ['30', 'older: expected a time of at least 30 days'],
])('refuses an age of %s', async (older, message) => {
  await using world = await cleaning({ older });
  const run = await (await world.run()).start().ended;
  expect(errorsOf(run.job('clean')).join()).toContain(message);
  expect(namesIn(world)).toHaveLength(2);
});

it('is red without the permission to remove, and names it', async () => {
  await using world = await cleaning({}, { actions: 'read', 'pull-requests': 'read' });
  const run = await (await world.run()).start().ended;
  expect(run.conclusion).toBe('failure');
  expect(run.job('clean').log.join('\n') + errorsOf(run.job('clean')).join()).toContain('actions: write');
  expect(namesIn(world)).toHaveLength(2);
});
