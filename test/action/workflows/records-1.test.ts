import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import fixture from '../../fixtures/records-1/artifacts.json' with { type: 'json' };
import { plantArtifact } from '../../support/github/plant-artifact.ts';
import { ActionWorld, errorsOf, messagesOf, redJobs } from './action-world.ts';

/** The workflow run whose artifacts the fixture has: the first one of a world. */
const RUN = 502;

/** Failed jobs of a run are run again that left these artifacts. @param edit changes a text by the artifact's name */
async function rerunWith(world: ActionWorld, edit: (name: string, text: string) => string = (_, text) => text) {
  const go = world.repository.beside('go');
  const run = await world.run({ machine: { GO: go } });
  const first = await run.start().ended;
  expect(redJobs(first)).not.toEqual([]);
  await world.startedGates();
  const { artifacts, caches } = world.service.world;
  artifacts.length = 0;
  caches.length = 0;
  for (const { name, text } of fixture.failed)
    plantArtifact(world.service, { run: RUN, name, bytes: Buffer.from(edit(name, text)) });
  await writeFile(go, '');
  return run.rerunFailed().ended;
}

it('failed jobs of a run with records of format 1 are run again: what was done is not done again', async () => {
  await using world = await ActionWorld.ofJobs(fixture.jobs);
  const report = await rerunWith(world);
  expect(redJobs(report)).toEqual([]);
  expect(await world.startedGates()).toEqual(['check', 'publish']);
  for (const job of report.jobs.values())
    expect([...errorsOf(job), ...messagesOf(job, 'warning'), ...messagesOf(job, 'notice')]).toEqual([]);
  expect(world.endings()).toEqual([
    'check 1.1.1 ran agent-error',
    'check 1.2.1 ran passed',
    'design 1.1.1 ran passed',
    'e2e/chrome 1.1.1 ran passed',
    'e2e/firefox 1.1.1 ran passed',
    'publish 1.2.1 ran passed',
  ]);
  const formats = new Map(world.records().map(({ format, runAttempt }) => [runAttempt, format]));
  expect([...formats]).toEqual([
    [1, 'gateline-record/1'],
    [2, 'gateline-record/2'],
  ]);
  const { artifacts } = world.service.world;
  const history = artifacts.findLast(({ name }) => name.includes('history'))!;
  const document = JSON.parse(world.service.world.blobs.blobs.get(history.blob)!.content.toString()) as object;
  expect(document).toMatchObject({ entries: [{ status: 'completed', gates: 5, passed: 5 }] });
});

it.each([
  ['its own attempt', '.check._.1.1.ended.'],
  ['the gate before it', '.design._.1.1.started.'],
])('no gate starts if a newer version wrote the record of %s', async (_, which) => {
  await using world = await ActionWorld.ofJobs(fixture.jobs);
  const report = await rerunWith(world, (name, text) =>
    name.includes(which) ? text.replace('gateline-record/1', 'gateline-record/3') : text,
  );
  expect(await world.startedGates()).toEqual([]);
  expect(redJobs(report).map((text) => text.split('\n')[0])).toEqual([
    'check: failure',
    'publish: skipped',
    'report: failure',
  ]);
  const errors = errorsOf(report.jobs.get('check')!);
  expect(errors.join('\n')).toContain('RECORD_TOO_NEW');
  expect(errors.join('\n')).toMatch(/written in the format gateline-record\/3.*Update Gateline/s);
});
