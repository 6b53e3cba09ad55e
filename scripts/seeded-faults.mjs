import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { AGENT_FAULTS } from './faults/agent.ts';
import { ENGINE_FAULTS } from './faults/engine.ts';
import { GITHUB_FAULTS } from './faults/github.ts';
import { LANGGRAPH_FAULTS } from './faults/langgraph.ts';
import { PIPELINE_FAULTS } from './faults/pipeline.ts';
import { RUN_FAULTS } from './faults/run.ts';
import { SHOWN_FAULTS } from './faults/shown.ts';
import { STORE_FAULTS } from './faults/store.ts';
import { UNTRUSTED_FAULTS } from './faults/untrusted.ts';
import { VERDICT_FAULTS } from './faults/verdict.ts';
import { WORKSPACE_FAULTS } from './faults/workspace.ts';
import { changedFiles, roomOf } from './changed-files.mjs';
import { ROOT, StepFailed, say, script } from './steps.mjs';

/**
 * Can the tests fail? Puts one mistake after another into a copy of the sources, and requires that a test fails for
 * each. `node scripts/seeded-faults.mjs engine retries` tries only those whose name contains one of these words;
 * `--changed` (`npm run check:faults`) tries those of rooms that differ from the merge base with origin/main, or with
 * the commit that GATELINE_FAULTS_BASE names. Unless faults are selected by name, an out-of-date fault anywhere is an
 * error.
 *
 * @typedef {import('./faults/fault.ts').Fault} Fault
 * @typedef {{ file: string, test: string }} Sighting A test that failed for a fault.
 */

/** By the file of scripts/faults/ that contains them. @type {Readonly<Record<string, readonly Fault[]>>} */
const FAULTS_BY_FILE = {
  run: RUN_FAULTS,
  engine: ENGINE_FAULTS,
  verdict: VERDICT_FAULTS,
  untrusted: UNTRUSTED_FAULTS,
  store: STORE_FAULTS,
  workspace: WORKSPACE_FAULTS,
  agent: AGENT_FAULTS,
  pipeline: PIPELINE_FAULTS,
  github: GITHUB_FAULTS,
  langgraph: LANGGRAPH_FAULTS,
  shown: SHOWN_FAULTS,
};

const FAULTS = Object.values(FAULTS_BY_FILE).flat();

/** Parts of the repository that the tests need. */
const COPIED = ['src', 'test', 'examples', 'schema', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

const SIDE_BY_SIDE = 2;

/** Failures caused by a broken program rather than by a test that detected the fault. */
const NO_ASSERTION = /^(?:SyntaxError|ReferenceError|TypeError|Error: (?:Test|Hook) timed out)\b/;

/** Vitest processes that are running; an interrupted script leaves none. */
const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill(signal);
  });
}

