import { expect, it } from 'vitest';
import { digestOf } from '../../../../src/json/digest.ts';
import { ContentSources } from '../../../../src/store/github/records/content-sources.ts';
import { RunArtifacts } from '../../../../src/store/github/records/run-artifacts.ts';
import type { ArtifactService } from '../../../../src/store/github/artifacts/artifact-service.ts';
import { createMemoryMedium, createMemoryStore } from '../../../../src/store/memory/memory-store.ts';
import { startedRecord } from '../../../contract/samples.ts';

/** A run of no artifacts. */
const nothing: ArtifactService = {
  list: async () => ({ artifacts: [] }),
  upload: () => Promise.reject(new Error('nothing is uploaded')),
  download: () => Promise.reject(new Error('nothing is downloaded')),
  downloadTo: () => Promise.reject(new Error('nothing is downloaded')),
};

it('keeps texts that came with records in memory up to 32 MiB, and the rest in the spool', async () => {
  const medium = createMemoryMedium();
  const spool = createMemoryStore(medium);
  const view = new RunArtifacts(nothing, { id: '1', number: 1, attempt: 1 });
  const sources = new ContentSources({ service: nothing, view, spool, temporaryFolder: '.' });
  const texts = Array.from({ length: 10 }, (_, index) => String(index).repeat(4 * 1024 * 1024));
  for (const text of texts)
    await sources.add({ record: startedRecord(), contents: new Map([[digestOf(text), text]]), altered: [] });
  const held = texts.map((text) => (sources.carried(digestOf(text)) === text ? 'memory' : 'spool'));
  expect(held).toEqual([...Array(8).fill('memory'), 'spool', 'spool']);
  expect([...medium.contents.keys()]).toEqual(texts.slice(8).map((text) => digestOf(text)));
});
