import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../../../src/run/state/missing-output.ts';
import { unitOf } from '../../../../src/run/records/record.ts';
import fixture from '../../../fixtures/records-1/artifacts.json' with { type: 'json' };
import { plantArtifact } from '../../../support/github/plant-artifact.ts';
import { startRun, type GithubRun } from '../github-run.ts';

type Documents = readonly { readonly name: string; readonly text: string }[];

/** The workflow runs of the fixture; its records name them. */
const RUNS = { failed: 502, reused: 503 } as const;

async function listed(run: GithubRun, which: keyof typeof RUNS, documents: Documents = fixture[which]) {
  // Runs have numbers in the order in which they are first seen.
  for (const one of Object.values(RUNS)) await run.open({ run: one });
  for (const { name, text } of documents)
    plantArtifact(run.service, { run: RUNS[which], name, bytes: Buffer.from(text) });
  const store = await run.open({ run: RUNS[which] });
  return { store, ...(await store.list('gates', 'main')) };
}

describe('artifacts with records of format 1', () => {
  it.each([
    ['failed', ['check started', 'check failed', 'design started', 'design passed']],
    ['reused', ['check started', 'check reused', 'design started', 'design reused', 'publish started']],
  ] as const)('are read: %s', async (which, some) => {
    await using run = await startRun();
    const { store, records, problems } = await listed(run, which);
    expect(problems).toEqual([]);
    expect(new Set(records.map(({ format }) => format))).toEqual(new Set(['gateline-record/1']));
    const said = records.map((record) => {
      const how = record.kind !== 'ended' ? record.kind : record.how === 'reused' ? 'reused' : record.verdict.status;
      return `${unitOf(record)} ${how}`;
    });
    expect(said).toEqual(expect.arrayContaining([...some, 'e2e/chrome started', 'e2e/firefox started']));
    expect(said).toHaveLength(fixture[which].filter(({ name }) => /\.(?:started|ended\..*)\.json$/.test(name)).length);
    for (const record of records) {
      const contents = record.kind === 'ended' ? contentsOf(record).map(({ digest }) => digest) : [];
      for (const digest of [record.kind === 'started' ? record.request : undefined, ...contents]) {
        if (digest !== undefined) expect(await store.get(digest)).toMatchObject({ state: 'present' });
      }
    }
  });

  it('are unknown in a later format', async () => {
    await using run = await startRun();
    const documents = fixture.failed.map(({ name, text }) => ({
      name,
      text: name.includes('.design._.1.1.ended.') ? text.replace('gateline-record/1', 'gateline-record/3') : text,
    }));
    const { records, problems } = await listed(run, 'failed', documents);
    expect(records.filter(({ gate, kind }) => gate === 'design' && kind === 'ended')).toEqual([]);
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'UNKNOWN_VERSION',
        message: expect.stringContaining('written in the format gateline-record/3'),
      }),
    ]);
  });
});
