import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Far above what any test takes that starts processes: a slow machine must not make one red. */
const LONGEST = 900_000;

/** Tests that change their process have one for each file. All others share some: GitHub's stand-in is a server of its file. */
const ALONE = [
  'action/decisions.test.ts',
  'kills/**/*.test.ts',
  'oracle/**/*.test.ts',
  'store/github/**/*.test.ts',
].map((path) => `test/${path}`);
const ALL = ['test/**/*.test.ts'];

/** What `npm run mutate` runs: tests that start no process. The suite of JSON Schema tests ajv, and takes half of the time. */
const PURE = [
  '{json,run}/**/*',
  'verdict/!(json-schema-test-suite)',
  'untrusted/{escape,redact}',
  'history/history',
  'report/run-view',
].map((path) => `test/${path}.test.ts`);
const IS_MUTATED = process.env['STRYKER_MUTATOR_WORKER'] !== undefined;

/** A machine that has not run them knows only how large files are. */
const SLOW =
  /\/(?:docs\/pages|templates\/runs|action\/stories\/(?:files|outage|stopped)|kills\/\w+|cli\/sets|oracle\/oracle)\.test/;

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(SLOW.test(b.moduleId)) - Number(SLOW.test(a.moduleId)));
  }
}

export default defineConfig({
  test: {
    // Tests start real processes and git; forks keep a crash or a changed directory to the files of one process.
    pool: 'forks',
    projects: IS_MUTATED
      ? [{ extends: true, test: { name: 'mutated', include: PURE, isolate: false } }]
      : [
          // To start a process and import the sources takes longer than most files.
          { extends: true, test: { name: 'together', include: ALL, exclude: ALONE, isolate: false } },
          { extends: true, test: { name: 'alone', include: ALONE } },
        ],
    maxWorkers: Math.min(availableParallelism() + 2, 4),
    globalSetup: 'test/support/runner/bundle.ts',
    sequence: { sequencer: SlowFilesFirst },
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    // Conditions are waited for, however long a busy machine takes.
    expect: { poll: { timeout: 300_000 } },
    allowOnly: false,
    // Of what runs in the processes of the tests. Steps of actions and killed programs run in others.
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'], thresholds: { lines: 90 } },
  },
});
