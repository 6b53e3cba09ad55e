import { defineConfig } from 'vitest/config';
import { TEST_SIZE } from './test/support/test-size.ts';

/**
 * Far above what any test takes that starts processes: a slow machine must not make one red. A soak has hours.
 */
const LONGEST = TEST_SIZE === 'soak' ? 12 * 60 * 60_000 : 240_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Whole workflows under act are too slow for a sample.
    exclude: TEST_SIZE === 'sample' ? ['test/act/**'] : [],
    // Tests start real processes and git; forks keep a crash or a changed directory to the file it happened in.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    allowOnly: false,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
      thresholds: { lines: 94 },
    },
  },
});
