import { deltaChannelHistoryTests, specTest } from '@langchain/langgraph-checkpoint-validation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { createFileCheckpointer, createMemoryCheckpointer, type GatelineSaver } from '../../src/langgraph/index.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';

// The suite of LangGraph takes these from the globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });

/** Tests of the suite for one checkpointer: `specTest` has 718, `deltaChannelHistoryTests` 8. */
const IN_THE_SUITE = 726;

const folders = new WeakMap<GatelineSaver, AsyncDisposable>();

const CHECKPOINTERS = [
  {
    checkpointerName: 'gateline, files',
    createCheckpointer: async () => {
      const folder = await temporaryFolder();
      const saver = createFileCheckpointer(folder.path);
      folders.set(saver, folder);
      return saver;
    },
    destroyCheckpointer: async (saver: GatelineSaver) => folders.get(saver)?.[Symbol.asyncDispose](),
  },
  { checkpointerName: 'gateline, memory', createCheckpointer: () => createMemoryCheckpointer() },
];

describe.each(CHECKPOINTERS)("LangGraph's own suite: $checkpointerName", (initializer) => {
  let passed = 0;
  afterEach(({ task }: TestContext) => void (passed += task.result?.state === 'fail' ? 0 : 1));
  specTest(initializer);
  deltaChannelHistoryTests(initializer);
  afterAll(() => {
    console.log(
      `${initializer.checkpointerName}: ${passed} of the ${IN_THE_SUITE} tests of LangGraph's own suite passed`,
    );
    expect(passed).toBe(IN_THE_SUITE);
  });
});
