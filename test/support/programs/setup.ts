import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundlePrograms } from './bundle.ts';
import { FROM_SOURCES, PREPARED, PROGRAMS_VARIABLE, REPOSITORY } from './places.ts';

/** Before the tests, and before each repetition of `vitest --watch`: the programs that tests start are those of `src/` as it is now. */
export default async function setup(project: TestProject): Promise<void> {
  if (process.env[PROGRAMS_VARIABLE] === FROM_SOURCES) return;
  const prepare = async () => {
    process.env[PROGRAMS_VARIABLE] = await bundlePrograms(REPOSITORY, join(PREPARED, 'programs'));
  };
  await prepare();
  project.onTestsRerun(prepare);
}
