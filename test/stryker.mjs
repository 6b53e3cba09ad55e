/**
 * `npm run mutate`: changes the rooms that decide, one place at a time, and runs the tests that reach it. What no test
 * notices is printed. `npm run mutate -- -m 'src/verdict/**'`: one room.
 */
export default {
  mutate: ['src/{untrusted,verdict,run}/**/*.ts'],
  testRunner: 'vitest',
  coverageAnalysis: 'perTest',
  // Tables, patterns and schemas that are made when a file is loaded: each would need a process and all tests of its own.
  ignoreStatic: true,
  // It is read by the compiler's old interface. Vitest needs none.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  ignorePatterns: ['/bench', '/build', '/coverage', '/dist', '/docs', '/examples'],
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { reportTests: false, allowColor: false, allowEmojis: false },
  thresholds: { high: 90, low: 80, break: 80 },
};
