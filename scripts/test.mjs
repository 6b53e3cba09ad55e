import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install } from './install.mjs';
import { ROOT, StepFailed, resolveCommand, run, say, script } from './steps.mjs';
import { leftOut, mustHaveTools } from './workflow-tools.mjs';

/**
 * `npm test`: install, then every `check:` script of package.json, two at a time and whatever the others came to,
 * and at last the tests. Each of them can be run alone: `npm run check:lint`. What this machine has no tool for is left
 * out and named; in CI that is a failure.
 */

/** Vitest's report of the last run. */
const RESULTS = join(ROOT, 'build', 'test-results.json');

/** The last line that was printed, for `.ci/run`. */
const COUNTS = join(ROOT, 'build', 'test-counts.txt');

const SIDE_BY_SIDE = 2;

/** The `check:` scripts, but for the tests, which come last. */
function checks() {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const found = Object.entries(scripts).filter(([name]) => name.startsWith('check:'));
  return found.map(([name, command]) => ({ name: name.slice('check:'.length), command, shown: `npm run ${name}` }));
}

/** Run every step, some side by side. Answers the messages of those that failed. */
async function runAll(steps, node) {
  const waiting = [...steps];
  const failures = [];
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      try {
        await run({ ...step, command: resolveCommand(step.command, node) });
      } catch (error) {
        if (!(error instanceof StepFailed)) throw error;
        failures.push(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return failures;
}

/** How many tests passed and failed, by vitest's own report. A run that broke off before it had any: one failure. */
function counts() {
  try {
    const { numPassedTests, numFailedTests, success } = JSON.parse(readFileSync(RESULTS, 'utf8'));
    return { passed: numPassedTests, failed: success ? numFailedTests : Math.max(numFailedTests, 1) };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { passed: 0, failed: 1 };
  }
}

/** Run the tests, after everything else: vitest's own closing lines are what a reader looks for. */
async function runTests({ command, ...step }, node) {
  rmSync(RESULTS, { force: true });
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`];
  try {
    await run({ ...step, command: [...resolveCommand(command, node), ...report], live: true });
    return [];
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return [error.message];
  }
}

await script(async () => {
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  rmSync(COUNTS, { force: true });
  const node = await install();
  const all = checks();
  const [tests, others] = [all.filter(({ name }) => name === 'tests'), all.filter(({ name }) => name !== 'tests')];
  const failures = await runAll(others, node);
  failures.push(...(await runTests(tests[0], node)));
  const missing = leftOut();
  for (const line of missing) say(`left out: ${line}`);
  if (missing.length > 0 && mustHaveTools()) failures.push('In CI nothing is left out.');

  const { passed, failed } = counts();
  const line = `${passed} passed, ${Math.max(failed, failures.length)} failed`;
  writeFileSync(COUNTS, `${line}\n`);
  if (failures.length > 0) say(`\n${failures.join('\n')}`);
  process.stdout.write(`${line}\n`);
  if (failures.length > 0) process.exitCode = 1;
});
