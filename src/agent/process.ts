import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError, isSystemError, messageOf } from '../errors.ts';
import type { AgentResult, Agents, AgentTask, PreparedAgent } from './agent.ts';
import { CapturedOutput } from './captured-output.ts';
import { findProcessState, identifyProcess } from './process-table.ts';
import { endProcessTree } from './process-tree.ts';
import { invocationOf, type Invocation } from './shells.ts';

/** Milliseconds to wait for output after an agent's end, if a process that escaped keeps its streams open. */
const DRAIN_MS = 3_000;

const IS_WINDOWS = process.platform === 'win32';

/**
 * Agents as processes of this machine, started like a GitHub `run:` step. Each has its own session, so that Ctrl-C reaches
 * only Gateline. Processes that an agent leaves running are ended.
 * @param options.graceMs milliseconds between SIGTERM and SIGKILL. Default: 5,000
 */
export function createAgents({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Agents {
  return {
    prepare: (task) => prepareAgent(task, graceMs),
    isAlive: async (id) => (await findProcessState(id)) === 'alive',
    endLeftover: async (first, directory) => {
      const remaining = await endProcessTree({ first, directory, isOurs: false }, graceMs);
      if (remaining.length === 0) return;
      throw new GatelineError('platform', `processes of an agent cannot be ended: ${remaining.join(', ')}`, {
        hint: 'The engine that started them was killed. End them yourself, then run again.',
      });
    },
  };
}

/** A child process that has started. */
interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly pid: number;
  readonly exited: Promise<void>;
  /** The process has exited, and all its output has arrived. */
  readonly closed: Promise<void>;
}

async function prepareAgent(task: AgentTask, graceMs: number): Promise<PreparedAgent> {
  let child: Child;
  try {
    const { argv } = task;
    const invocation = argv ? argvInvocation(argv) : invocationOf(task.shell, task.command, task.directory);
    if (!argv) await writeFile(invocation.script, invocation.content, { mode: 0o700 });
    child = await startProcess(invocation, task);
  } catch (error) {
    const message = task.redactor.text(notStartedText(error, task));
    const result = { outcome: 'not-started', message, stdout: '', stderr: '', ms: 0 } as const;
    return { process: undefined, run: async () => result };
  }
  const stdout = captureOutput(child.process.stdout, 'stdout', task);
  const stderr = captureOutput(child.process.stderr, 'stderr', task);
  const first = await identifyProcess(child.pid);
  const run = async (signal: AbortSignal): Promise<AgentResult> => {
    const begin = performance.now();
    const ending = await runToEnd(child, task.timeoutMs, signal);
    const { exitCode, signalCode } = child.process;
    const tree = { first, directory: task.directory, isOurs: true };
    // Processes that an `argv` left running stay. On Windows, which has no process groups, they cannot be found.
    const mayStay = ending === 'exited' && (IS_WINDOWS || task.argv !== undefined);
    const remaining = mayStay ? [] : await endProcessTree(tree, graceMs);
    await Promise.race([child.closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    child.process.stdout.destroy();
    child.process.stderr.destroy();
    const note = remaining.length === 0 ? '' : `\n[gateline: could not be ended: process ${remaining.join(', ')}]\n`;
    const ms = Math.round(performance.now() - begin);
    const texts = { stdout: stdout.end(), stderr: stderr.end() + note };
    const result = { ...texts, isStdoutCut: stdout.isCut, ms };
    if (ending !== 'exited') return { ...result, outcome: ending };
    if (exitCode === null) return { ...result, outcome: 'signalled', signal: signalCode ?? '' };
    return { ...result, outcome: 'exited', exitCode };
  };
  return { process: first, run };
}

function argvInvocation([program = '', ...args]: readonly string[]): Invocation {
  return { script: '', content: '', programs: [program], args, hint: `Install ${program}, or add it to PATH.` };
}

function captureOutput(stream: Readable, name: 'stdout' | 'stderr', { redactor, onLine }: AgentTask): CapturedOutput {
  const output = new CapturedOutput(redactor, onLine && ((line) => onLine(name, line)));
  stream.on('data', (bytes: Uint8Array) => output.add(bytes));
  return output;
}

/** Lets the agent begin, and waits until its first process ends, its time is over or the signal is aborted. */
async function runToEnd(
  { process: child, exited }: Child,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<'exited' | 'timeout' | 'cancelled'> {
  child.stdin.on('error', () => undefined).end(signal.aborted || IS_WINDOWS ? '' : 'go\n');
  if (signal.aborted) return 'cancelled';
  return new Promise((resolve) => {
    const cancel = (): void => finish('cancelled');
    const timer = setTimeout(() => finish('timeout'), timeoutMs);
    const finish = (ending: 'exited' | 'timeout' | 'cancelled'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      resolve(ending);
    };
    signal.addEventListener('abort', cancel);
    void exited.then(() => finish('exited'));
  });
}

/**
 * Starts a shell that waits for one line, then becomes the program. If Gateline dies before, the shell ends. Bash, because
 * other shells drop variables whose names they do not allow (`my-name`). `-p` keeps bash from reading BASH_ENV, `--norc`
 * from reading .bashrc, which it reads if stdin is a socket. Windows has no `exec`: there the program starts at once.
 */
async function startProcess(invocation: Invocation, task: AgentTask): Promise<Child> {
  const program = findProgram(invocation, task);
  const shell = existsSync('/bin/bash') ? ['/bin/bash', '--norc', '-p'] : ['/bin/sh'];
  const wait = [...shell, '-c', 'read -r go && exec "$@" </dev/null', 'gateline'];
  const [file = '', ...args] = [...(IS_WINDOWS ? [] : wait), program, ...invocation.args];
  const child = spawn(file, args, {
    cwd: task.workingDirectory,
    env: { ...task.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: !IS_WINDOWS,
    windowsHide: true,
    windowsVerbatimArguments: invocation.verbatim ?? false,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await once(child, 'spawn');
  return { process: child, pid: child.pid ?? 0, exited, closed };
}

/** The first program that can be run, searched as the system does: in PATH, relative to the working directory. */
function findProgram({ programs, hint }: Invocation, { env, workingDirectory }: AgentTask): string {
  if (!existsSync(workingDirectory)) {
    throw new GatelineError('usage', `the working directory ${workingDirectory} does not exist`);
  }
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '/usr/bin:/bin';
  const folders = path.split(delimiter);
  const candidates = programs
    .flatMap((name) => (/[/\\]/.test(name) ? [name] : folders.map((folder) => join(folder, name))))
    .flatMap((name) => (IS_WINDOWS ? [name, `${name}.exe`] : [name]))
    .map((name) => resolve(workingDirectory, name));
  const program = candidates.find(isExecutable);
  if (program !== undefined) return program;
  throw new GatelineError('usage', `${programs.join(' or ')} was not found on the PATH, or may not be run`, { hint });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function notStartedText(error: unknown, { env }: AgentTask): string {
  if (isSystemError(error, 'E2BIG')) {
    const sizes = Object.entries(env).map(([name, value]) => [name, Buffer.byteLength(value)] as const);
    const [name, bytes] = sizes.reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0] as const);
    return `the environment is too large to start a program (E2BIG): ${name} has ${bytes.toLocaleString('en')} bytes. Write the value to a file and pass its path`;
  }
  return error instanceof GatelineError && error.hint ? `${error.message}. ${error.hint}` : messageOf(error);
}
