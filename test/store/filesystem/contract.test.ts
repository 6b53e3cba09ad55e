import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Claiming } from '../../../src/store/filesystem/durable.ts';
import { describeRecordStore } from '../../contract/record-store.ts';
import { makeWorkspace } from './workspace.ts';

const filesystem = (claiming: Claiming) => async () => {
  const made = await makeWorkspace();
  return {
    store: await made.open({ claiming }),
    another: () => made.open({ claiming }),
    spoilRecord: async (record: Parameters<typeof made.fileOf>[0], bytes: Uint8Array | 'unreadable') => {
      await rm(made.fileOf(record));
      if (bytes === 'unreadable') await mkdir(made.fileOf(record));
      else await writeFile(made.fileOf(record), bytes);
    },
    spoilContent: async (digest: Parameters<typeof made.fileOfContent>[0], bytes: Uint8Array | undefined) => {
      if (bytes === undefined) await rm(made.fileOfContent(digest));
      else await writeFile(made.fileOfContent(digest), bytes);
    },
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
};

describeRecordStore('filesystem', filesystem('link'));
describeRecordStore('filesystem without hard links', filesystem('reserve'));
