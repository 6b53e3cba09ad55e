import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Far above what any test takes that starts processes: a slow machine must not make one red. */
const LONGEST = 120_000;

/** Run with `npx vitest run --root next`. */
export default defineConfig({
  test: {
    // Tests start real processes and git; forks keep a crash or a changed directory to the file it happened in.
    pool: 'forks',
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    include: ['test/**/*.test.ts'],
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    // Conditions are waited for, however long a busy machine takes.
    expect: { poll: { timeout: 60_000 } },
    allowOnly: false,
  },
});
