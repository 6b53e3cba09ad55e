import type { DataFile, Failure } from '../protocol/outputs.ts';
import { DrivenScreen, type LocatorUses } from './driven-screen.ts';
import type { Engine } from './driver.ts';
import type { Spec, SpecTest } from './spec.ts';

/** What one test came to; `undefined`: passed. */
export type Outcome = Omit<Failure, 'runs'> | undefined;

/** Runs every test of a spec once, each on a page of its own, in order. */
export async function runSpec<Page>(
  spec: Spec<Page>,
  data: DataFile,
  engine: Engine,
  uses: LocatorUses,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const test of spec.tests) outcomes.push(await runTest(spec, test, data, engine, uses));
  return outcomes;
}

async function runTest<Page>(
  spec: Spec<Page>,
  test: SpecTest<Page>,
  data: DataFile,
  engine: Engine,
  uses: LocatorUses,
): Promise<Outcome> {
  const driver = await engine.open();
  const at = { step: 0, action: 'open the page', label: '' };
  try {
    await test.run(spec.open(new DrivenScreen(driver, uses)), valuesOf(test, data), {
      step: async (action, label, work) => {
        Object.assign(at, { step: at.step + 1, action, label });
        await work();
      },
    });
    const [problem] = driver.problems();
    return problem === undefined
      ? undefined
      : { testId: test.testId, ...at, message: `a script of the page failed: ${problem}` };
  } catch (error) {
    // Playwright adds a call log after the first line, with times in it.
    return { testId: test.testId, ...at, message: (error as Error).message.split('\n')[0]! };
  } finally {
    await driver.close();
  }
}

function valuesOf({ testId, dataCase }: SpecTest<never>, data: DataFile): (field: string) => string {
  const row = data.cases.find(({ id }) => id === dataCase);
  return (field) => {
    const value = row?.values[field];
    if (value === undefined) throw new Error(`${testId}: the test data has no "${field}" in row "${dataCase}"`);
    return value;
  };
}
