import { readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { createVitest } from 'vitest/node';

/**
 * One vitest for many runs of the tests below the current folder, driven by messages of scripts/copy-tests.mjs: what is
 * loaded and transformed once serves the runs that follow.
 *
 * Nothing of a run reaches the next one. Each test file has a process of its own, and all of them have ended before a
 * run is answered. Only what this run collected is reported. Files that changed in between are named by the message.
 */

const ROOT = process.cwd();
const OWN_TEMPORARY_FILES = process.env.TMPDIR === undefined;

/** Absolute path → what the present run collected of that test file. */
const collected = new Map();
const keep = (module) => void collected.set(module.moduleId, module);

/** What vitest itself prints: only of interest when it breaks off, then the last of it. */
const quiet = new Writable({ write: (_chunk, _encoding, done) => done() });

const vitest = await createVitest(
  {
    root: ROOT,
    watch: false,
    // A run that is meant to fail leaves no trace in the modules that all copies share.
    cache: false,
    coverage: { enabled: false },
    reporters: [{ onTestModuleQueued: keep, onTestModuleCollected: keep }],
  },
  {},
  { stdout: quiet, stderr: process.stderr },
);
const specifications = new Map(
  (await vitest.globTestSpecifications()).map((specification) => [pathOf(specification.moduleId), specification]),
);

function pathOf(moduleId) {
  return relative(ROOT, moduleId).replaceAll('\\', '/');
}

/** The name of a test as testNamePattern sees it: with those of the suites around it. */
function fullName(test) {
  const names = [test.name];
  for (let suite = test.parent; suite.type === 'suite'; suite = suite.parent) names.unshift(suite.name);
  return names.join(' ');
}

/** @returns {import('./copy-tests.mjs').FileResult} */
function resultOf(module) {
  const tests = [...module.children.allTests()].map((test) => {
    const { state, errors = [] } = test.result();
    return {
      test: fullName(test),
      status: state,
      failureMessages: errors.map((error) => error.stack ?? error.message),
    };
  });
  const failed = module.state() === 'failed' || tests.some(({ status }) => status === 'failed');
  return { file: pathOf(module.moduleId), failed, message: module.errors()[0]?.message ?? '', tests };
}

/** @returns {Promise<import('./copy-tests.mjs').TestRun>} */
async function run({ tests, only, bail, changed }) {
  for (const path of changed) vitest.invalidateFile(join(ROOT, path));
  for (const project of vitest.projects) project.config.bail = bail;
  const pattern = only === undefined ? undefined : { testNamePattern: new RegExp(only) };
  const asked = tests.flatMap((test) => specifications.get(test) ?? []);
  collected.clear();
  const { unhandledErrors } = await vitest.runTestSpecifications(
    asked.map(({ project, moduleId }) => project.createSpecification(moduleId, pattern)),
  );
  const files = [...collected.values()].map(resultOf);
  await endWorkers();
  return { files, errors: unhandledErrors.map((error) => inspect(error)) };
}

/** Waits until the processes of a run have ended, and removes the temporary files that they left in memory. */
async function endWorkers() {
  await vitest.cancelCurrentRun('test-failure');
  const folder = process.env.TMPDIR;
  if (!OWN_TEMPORARY_FILES || folder === undefined) return;
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

async function close() {
  await vitest.close();
  process.disconnect();
}

// A rejection ends this process, and its message is printed.
process.on('message', (request) => {
  void (request === 'close' ? close() : run(request).then((answer) => process.send(answer)));
});
// Whoever drove it is gone.
process.on('disconnect', () => process.exit());
process.send('ready');
