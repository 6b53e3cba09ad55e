import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `node scripts/ready.mjs SCRIPT …`: installs the dependencies if package-lock.json is newer, then starts a script with the
 * project's own version of Node. Works with Node 20 and later.
 */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const NODE = join(MODULES, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** Time of the last change of a file, in milliseconds; 0 if it does not exist. */
function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Runs a program, and exits with its code if it fails. */
function run(file, args, options = {}) {
  const { status, signal, error } = spawnSync(file, args, { stdio: 'inherit', ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 143));
}

// npm writes this file when an install is complete.
if (timeOf(join(MODULES, '.package-lock.json')) < timeOf(join(ROOT, 'package-lock.json'))) {
  const { npm_execpath: npm } = process.env;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  process.stderr.write(`npm ${args.join(' ')}\n`);
  if (npm) run(process.execPath, [npm, ...args], { cwd: ROOT });
  else run('npm', args, { cwd: ROOT, shell: process.platform === 'win32' });
}
if (!existsSync(NODE)) {
  process.stderr.write(
    "The install script of the package 'node' did not run, so its program is missing. Allow it and try again:\n" +
      '  npm rebuild node --ignore-scripts=false\n',
  );
  process.exit(1);
}
const [script, ...rest] = process.argv.slice(2);
run(NODE, [join(ROOT, 'scripts', script), ...rest]);
