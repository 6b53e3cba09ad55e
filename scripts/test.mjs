import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { install } from './install.mjs';
import { sizedTests, quickTests } from './sized-tests.mjs';
import { ROOT, StepFailed, resolveCommand, run, say, script } from './steps.mjs';
import { leftOut, mustHaveTools } from './workflow-tools.mjs';

/**
 * `npm test`: installs, then runs the tests and, beside them, every `check:` script of package.json, one after the
 * other, whatever the results of the others. Each of them can be run alone: `npm run check:lint`. Checks whose tool is
 * missing on this machine are left out and reported; in CI that is a failure.
 *
 * It leaves out the slow tests that `.ci/run` then runs by `node scripts/test.mjs full`, with all seeded faults beside
 * them; `npm test -- --slow` runs a sample of these too. `node scripts/test.mjs soak` (`npm run soak`) runs the tests that
 * have a size with the largest numbers.
 *
 * `--counts=FILE` writes the last line, `N passed, N failed`, to a file too, and after it a line for each failure.
 */

/** @typedef {{ name: string, command: string, shown: string }} Step */

const SIZES = ['sample', 'full', 'soak'];
const TESTS = 'check:tests';
const SLOW = '--slow';

/** @returns {Step[]} the `check:` scripts, except the tests */
function checks() {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = Object.keys(scripts).filter((name) => name.startsWith('check:') && name !== TESTS);
  return names.map((name) => ({ name: name.slice('check:'.length), command: scripts[name], shown: `npm run ${name}` }));
}

/** @returns {Step[]} the steps that run beside the tests of a size */
function besideTests(size) {
  if (size === 'sample') return checks();
  if (size === 'soak') return [];
  const command = 'node scripts/seeded-faults.mjs';
  return [{ name: 'all seeded faults', command, shown: command }];
}

/** @returns {Step} the tests of a size. In CI coverage of src/ is measured too */
function testsOf(size, withSlow) {
  if (size === 'sample') {
    const command = mustHaveTools() ? 'vitest run --coverage' : 'vitest run';
    if (withSlow) return { name: 'tests', command, shown: `npx ${command}` };
    return { name: 'tests', command: `${command} ${quickTests().join(' ')}`, shown: `npx ${command} …` };
  }
  const command = `vitest run ${sizedTests().join(' ')}`;
  return { name: `tests, ${size}`, command, shown: `GATELINE_TEST_SIZE=${size} vitest run …` };
}

/** Run a step. @returns the message of its failure, none on success */
async function tried(step, node, more = {}) {
  const { arguments: words = [], ...options } = more;
  try {
    for (const command of step.command.split(' && '))
      await run({ ...step, ...options, command: [...resolveCommand(command, node), ...words] });
    return [];
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return [error.message];
  }
}

/**
 * Run the tests. @returns messages of failures, and vitest's own count with a line for each failed test; an aborted run
 * without a count is a failure
 */
async function runTests(size, node, withSlow) {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-results-'));
  try {
    const results = join(folder, 'results.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
    const env = { GATELINE_TEST_SIZE: size };
    const failures = await tried(testsOf(size, withSlow), node, { arguments: reporters, env, live: true });
    return { failures, ...countsIn(results) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsIn(results) {
  try {
    const { numPassedTests, numFailedTests, success, testResults } = JSON.parse(readFileSync(results, 'utf8'));
    const failed = success ? numFailedTests : Math.max(numFailedTests, 1);
    return { passed: numPassedTests, failed, lines: testResults.flatMap(failureLines) };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { passed: 0, failed: 1, lines: [] };
  }
}

/** A line for each failed test of a file, and for a file that failed as a whole. */
function failureLines({ name, status, message, assertionResults }) {
  const first = (text = '') => stripVTControlCharacters(text).split('\n', 1)[0].slice(0, 300);
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((one) => one.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${file}: ${first(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${first(failureMessages[0])}`);
}

/** Run steps one after the other. @returns messages of all that failed */
async function runAll(steps, node) {
  const failures = [];
  for (const step of steps) failures.push(...(await tried(step, node)));
  return failures;
}

await script(async () => {
  const words = process.argv.slice(2);
  const counts = words.find((word) => word.startsWith('--counts='))?.slice('--counts='.length);
  const withSlow = words.includes(SLOW);
  const [size = 'sample', ...others] = words.filter((word) => !word.startsWith('--counts=') && word !== SLOW);
  if (!SIZES.includes(size) || others.length > 0)
    throw new StepFailed(`usage: test.mjs [full|soak] [${SLOW}] [--counts=FILE]`);

  const node = await install();
  const [beside, tests] = await Promise.all([runAll(besideTests(size), node), runTests(size, node, withSlow)]);
  const missing = leftOut();
  for (const line of missing) say(`left out: ${line}`);
  if (missing.length > 0 && mustHaveTools()) beside.push('In CI nothing is left out.');

  const failures = [...beside, ...tests.failures];
  const failed = beside.length + Math.max(tests.failed, tests.failures.length);
  const line = `${tests.passed} passed, ${failed} failed`;
  if (counts !== undefined) writeFileSync(counts, `${[line, ...failures, ...tests.lines].join('\n')}\n`);
  if (failures.length > 0) say(`\n${failures.join('\n')}`);
  process.stdout.write(`${line}\n`);
  if (failures.length > 0) process.exitCode = 1;
});
