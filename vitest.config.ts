import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.ts';
import { TEST_SIZE } from './test/support/test-size.ts';

/** Far above what any test takes that starts processes: a slow machine must not make one red. A soak has hours. */
const LONGEST = TEST_SIZE === 'soak' ? 12 * 60 * 60_000 : 240_000;

/** One more than there are processors, within limits: tests wait for processes, connections and clocks part of their time. */
const WORKERS = Math.min(availableParallelism(), 4) + 1;

/** Rooms without files, processes or clocks: their tests leave nothing behind, and share a process. */
const PURE = ['errors', 'formats', 'pipeline', 'report', 'run', 'untrusted', 'verdict'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    // Tests start real processes and git; forks keep a crash or a changed directory to the file it happened in.
    pool: 'forks',
    maxWorkers: WORKERS,
    // The larger a process, the longer it takes to start another one from it: tests start thousands.
    execArgv: ['--max-semi-space-size=4'],
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    sequence: { sequencer: SlowestFirst },
    allowOnly: false,
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      {
        extends: true,
        test: {
          name: 'others',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          globalSetup: ['test/support/memory-folder.ts', 'test/support/programs/setup.ts'],
        },
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
