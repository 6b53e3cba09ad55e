import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deltaChannelHistoryTests, specTest } from '@langchain/langgraph-checkpoint-validation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFileCheckpointer, type FileCheckpointer } from '../../src/langgraph/index.ts';

// The suite takes these from the globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });

/** Tests of the suite for one checkpointer: `specTest` has 718, `deltaChannelHistoryTests` 8. */
const IN_THE_SUITE = 726;
const TMPFS = 0x01021994;

function isInMemory(path: string): boolean {
  try {
    return statfsSync(path).type === TMPFS;
  } catch {
    return false;
  }
}

/** On a disk, and in memory: for a state that need not outlive a machine, a folder of a file system in memory will do. */
const MEDIA = [
  { medium: 'files', parent: tmpdir() },
  { medium: 'memory', parent: '/dev/shm' },
].filter(({ medium, parent }) => medium === 'files' || isInMemory(parent));

describe.each(MEDIA)("LangGraph's own suite, in $medium,", ({ medium, parent }) => {
  const folders = new Map<FileCheckpointer, string>();
  const initializer = {
    checkpointerName: `gateline, ${medium}`,
    createCheckpointer: () => {
      const folder = mkdtempSync(join(parent, 'gateline-langgraph-'));
      const checkpointer = createFileCheckpointer(join(folder, 'checkpoints'));
      folders.set(checkpointer, folder);
      return checkpointer;
    },
    destroyCheckpointer: (checkpointer: FileCheckpointer) =>
      rmSync(folders.get(checkpointer)!, { recursive: true, force: true }),
  };
  let passed = 0;
  afterEach(({ task }) => void (passed += task.result?.state === 'fail' ? 0 : 1));
  specTest(initializer);
  deltaChannelHistoryTests(initializer);
  afterAll(() => expect(passed).toBe(IN_THE_SUITE));
});
