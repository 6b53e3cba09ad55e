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

export interface StepProcess {
  /** Exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  isCancelled: boolean;
  /** SIGINT and SIGTERM to the process alone, SIGKILL to its group. */
  cancel(times: CancelTimes): Promise<void>;
  /** SIGKILL to its group. */
  kill(): void;
}

/** Milliseconds for the output of a process that has ended: its children may hold the pipes open. */
const DRAIN = 1_000;

export function startProcess({ file, args, cwd, env }: StepCommand, onLine: (line: string) => void): StepProcess {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const read = [child.stdout, child.stderr].map(async (input) => {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) onLine(line);
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const ended = exited.then(async (code) => {
    await isWithin(Promise.all(read), DRAIN);
    child.stdout.destroy();
    child.stderr.destroy();
    return code;
  });
  ended.catch(() => undefined);
  const kill = (): void => {
    if (child.pid !== undefined) ignoreGone(() => process.kill(-child.pid!, 'SIGKILL'));
  };
  return {
    ended,
    isCancelled: false,
    async cancel(times) {
      this.isCancelled = true;
      if (await endsAfter(child, 'SIGINT', exited, times.interrupt)) return;
      if (await endsAfter(child, 'SIGTERM', exited, times.terminate)) return;
      kill();
      await exited;
    },
    kill,
  };
}

function endsAfter(
  child: ChildProcess,
  signal: NodeJS.Signals,
  exited: Promise<unknown>,
  ms: number,
): Promise<boolean> {
  child.kill(signal);
  return isWithin(exited, ms);
}

async function isWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return result;
}

/** In the environment of everything that a job starts: the runner finds left processes by it. */
export const TRACKING_VARIABLE = 'RUNNER_TRACKING_ID';

/** Kills the processes of a job, whoever their parents are. Linux only. */
export async function killTracked(id: string): Promise<void> {
  for (let pids = trackedProcesses(id); pids.length > 0; pids = trackedProcesses(id)) {
    for (const pid of pids) ignoreGone(() => process.kill(pid, 'SIGKILL'));
    await sleep(1);
  }
}

function trackedProcesses(id: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const variables = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      return variables.includes(`${TRACKING_VARIABLE}=${id}`) ? [Number(name)] : [];
    } catch {
      // It has ended, or belongs to another user.
      return [];
    }
  });
}

function ignoreGone(kill: () => void): void {
  try {
    kill();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
