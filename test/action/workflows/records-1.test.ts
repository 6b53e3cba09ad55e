import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { HistoryEntry } from '../../../src/report/github/history-entry.ts';
import fixture from '../../fixtures/records-1/artifacts.json' with { type: 'json' };
import { plantArtifact } from '../../support/github/plant-artifact.ts';
import { ActionWorld, errorsOf, messagesOf, redJobs } from './action-world.ts';

/** The workflow run whose artifacts the fixture has: the first one of a world. */
const RUN = 502;

it('failed jobs of a run with records of format 1 are run again: what was done is not done again', async () => {
  await using world = await ActionWorld.ofJobs(fixture.jobs);
  const go = world.repository.beside('go');
  const run = await world.run({ machine: { GO: go } });
  const first = await run.start().ended;
  expect(redJobs(first)).not.toEqual([]);
  await world.startedGates();
  const { artifacts, caches } = world.service.world;
  artifacts.length = 0;
  caches.length = 0;
  for (const { name, text } of fixture.failed)
    plantArtifact(world.service, { run: RUN, name, bytes: Buffer.from(text) });
  await writeFile(go, '');
  const report = await run.rerunFailed().ended;
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
  const history = artifacts.findLast(({ name }) => name.includes('history'))!;
  const entry = JSON.parse(world.service.world.blobs.blobs.get(history.blob)!.content.toString()) as HistoryEntry;
  expect(entry).toMatchObject({ conclusion: 'success', units: { all: 5, done: 5 } });
});
