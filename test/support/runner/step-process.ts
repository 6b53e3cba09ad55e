import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a cancelled step has after SIGINT, and then after SIGTERM, before it is killed. Milliseconds. */
export interface CancelTimes {
  readonly interrupt: number;
  readonly terminate: number;
}

/** The runner's own times (`ProcessInvoker` of actions/runner). */
export const RUNNER_CANCEL_TIMES: CancelTimes = { interrupt: 7_500, terminate: 2_500 };

/** Milliseconds that a process which ended has for what it still holds in its pipes: something it started may hold them open. */
const DRAIN = 1_000;

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a step runs as. It leads a group of its own. */
export interface StepProcess {
  readonly ended: Promise<ProcessEnd>;
  isCancelled(): boolean;
  /** As the runner does: SIGINT, SIGTERM to the process alone, SIGKILL to all that it started. Settles when it has ended. */
  cancel(times: CancelTimes): Promise<void>;
  /** SIGKILL, with all of its group. */
  kill(): void;
}

/** What a step starts. */
export interface StepCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Is given the lines of both outputs, without their ends, as they come. */
  readonly onLine: (line: string) => void;
}

/** Starts a program without a shell. */
export function startStepProcess(command: StepCommand): StepProcess {
  const { file, args, cwd, env, onLine } = command;
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const read = [child.stdout, child.stderr].map(async (stream) => {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) onLine(line);
  });
  const exited = new Promise<ProcessEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const ended = exited.then(async (end) => {
    const timer = new AbortController();
    const late = sleep(DRAIN, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.all(read), late]);
    timer.abort();
    child.stdout.destroy();
    child.stderr.destroy();
    return end;
  });
  // Nobody may be waiting yet.
  ended.catch(() => undefined);
  let isCancelled = false;
  return {
    ended,
    isCancelled: () => isCancelled,
    cancel: (times) => {
      isCancelled = true;
      return cancel(child, exited, times);
    },
    kill: () => killGroup(child),
  };
}

async function cancel(child: ChildProcess, exited: Promise<unknown>, times: CancelTimes): Promise<void> {
  for (const [signal, time] of [
    ['SIGINT', times.interrupt],
    ['SIGTERM', times.terminate],
  ] as const) {
    child.kill(signal);
    if (await isWithin(exited, time)) return;
  }
  killGroup(child);
  await exited;
}

async function isWithin(exited: Promise<unknown>, time: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(time, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([exited.then(() => true), late]);
  timer.abort();
  return result;
}

function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid !== undefined) ignoringGone(() => process.kill(-pid, 'SIGKILL'));
}

/** In the environment of everything that a job starts, with a value of its own: how the runner finds what it left behind. */
export const TRACKING_VARIABLE = 'RUNNER_TRACKING_ID';

/** Kills every process with this tracking id, whoever its parent is now. Only on Linux: elsewhere nothing is found. */
export async function killTracked(id: string): Promise<void> {
  if (process.platform !== 'linux') return;
  // Until a look finds none: what is killed may have started something in the meantime.
  for (let found = tracked(id); found.length > 0; found = tracked(id)) {
    for (const pid of found) ignoringGone(() => process.kill(pid, 'SIGKILL'));
    await sleep(1);
  }
}

/**
 * A process that was killed and is not yet waited for has no environment any more. Not through the thread pool, which
 * takes ten times as long: there are hundreds of files, and every job asks.
 */
function tracked(id: string): number[] {
  const wanted = `${TRACKING_VARIABLE}=${id}`;
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      if (environment.split('\0').includes(wanted)) found.push(Number(name));
    } catch (error) {
      // Gone by now, or somebody else's.
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) throw error;
    }
  }
  return found;
}

function ignoringGone(kill: () => void): void {
  try {
    kill();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