/** A copy of the files that the tests need, with the modules of this repository. */
function makeCopy(from, folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(join(from, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

/**
 * Run test files of a copy.
 * @returns vitest's own report, or its output if it got no further
 */
async function runTests(copy, tests, { only, bail = 0 } = {}) {
  const results = join(copy, 'results.json');
  rmSync(results, { force: true });
  const args = [
    'run',
    ...tests,
    '--reporter=json',
    `--outputFile.json=${results}`,
    '--no-coverage',
    // A run that is meant to fail leaves no trace in the modules that all copies share.
    '--no-cache',
    '--bail',
    String(bail),
  ];
  if (only !== undefined) args.push('--testNamePattern', only);
  const child = spawn(process.execPath, [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), ...args], {
    cwd: copy,
    // A copy has no dist/, which larger sizes start. Only a few tests would use a bundle of its sources.
    env: { ...process.env, GATELINE_TEST_SIZE: 'sample', GATELINE_TEST_PROGRAMS: 'src' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const printed = [];
  child.stdout.on('data', (chunk) => printed.push(chunk));
  child.stderr.on('data', (chunk) => printed.push(chunk));
  await new Promise((resolve) => child.once('close', resolve));
  running.delete(child);
  if (interrupted) throw new StepFailed('interrupted');
  if (!existsSync(results)) return { printed: Buffer.concat(printed).toString() };
  return { report: JSON.parse(readFileSync(results, 'utf8')), printed: Buffer.concat(printed).toString() };
}

/** Why a report says nothing about the tests: a file that was not collected, or without any executed test. */
function unusable({ report, printed }, copy, tests, bail) {
  if (report === undefined) return `vitest broke off: ${printed.trim()}`;
  const found = new Map(report.testResults.map((file) => [relative(copy, file.name).replaceAll('\\', '/'), file]));
  for (const test of tests) {
    const file = found.get(test);
    // After the first failed test, the other files are not run.
    if (bail > 0 && file?.status !== 'failed') continue;
    if (file === undefined) return `${test} was not run`;
    if (!file.assertionResults.some(({ status }) => status === 'passed' || status === 'failed'))
      return `${test} has no test that was run: ${file.message.trim()}`;
  }
  return undefined;
}

/** Every test of a report, with the path of its file relative to the copy. */
function testsOf(report, copy) {
  return report.testResults.flatMap(({ name, assertionResults }) => {
    const file = relative(copy, name).replaceAll('\\', '/');
    return assertionResults.map(({ fullName: test, status, failureMessages }) => ({
      file,
      test,
      status,
      failureMessages,
    }));
  });
}

/** Path → text of every source file below a folder. @returns {ReadonlyMap<string, string>} */
function sourcesOf(folder) {
  const names = readdirSync(join(folder, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'));
  const paths = names.map((name) => `src/${name.replaceAll('\\', '/')}`);
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** The place of a fault. @throws {StepFailed} when the fault is out of date */
function placeOf(sources, { name, find, replace }) {
  const found = [...sources].filter(([, text]) => text.includes(find));
  const count = found.reduce((sum, [, text]) => sum + text.split(find).length - 1, 0);
  if (count === 1 && find !== replace) return found[0][0];
  const where = found.length === 0 ? 'nowhere' : `${count} times, in ${found.map(([path]) => path).join(', ')}`;
  throw new StepFailed(`${name}\n  is out of date: its text stands ${where}, not once:\n  ${find}`);
}

/** Fault → path of its file. @throws {StepFailed} with all faults that are out of date, at once */
function placesOf(copy, faults) {
  const problems = [];
  const places = new Map();
  const sources = sourcesOf(copy);
  if (new Set(faults.map(({ name }) => name)).size < faults.length) problems.push('two faults have one name');
  for (const fault of faults) {
    for (const test of fault.tests) if (!existsSync(join(copy, test))) problems.push(`${fault.name}\n  has no ${test}`);
    try {
      places.set(fault, placeOf(sources, fault));
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new StepFailed(problems.join('\n'));
  return places;
}

/**
 * The tests that detected faults must pass without any fault; otherwise their failure would mean nothing.
 * @param {readonly Sighting[]} sightings
 */
async function requireGreen(copy, sightings) {
  const names = new Set(sightings.map(({ test }) => RegExp.escape(test)));
  const red = await redOf(copy, sightings, `^(?:${[...names].join('|')})$`);
  // When run alone, a test may lack state left by earlier ones.
  const stillRed = red.length > 0 ? await redOf(copy, red) : [];
  if (stillRed.length > 0) {
    throw new StepFailed(
      `Without any fault these are not green either:\n  ${stillRed.map(({ test }) => test).join('\n  ')}`,
    );
  }
  say(`${names.size} tests that saw a fault are green without any`);
}

/**
 * Run the files of tests that detected faults, or only their tests that match a pattern. @returns the tests that do not
 * pass
 */
async function redOf(copy, sightings, only) {
  const files = [...new Set(sightings.map(({ file }) => file))];
  const { report, printed } = await runTests(copy, files, { only });
  if (report === undefined) throw new StepFailed(`Without any fault vitest broke off: ${printed.trim()}`);
  const green = new Set(
    testsOf(report, copy).flatMap(({ file, test, status }) => (status === 'passed' ? [`${file} ${test}`] : [])),
  );
  return sightings.filter(({ file, test }) => !green.has(`${file} ${test}`));
}

/**
 * Insert one fault, run its tests, remove it. @returns {Promise<Sighting | undefined>} undefined if it was not caught
 */
async function tryFault(copy, fault, file) {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    before.replace(fault.find, () => fault.replace),
  );
  try {
    // Usually the first failed test is enough; only if the program itself broke, another test may be more informative.
    const first = await judge(copy, fault, 1);
    const { seen, problem } = first.seen === undefined ? await judge(copy, fault, 0) : first;
    if (seen !== undefined) process.stdout.write(`✓ ${fault.name}\n    ${seen.test}\n`);
    else process.stdout.write(`✗ ${fault.name}\n    ${file}: ${problem}\n    It matters: ${fault.why}.\n`);
    return seen;
  } finally {
    writeFileSync(path, before);
  }
}

/**
 * Whether a test detects the fault that is now in a copy. @returns {Promise<{ seen?: Sighting, problem?: string }>} the
 * test, or why none does
 */
async function judge(copy, { tests, only }, bail) {
  const result = await runTests(copy, tests, { only, bail });
  const problem = unusable(result, copy, tests, bail);
  if (problem !== undefined) return { problem };
  const failures = testsOf(result.report, copy).filter(({ status }) => status === 'failed');
  const seen = failures.find(({ failureMessages }) => !NO_ASSERTION.test(failureMessages[0] ?? ''));
  if (seen !== undefined) return { seen };
  const broken = failures[0]?.failureMessages[0]?.split('\n')[0];
  return {
    problem: broken === undefined ? `every test of ${tests.join(', ')} is green` : `no test saw it, only: ${broken}`,
  };
}

/** Faults of rooms that changed, those whose tests or definition changed, and all if the changes are unknown. */
function changedFaults() {
  const { base, files } = changedFiles();
  if (files === undefined) {
    say(`There is no ${base} to compare with: all faults are tried.`);
    return FAULTS;
  }
  const rooms = new Set(files.map(roomOf));
  const sources = sourcesOf(ROOT);
  const isInChanged = ({ find }) => [...sources].some(([path, text]) => rooms.has(roomOf(path)) && text.includes(find));
  const changed = new Set(files);
  const found = Object.entries(FAULTS_BY_FILE).flatMap(([name, faults]) =>
    faults.filter(
      (fault) =>
        changed.has(`scripts/faults/${name}.ts`) || fault.tests.some((test) => changed.has(test)) || isInChanged(fault),
    ),
  );
  say(`${found.length} of ${FAULTS.length} faults are in rooms that differ from ${base}`);
  return found;
}

async function main(words) {
  const isAsked = words.length > 0 && !words.includes('--changed');
  const asked = FAULTS.filter(({ name }) => words.some((word) => name.includes(word)));
  const faults = isAsked ? asked : words.length > 0 ? changedFaults() : FAULTS;
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'gateline-faults-')));
  try {
    const copies = Array.from({ length: SIDE_BY_SIDE }, (_, index) => join(scratch, String(index)));
    // The second is a copy of the first: the user may edit the sources meanwhile.
    copies.forEach((copy, index) => makeCopy(copies[index - 1] ?? ROOT, copy));
    const places = placesOf(copies[0], isAsked ? faults : FAULTS);
    if (faults.length === 0) return;
    const waiting = faults.values();
    const survived = [];
    const sightings = [];
    const work = async (copy) => {
      for (const fault of waiting) {
        const seen = await tryFault(copy, fault, places.get(fault));
        if (seen === undefined) survived.push(fault.name);
        else sightings.push(seen);
      }
    };
    // Wait for all of them, so that none works in a folder that is then removed.
    const broken = (await Promise.allSettled(copies.map(work))).find(({ status }) => status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    if (sightings.length > 0) await requireGreen(copies[0], sightings);
    process.stdout.write(`${faults.length} faults, ${faults.length - survived.length} caught\n`);
    if (survived.length > 0) {
      throw new StepFailed(`No test went red for:\n  ${survived.join('\n  ')}\nAdd the test that is missing.`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await script(() => main(process.argv.slice(2)));
