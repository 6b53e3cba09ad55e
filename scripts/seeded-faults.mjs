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
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_FAULTS } from './faults/agent.ts';
import { COMPILE_FAULTS } from './faults/compile.ts';
import { DECISION_FAULTS } from './faults/decisions.ts';
import { DELIVERY_FAULTS } from './faults/delivery.ts';
import { ENGINE_FAULTS } from './faults/engine.ts';
import { ENTITY_FAULTS } from './faults/entities.ts';
import { GITHUB_FAULTS } from './faults/github.ts';
import { EXCHANGE_FAULTS } from './faults/exchange.ts';
import { HISTORY_FAULTS } from './faults/history.ts';
import { LANGGRAPH_FAULTS } from './faults/langgraph.ts';
import { PIPELINE_FAULTS } from './faults/pipeline.ts';
import { RUN_FAULTS } from './faults/run.ts';
import { SET_FAULTS } from './faults/sets.ts';
import { SHOWN_FAULTS } from './faults/shown.ts';
import { STORE_FAULTS } from './faults/store.ts';
import { UNTRUSTED_FAULTS } from './faults/untrusted.ts';
import { VERDICT_FAULTS } from './faults/verdict.ts';
import { WORKSPACE_FAULTS } from './faults/workspace.ts';
import { changedFiles, roomOf } from './changed-files.mjs';
import { CopyTests } from './copy-tests.mjs';
import { ROOT, StepFailed, interruption, say, script } from './steps.mjs';

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
  entities: ENTITY_FAULTS,
  decisions: DECISION_FAULTS,
  delivery: DELIVERY_FAULTS,
  verdict: VERDICT_FAULTS,
  untrusted: UNTRUSTED_FAULTS,
  store: STORE_FAULTS,
  workspace: WORKSPACE_FAULTS,
  agent: AGENT_FAULTS,
  pipeline: PIPELINE_FAULTS,
  compile: COMPILE_FAULTS,
  github: GITHUB_FAULTS,
  formats: EXCHANGE_FAULTS,
  history: HISTORY_FAULTS,
  langgraph: LANGGRAPH_FAULTS,
  shown: SHOWN_FAULTS,
  sets: SET_FAULTS,
};

const FAULTS = Object.values(FAULTS_BY_FILE).flat();

/** Parts of the repository that the tests need. */
const COPIED = [
  'src',
  'test',
  '.github',
  'docs/recipes',
  'examples',
  'schema',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];

const SIDE_BY_SIDE = 2;

/** Failures caused by a broken program rather than by a test that detected the fault. */
const NO_ASSERTION = /^(?:SyntaxError|ReferenceError|TypeError|Error: (?:Test|Hook) timed out)\b/;

