import { readFileSync, readdirSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { ROOT } from './steps.mjs';

/** The only file that defines the test sizes. Tests that do not import it do the same in every size. */
const SIZE = 'test/support/test-size.ts';

/**
 * Tests that `npm test` leaves to `.ci/run` if they have a size, by the start of their paths: they start programs as
 * separate processes, or repeat in larger numbers what tests of single rooms cover, and add nothing to coverage.
 */
const SLOW = [
  'test/act/',
  'test/action/comment/forty-jobs.test.ts',
  'test/action/faults/',
  'test/action/hostile/',
  'test/action/requests.test.ts',
  'test/action/workflows/',
  'test/compile/journey.test.ts',
  'test/compile/runs.test.ts',
  'test/crash/',
  'test/docs/',
  'test/e2e/',
  'test/engine/histories.test.ts',
  'test/examples/',
  'test/graphs/',
  'test/langgraph/crash.test.ts',
  'test/model/',
  'test/repository/copy-tests.test.ts',
  'test/repository/npm-install.test.ts',
  'test/store/filesystem/processes.test.ts',
  'test/untrusted/redact-time.test.ts',
  'test/workspace/random.test.ts',
];

/** Of those, tests whose steps run in the tests' own process, and which alone cover their rooms of src/action. */
const FOR_COVERAGE = ['comments', 'fork-comment', 'rework'].map((name) => `test/action/workflows/${name}.test.ts`);

/** Paths of the TypeScript files below a folder of the repository, `/`-separated. */
function sourcesBelow(root, folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'));
  return files.map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

/** Paths of the files that a file imports by relative path. */
function importsOf(path, text) {
  const names = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]);
  return names.map((name) => posix.join(posix.dirname(path), name));
}

/**
 * Test files that do more in the larger sizes: those that import the size file, directly or indirectly.
 * @param {string} [root] of the repository
 * @returns {string[]} paths relative to it, sorted
 */
export function sizedTests(root = ROOT) {
  const importers = new Map();
  for (const path of sourcesBelow(root, 'test')) {
    for (const name of importsOf(path, readFileSync(join(root, path), 'utf8'))) {
      importers.set(name, [...(importers.get(name) ?? []), path]);
    }
  }
  // A set that grows during iteration is iterated to its end.
  const found = new Set([SIZE]);
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return [...found].filter((path) => path.endsWith('.test.ts')).sort();
}

/**
 * Test files that `npm test` runs: all except the slow ones.
 * @param {string} [root] of the repository
 * @returns {string[]} paths relative to it, sorted
 */
export function quickTests(root = ROOT) {
  const isSlow = (path) => SLOW.some((start) => path.startsWith(start)) && !FOR_COVERAGE.includes(path);
  const slow = sizedTests(root).filter(isSlow);
  const tests = sourcesBelow(root, 'test').filter((path) => path.endsWith('.test.ts'));
  return tests.filter((path) => !slow.includes(path)).sort();
}
