import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after SIGINT and after SIGTERM; the runner's are 7,500 and 2,500. */
export interface CancelTimes {
  readonly interrupt: number;
  readonly terminate: number;
}

export interface StepCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds for the output of a process that has ended: its children may hold the pipes open. */
const DRAIN = 1_000;

/** Starts a program in a process group of its own. */
export function startProcess({ file, args, cwd, env }: StepCommand, onLine: (line: string) => void): StepProcess {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const closed = readLines(child, onLine);
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const ended = exited.then(async (code) => {
    await drain(child, closed);
    return code;
  });
  return new StepProcess(child, exited, ended);
}

/** Reads both outputs of a process to their ends. */
export function readLines({ stdout, stderr }: ChildProcess, onLine: (line: string) => void): Promise<unknown> {
  const read = [stdout!, stderr!].map(async (input) => {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) onLine(line);
  });
  return Promise.all(read);
}

/** Reads what a process that has ended printed. */
export async function drain({ stdout, stderr }: ChildProcess, closed: Promise<unknown>): Promise<void> {
  await isWithin(closed, DRAIN);
  stdout!.destroy();
  stderr!.destroy();
}

/** A step at work, in the process group of its process. */
export class StepProcess {
  /** Exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  isCancelled = false;
  isSignalled = false;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(child: ChildProcess, exited: Promise<number | null>, ended: Promise<number | null>) {
    this.#child = child;
    this.#exited = exited;
    this.ended = ended;
    this.ended.catch(() => undefined);
  }

  /** SIGINT and SIGTERM to the process alone, then SIGKILL to its group. */
  async cancel({ interrupt, terminate }: CancelTimes): Promise<void> {
    this.isCancelled = true;
    this.isSignalled = true;
    this.#child.kill('SIGINT');
    if (await isWithin(this.#exited, interrupt)) return;
    this.#child.kill('SIGTERM');
    if (!(await isWithin(this.#exited, terminate))) this.kill();
  }

  kill(): void {
    this.isSignalled = true;
    if (this.#child.pid !== undefined) kill(-this.#child.pid);
  }
}

async function isWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return result;
}

/** Kills all processes with a variable in their environment, whoever their parents are. Linux only. */
export async function killTracked(variable: string): Promise<void> {
  for (let pids = trackedProcesses(variable); pids.length > 0; pids = trackedProcesses(variable)) {
    pids.forEach(kill);
    await sleep(1);
  }
}

function trackedProcesses(variable: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
