import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take longest, by their paths: half a minute and more in `full`. They start first, so that no processor
 * waits for one of them at the end. A clean clone has no durations of an earlier run to order them by.
 */
export const SLOWEST: readonly string[] = [
  'test/action/faults/every-call.test.ts',
  'test/crash/kill.test.ts',
  'test/crash/web-tests.test.ts',
  'test/action/workflows/web-tests-reruns.test.ts',
  'test/action/workflows/attempts.test.ts',
  'test/docs/workflows.test.ts',
  'test/action/hostile/agent-text.test.ts',
  'test/action/faults/outages.test.ts',
  'test/action/hostile/workspace.test.ts',
  'test/crash/apply.test.ts',
  'test/e2e/web-tests.test.ts',
  'test/graphs/graphs.test.ts',
  'test/act/web-tests.test.ts',
  'test/repository/npm-install.test.ts',
];

/** The order of test files: {@link SLOWEST}, then as vitest orders the others. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = SLOWEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return rank === -1 ? SLOWEST.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