/** A copy of the files that the tests need, with the modules of this repository. */
function makeCopy(from, folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(join(from, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

/**
 * Why a run says nothing about the tests: a file that was not collected, or without any executed test.
 * @param {import('./copy-tests.mjs').TestRun} run
 */
function unusable({ files, errors }, tests, bail) {
  const found = new Map(files.map((file) => [file.file, file]));
  for (const test of tests) {
    const file = found.get(test);
    // After the first failed test, the other files are not run.
    if (bail > 0 && file?.failed !== true) continue;
    if (file === undefined) return [`${test} was not run`, ...errors].join(': ');
    if (!file.tests.some(({ status }) => status === 'passed' || status === 'failed'))
      return [`${test} has no test that was run`, file.message.trim(), ...errors].join(': ');
  }
  return undefined;
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
 * The tests that detected faults must pass without any fault, in the same copy and by the same vitest; otherwise their
 * failure would mean nothing, or a fault reached the tests of another one.
 * @param {CopyTests} tests
 * @param {readonly Sighting[]} sightings
 */
async function requireGreen(tests, sightings) {
  const names = new Set(sightings.map(({ test }) => RegExp.escape(test)));
  const red = await redOf(tests, sightings, `^(?:${[...names].join('|')})$`);
  // When run alone, a test may lack state left by earlier ones.
  const stillRed = red.length > 0 ? await redOf(tests, red) : [];
  if (stillRed.length > 0) {
    throw new StepFailed(
      `Without any fault these are not green either:\n  ${stillRed.map(({ test }) => test).join('\n  ')}`,
    );
  }
  return names.size;
}

const FILES_AT_ONCE = 20;

/**
 * Run the files of tests that detected faults, or only their tests that match a pattern. @returns the tests that do not
 * pass
 */
async function redOf(tests, sightings, only) {
  const paths = [...new Set(sightings.map(({ file }) => file))];
  const green = new Set();
  // The time limit of a run is there for a test that never ends, not for all of them together.
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    const { files } = await tests.run(paths.slice(at, at + FILES_AT_ONCE), { only });
    for (const { file, test, status } of testsOf(files)) if (status === 'passed') green.add(`${file} ${test}`);
  }
  return sightings.filter(({ file, test }) => !green.has(`${file} ${test}`));
}

/** Every test of some files, with the path of its file. */
function testsOf(files) {
  return files.flatMap(({ file, tests }) => tests.map((test) => ({ file, ...test })));
}

/**
 * Insert one fault, run its tests, remove it. @returns {Promise<Sighting | undefined>} undefined if it was not caught
 */
async function tryFault({ folder, tests }, fault, file) {
  const before = readFileSync(join(folder, file), 'utf8');
  tests.write(
    file,
    before.replace(fault.find, () => fault.replace),
  );
  try {
    const { seen, problem } = await judge(tests, fault);
    if (seen !== undefined) process.stdout.write(`✓ ${fault.name}\n    ${seen.test}\n`);
    else process.stdout.write(`✗ ${fault.name}\n    ${file}: ${problem}\n    It matters: ${fault.why}.\n`);
    return seen;
  } finally {
    tests.write(file, before);
  }
}

/**
 * Whether a test detects the fault that is now in a copy. @returns {Promise<{ seen?: Sighting, problem?: string }>} the
 * test, or why none does
 */
async function judge(tests, fault) {
  try {
    // Usually the first failed test is enough; only if the program itself broke, another test may be more informative.
    const first = await sightingOf(tests, fault, 1);
    return first.seen === undefined ? await sightingOf(tests, fault, 0) : first;
  } catch (error) {
    if (!(error instanceof StepFailed) || interruption.aborted) throw error;
    return { problem: error.message };
  }
}

async function sightingOf(copyTests, { tests, only }, bail) {
  const run = await copyTests.run(tests, { only, bail });
  const problem = unusable(run, tests, bail);
  if (problem !== undefined) return { problem };
  const failures = testsOf(run.files).filter(({ status }) => status === 'failed');
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
  const copies = Array.from({ length: SIDE_BY_SIDE }, (_, index) => {
    const folder = join(scratch, String(index));
    return { folder, tests: new CopyTests(folder), sightings: [] };
  });
  try {
    // The second is a copy of the first: the user may edit the sources meanwhile.
    copies.forEach(({ folder }, index) => makeCopy(copies[index - 1]?.folder ?? ROOT, folder));
    const places = placesOf(copies[0].folder, isAsked ? faults : FAULTS);
    if (faults.length === 0) return;
    const waiting = [...faults];
    const survived = [];
    const work = async (copy, index) => {
      // One from each end: neighbours need the same files, which are then transformed for one copy only.
      while (waiting.length > 0) {
        const fault = index === 0 ? waiting.shift() : waiting.pop();
        const seen = await tryFault(copy, fault, places.get(fault));
        if (seen === undefined) survived.push(fault.name);
        else copy.sightings.push(seen);
      }
      return copy.sightings.length === 0 ? 0 : requireGreen(copy.tests, copy.sightings);
    };
    // Wait for all of them, so that none works in a folder that is then removed.
    const done = await Promise.allSettled(copies.map(work));
    const broken = done.find(({ status }) => status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    say(`${done.reduce((sum, { value }) => sum + value, 0)} tests that saw a fault are green without any`);
    process.stdout.write(`${faults.length} faults, ${faults.length - survived.length} caught\n`);
    if (survived.length > 0) {
      throw new StepFailed(`No test went red for:\n  ${survived.join('\n  ')}\nAdd the test that is missing.`);
    }
  } finally {
    await Promise.allSettled(copies.map(({ tests }) => tests.close()));
    rmSync(scratch, { recursive: true, force: true });
  }
}

await script(() => main(process.argv.slice(2)));
