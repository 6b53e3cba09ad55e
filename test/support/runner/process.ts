import { spawn } from 'node:child_process';
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

/** A program in a process group of its own. */
export class StepProcess {
  /** Exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  isCancelled = false;
  readonly #child;
  readonly #exited: Promise<number | null>;

  constructor({ file, args, cwd, env }: StepCommand, onLine: (line: string) => void) {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const outputs = [child.stdout, child.stderr];
    const read = outputs.map(async (input) => {
      for await (const line of createInterface({ input, crlfDelay: Infinity })) onLine(line);
    });
    this.#child = child;
    this.#exited = new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
    this.ended = this.#exited.then(async (code) => {
      await isWithin(Promise.all(read), DRAIN);
      for (const output of outputs) output.destroy();
      return code;
    });
    this.ended.catch(() => undefined);
  }

  /** SIGINT and SIGTERM to the process alone, then SIGKILL to its group. */
  async cancel({ interrupt, terminate }: CancelTimes): Promise<void> {
    this.isCancelled = true;
    this.#child.kill('SIGINT');
    if (await isWithin(this.#exited, interrupt)) return;
    this.#child.kill('SIGTERM');
    if (!(await isWithin(this.#exited, terminate))) this.kill();
  }

  kill(): void {
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
