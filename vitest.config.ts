import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Far above what any test takes that starts processes: a slow machine must not make one red. */
const LONGEST = 240_000;

/** One more than there are processors, within limits: tests wait for processes, connections and clocks part of their time. */
const WORKERS = Math.min(availableParallelism(), 4) + 1;

/**
 * Rooms whose tests leave nothing behind in their process: files, environment and clocks are values or end with the test.
 * They share a process, so what they import is loaded once for each worker and not for each file.
 */
const SHARED = [
  'cli',
  'compile',
  'engine',
  'errors',
  'formats',
  'github',
  'history',
  'json',
  'local',
  'memory',
  'pipeline',
  'report',
  'run',
  'store',
  'untrusted',
  'verdict',
  'workspace',
].map((room) => `test/${room}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Tests start real processes and git; forks keep a crash or a changed directory to the file it happened in.
    pool: 'forks',
    globalSetup: ['test/support/memory-folder.ts', 'test/support/programs/setup.ts'],
    maxWorkers: WORKERS,
    // The larger a process, the longer it takes to start another one from it: tests start thousands.
    execArgv: ['--max-semi-space-size=4'],
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    allowOnly: false,
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
      {
        extends: true,
        test: { name: 'others', include: ['test/**/*.test.ts'], exclude: SHARED },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
      thresholds: { lines: 94 },
    },
  },
});
