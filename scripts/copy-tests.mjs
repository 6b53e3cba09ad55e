import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { end, interruption, StepFailed, start } from './steps.mjs';

/**
 * Tests of a copy of this repository, run again and again by one vitest (scripts/test-host.mjs): a run costs what its
 * tests cost.
 *
 * @typedef {{ test: string, status: 'passed' | 'failed' | 'skipped' | 'pending', failureMessages: string[] }} TestResult
 * @typedef {{ file: string, failed: boolean, message: string, tests: TestResult[] }} FileResult `message`: why the file
 *   itself failed
 * @typedef {{ files: FileResult[], errors: string[] }} TestRun `errors`: those of no test, such as a process that
 *   crashed
 */

const HOST = join(import.meta.dirname, 'test-host.mjs');

/** Above the time limit of a test. Only an endless loop takes so long: in one, no time limit of a test is seen. */
const LONGEST = 10 * 60_000;

/** The tests of one copy. Nothing is started before the first run; one run at a time. */
export class CopyTests {
  #folder;
  #longest;
  #host;
  /** Paths of files that differ from what vitest has loaded. */
  #changed = new Set();

  /**
   * @param {string} folder of the copy
   * @param {{ longest?: number }} [limits] milliseconds of a run
   */
  constructor(folder, { longest = LONGEST } = {}) {
    this.#folder = folder;
    this.#longest = longest;
  }

  /** Writes a file of the copy. The next run sees it, and so do programs that its tests start. */
  write(path, text) {
    writeFileSync(join(this.#folder, path), text);
    this.#changed.add(path);
  }

  /**
   * @param {readonly string[]} tests paths of test files, relative to the copy
   * @param {{ only?: string, bail?: number }} [options] `only`: a pattern of full names of tests; `bail`: stop after so
   *   many failed tests
   * @returns {Promise<TestRun>}
   * @throws {StepFailed} when the process of vitest ends, or must be ended. The next run starts another one
   */
  async run(tests, { only, bail = 0 } = {}) {
    try {
      this.#host ??= await startHost(this.#folder);
      const changed = [...this.#changed];
      this.#changed.clear();
      return await this.#host.ask({ tests, only, bail, changed }, this.#longest);
    } catch (error) {
      this.#host = undefined;
      throw error;
    }
  }

  /** Ends the process of vitest. */
  async close() {
    await this.#host?.close();
  }
}

async function startHost(folder) {
  if (interruption.aborted) throw new StepFailed('interrupted');
  const child = start([process.execPath, HOST], {
    cwd: folder,
    // A copy has no dist/, which larger sizes start. Only a few tests would use a bundle of its sources.
    env: { GATELINE_TEST_SIZE: 'sample', GATELINE_TEST_PROGRAMS: 'src' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  const closed = new Promise((resolve) => child.once('close', () => resolve(undefined)));

  /** The next message. */
  const answer = async (longest) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end(child, 'SIGKILL');
    }, longest);
    const message = await Promise.race([new Promise((resolve) => child.once('message', resolve)), closed]);
    clearTimeout(timer);
    if (message !== undefined) return message;
    if (interruption.aborted) throw new StepFailed('interrupted');
    if (isLate) throw new StepFailed(`the tests did not end within ${longest / 1000} s`);
    throw new StepFailed(`vitest broke off: ${Buffer.concat(printed).toString().trim()}`);
  };
  await answer(LONGEST);
  return {
    ask: (request, longest) => {
      printed.length = 0;
      const answered = answer(longest);
      child.send(request);
      return answered;
    },
    close: async () => {
      child.send('close');
      await closed;
    },
  };
}
