import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { install } from './install.mjs';
import { isRecorded, oldProductDigest, record } from './old-product.mjs';
import { ROOT, StepFailed, resolveCommand, run, say, script } from './steps.mjs';
import { leftOut, mustHaveTools } from './workflow-tools.mjs';

/**
 * `npm test`: installs, then runs the tests of next/ and, beside them, the `check:` scripts of package.json, one after the
 * other, whatever the results of the others. Each of them can be run alone: `npm run check:lint`.
 *
 * The tests in test/, and the checks that are only about src/, run if a file outside next/ is not as it was when they last
 * passed. `npm test -- --record` writes down that they passed, in next/old-product.digest. Checks whose tool is missing on
 * this machine are left out and reported; in CI that is a failure.
 *
 * `--counts=FILE` writes the last line, `N passed, N failed`, to a file too, and after it a line for each failure.
 */

/** @typedef {{ name: string, command: string, shown: string }} Step */
/** @typedef {{ passed: number, failed: number, failures: string[], lines: string[] }} Outcome */

const RECORD = '--record';
const COUNTS = '--counts=';
const TESTS = ['check:tests', 'check:old-tests'];
const OLD = ['check:dead', 'check:dist', 'check:workflows'];

/** @returns {Step[]} the `check:` scripts, except the tests */
function checks(withOld) {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = Object.keys(scripts).filter((name) => name.startsWith('check:') && !TESTS.includes(name));
  return names
    .filter((name) => withOld || !OLD.includes(name))
    .map((name) => ({ name: name.slice('check:'.length), command: scripts[name], shown: `npm run ${name}` }));
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
 * Run tests. @returns {Promise<Outcome>} messages of failures, and vitest's own count with a line for each failed test; an
 * aborted run without a count is a failure
 */
async function runTests(name, command, node) {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-results-'));
  try {
    const results = join(folder, 'results.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
    const step = { name, command, shown: `npx ${command}` };
    const failures = await tried(step, node, { arguments: reporters, live: true });
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

/** The tests in test/, in CI with the coverage of src/. @returns {Promise<Outcome>} */
function runOldTests(node) {
  return runTests('tests outside next/', mustHaveTools() ? 'vitest run --coverage' : 'vitest run', node);
}

/** Record that everything passed for the files outside next/, if that was asked for and can be said. */
function recordOld(digest, isAsked) {
  if (mustHaveTools()) return;
  if (!isAsked) return say('old tests passed; record with npm test -- --record');
  if (oldProductDigest() !== digest) return say('not recorded: files outside next/ changed while the tests ran');
  if (leftOut().length > 0) return say('not recorded: a check was left out');
  record(digest);
  say('recorded in next/old-product.digest that the old tests passed');
}

await script(async () => {
  const words = process.argv.slice(2);
  const counts = words.find((word) => word.startsWith(COUNTS))?.slice(COUNTS.length);
  if (words.some((word) => word !== RECORD && !word.startsWith(COUNTS)))
    throw new StepFailed(`usage: test.mjs [${RECORD}] [${COUNTS}FILE]`);

  const node = await install();
  const digest = oldProductDigest();
  const withOld = !isRecorded(digest);
  if (!withOld) say('old tests skipped: nothing outside next/ changed since they passed (next/old-product.digest)');
  const [beside, ...outcomes] = await Promise.all([
    runAll(checks(withOld), node),
    runTests('tests of next/', 'vitest run --root next', node),
  ]);
  if (withOld) {
    const old = await runOldTests(node);
    outcomes.push(old);
    if (beside.length + old.failed + old.failures.length === 0) recordOld(digest, words.includes(RECORD));
  }
  const missing = withOld ? leftOut() : [];
  for (const line of missing) say(`left out: ${line}`);
  if (missing.length > 0 && mustHaveTools()) beside.push('In CI nothing is left out.');

  const failures = [...beside, ...outcomes.flatMap((outcome) => outcome.failures)];
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce(
    (sum, outcome) => sum + Math.max(outcome.failed, outcome.failures.length),
    beside.length,
  );
  const line = `${passed} passed, ${failed} failed`;
  const lines = outcomes.flatMap((outcome) => outcome.lines);
  if (counts !== undefined) writeFileSync(counts, `${[line, ...failures, ...lines].join('\n')}\n`);
  if (failures.length > 0) say(`\n${failures.join('\n')}`);
  process.stdout.write(`${line}\n`);
  if (failed > 0) process.exitCode = 1;
});
