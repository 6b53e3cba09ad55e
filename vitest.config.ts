import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start real processes and git; forks keep a crash or a changed directory to the file it happened in.
    pool: 'forks',
    maxWorkers: 2,
    // Far above what any test takes: a slow machine must not make one red.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    allowOnly: false,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
      thresholds: { lines: 80 },
    },
  },
});
