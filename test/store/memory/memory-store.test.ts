import { createMemoryMedium, createMemoryStore, memoryKey } from '../../../src/store/memory/memory-store.ts';
import { describeRecordStore } from '../../contract/record-store.ts';

describeRecordStore('memory', async () => {
  const medium = createMemoryMedium();
  return {
    store: createMemoryStore(medium),
    another: async () => createMemoryStore(medium),
    spoilRecord: async (record, bytes) => {
      const kept = medium.records.get(memoryKey(record));
      if (kept === undefined) throw new Error('there is no such record to spoil');
      medium.records.set(memoryKey(record), { ...kept, bytes });
    },
    spoilContent: async (digest, bytes) => {
      if (bytes === undefined) medium.contents.delete(digest);
      else medium.contents.set(digest, bytes);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
});
