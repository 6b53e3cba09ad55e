import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './run.ts';

/**
 * `npm test`: runs the tests and, beside them, all `check:` scripts of package.json one after the other. The last line is
 * `N passed, N failed`, where a failed check counts as one.
 */

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
}

/** Runs a script of package.json. @returns whether it succeeded, and its output unless `isShown` */
async function runScript(
  name: string,
  args: readonly string[],
  isShown: boolean,
): Promise<{ isGreen: boolean; text: string }> {
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', name, ...args], {
    cwd: ROOT,
    // What one run compiled, the next one need not.
    env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'), ...process.env },
    shell: process.platform === 'win32',
    stdio: ['ignore', ...(isShown ? (['inherit', 'inherit'] as const) : (['pipe', 'pipe'] as const))],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  child.once('error', reject);
  child.once('close', (code) => resolve(code === 0));
  const isGreen = await promise;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`${isGreen ? '✓' : '✗'} npm run ${name} (${seconds} s)\n`);
  return { isGreen, text };
}

async function runChecks(): Promise<string[]> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const failures: string[] = [];
  for (const name of Object.keys(scripts).filter((script) => script.startsWith('check:'))) {
    const { isGreen, text } = await runScript(name, [], false);
    if (!isGreen) failures.push(`npm run ${name}\n${text.trimEnd()}`);
  }
  return failures;
}

async function runTests(): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-results-'));
  const file = join(folder, 'results.json');
  try {
    await runScript('vitest', ['--', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`], true);
    return JSON.parse(readFileSync(file, 'utf8')) as Results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [failures, { numPassedTests, numFailedTests, success }] = await Promise.all([runChecks(), runTests()]);
for (const failure of failures) process.stderr.write(`\n✗ ${failure}\n`);
const failed = failures.length + (success ? numFailedTests : Math.max(numFailedTests, 1));
process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;
