import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The building blocks of the project's scripts: steps that are run, timed and reported. Everything here runs under Node
 * 20 without any dependency, because it also runs before the dependencies are installed.
 */

/** The repository. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const BIN = join(ROOT, 'node_modules', '.bin');
const WINDOWS = process.platform === 'win32';

/** The version of Node for developing the project, as pinned in package.json (`24.21.0`). */
export const NODE_VERSION = readJson(join(ROOT, 'package.json')).devDependencies.node;

/** Where npm puts that Node. */
export const PROJECT_NODE = join(ROOT, 'node_modules', 'node', 'bin', WINDOWS ? 'node.exe' : 'node');

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** A failed step: `message` says which one, and how to repeat it. */
export class StepFailed extends Error {}

/** Running children, so that an interrupted script leaves none. */
const running = new Set();

/**
 * End a child and all processes that it started: on POSIX each child leads a process group, on Windows a system tool
 * does it.
 */
export function end(child, signal) {
  if (WINDOWS) {
    spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

const interrupting = new AbortController();

/**
 * Aborted as soon as a signal asks this script to end. Code that waits for anything other than a step listens to it.
 */
export const interruption = interrupting.signal;

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(signal, () => {
    process.exitCode = code;
    for (const child of running) end(child, interruption.aborted ? 'SIGKILL' : signal);
    if (!interruption.aborted) setTimeout(() => running.forEach((child) => end(child, 'SIGKILL')), 5000).unref();
    interrupting.abort();
  });
}

/**
 * `command` as arguments for spawning without a shell: `node …` and tools of node_modules run with `node`.
 * @param {string} command words separated by single spaces; no quoting
 * @param {string} node path of the Node to run it with
 * @returns {string[]}
 */
export function resolveCommand(command, node) {
  const [name, ...args] = command.split(' ');
  if (name === 'node') return [node, ...args];
  return [node, toolPath(name), ...args];
}

/** The script behind `node_modules/.bin/<name>`, which is not a script itself on Windows. */
function toolPath(name) {
  const { devDependencies } = readJson(join(ROOT, 'package.json'));
  for (const dependency of Object.keys(devDependencies)) {
    const folder = join(ROOT, 'node_modules', dependency);
    const { bin, name: own } = readJson(join(folder, 'package.json'));
    const path = typeof bin === 'string' ? { [own.replace(/^@.*\//, '')]: bin }[name] : bin?.[name];
    if (path !== undefined) return join(folder, path);
  }
  throw new StepFailed(`No devDependency has a command '${name}'.`);
}

/** The environment of a step: as in an npm script, the project's own tools come first. */
function environment() {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  return { ...process.env, [key]: [BIN, process.env[key] ?? ''].join(delimiter) };
}

/** `12.3 s`, from a time that `performance.now()` gave. */
function since(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}

/** One line of progress, on stderr: stdout belongs to the tools. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Start a process that an interruption of this script ends, too. On POSIX it leads a process group.
 * @param {string[]} command
 * @param {{ cwd?: string, env?: Record<string, string>, stdio: import('node:child_process').StdioOptions }} options
 *   `env`: additional variables
 */
export function start([file, ...args], { cwd = ROOT, env = {}, stdio }) {
  const child = spawn(file, args, { cwd, detached: !WINDOWS, env: { ...environment(), ...env }, stdio });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/**
 * Run one step. One line reports the result; a step that is not `live` shows its output only if it failed.
 * @param {{ name: string, command: string[], shown?: string, live?: boolean, cwd?: string, env?: Record<string,
 *   string>, onStart?: (pid: number) => void }} step `shown`: the command as a reader would type it; `env`: additional
 *   variables; `onStart`: receives the pid, which on POSIX is also that of the group
 * @throws {StepFailed} when it does not exit with 0
 */
export async function run({ name, command, shown = command.join(' '), live = false, cwd, env, onStart }) {
  const started = performance.now();
  if (interruption.aborted) throw new StepFailed(`${name} was not run: interrupted`);
  if (live) say(`▸ ${name}: ${shown}`);
  const child = start(command, { cwd, env, stdio: ['ignore', ...(live ? ['inherit', 'inherit'] : ['pipe', 'pipe'])] });
  if (child.pid !== undefined) onStart?.(child.pid);
  const printed = [];
  child.stdout?.on('data', (chunk) => printed.push(chunk));
  child.stderr?.on('data', (chunk) => printed.push(chunk));
  const ended = await new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : signal === null ? `exit code ${code}` : signal),
    );
  });
  if (ended === undefined) return say(`✓ ${name} (${since(started)})`);
  if (printed.length > 0) process.stderr.write(`\n${Buffer.concat(printed).toString().trimEnd()}\n\n`);
  say(`✗ ${name} (${since(started)}): ${ended}`);
  throw new StepFailed(`${name} failed, ${ended}. The command was: ${shown}`);
}

/** Run `main`; an error becomes one line and exit code 1. A bug also shows its stack. */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    say(error instanceof StepFailed ? `\n${error.message}` : `\n${error?.stack ?? error}`);
    process.exitCode ||= 1;
  }
}
