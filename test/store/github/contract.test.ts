import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hexOf } from '../../../src/json/digest.ts';
import { openFilesystemStore } from '../../../src/store/filesystem/filesystem-store.ts';
import { describeRecordStore, type StoreUnderTest } from '../../contract/record-store.ts';
import { endedRecord } from '../../contract/samples.ts';
import { temporaryFolder } from '../../contract/temporary-folder.ts';
import { artifactNamed, documentOf, startRun, type OpenOptions } from './github-run.ts';

/** `more`: what else the store of the run is opened with. */
function storeOf(more: () => Promise<OpenOptions> | OpenOptions) {
  return async (): Promise<StoreUnderTest> => {
    const run = await startRun();
    const folder = await temporaryFolder();
    const root = join(folder.path, '.state');
    const spool = await openFilesystemStore({ root, workspace: folder.path });
    const fileOf = (hex: string) => join(root, 'content', 'sha256', hex.slice(0, 2), hex.slice(2));
    let brought = 0;
    return {
      store: await run.open({ spool, ...(await more()) }),
      another: async () => run.open(await more()),
      onlyRun: 1,
      bring: async (content, from, to) => {
        brought += 1;
        const { digest } = content;
        await from.write(
          endedRecord({ gate: 'bringing', n: brought, learnings: content, value: { ...content, digest } }),
        );
        await to.list('ship', 'pr-42');
      },
      spoilRecord: async (record, bytes) => {
        const artifact = artifactNamed(run, record);
        if (bytes === 'unreadable') {
          // Another upload, so that nobody remembers it, whose bytes are gone.
          run.replace(artifact, Buffer.from('gone'));
          run.service.world.blobs.blobs.delete(artifact.blob);
        } else run.replace(artifact, asDocument(bytes));
      },
      spoilContent: async (digest, bytes) => {
        const path = fileOf(hexOf(digest));
        if (bytes === undefined) await rm(path);
        else await writeFile(path, bytes);
      },
      [Symbol.asyncDispose]: async () => {
        await run[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  };
}

/** A record is inside a document, as its bytes are; what is no JSON object takes the place of all of it. */
function asDocument(bytes: Uint8Array): Uint8Array {
  try {
    const text = Buffer.from(bytes).toString('utf8');
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return bytes;
    return Buffer.from(
      documentOf(0)
        .toString()
        .replace('"record":0', () => `"record":${text}`),
    );
  } catch {
    return bytes;
  }
}

describeRecordStore(
  'artifacts',
  storeOf(() => ({})),
);
describeRecordStore(
  'artifacts above those of an earlier run',
  storeOf(async () => {
    const empty = await temporaryFolder();
    const root = join(empty.path, '.state');
    const earlier = await openFilesystemStore({ root, workspace: empty.path, readOnly: true });
    await readdir(empty.path);
    return { earlier };
  }),
);
