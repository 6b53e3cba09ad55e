import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { promisify } from 'node:util';
import type { LeftProcess } from '../../../run/records/effects.ts';
import type { Writer } from '../../../run/records/record.ts';
import { isSystemError } from '../../../errors/gateline-error.ts';
import { isFromSystem } from '../../../errors/store-errors.ts';

const run = promisify(execFile);

/** Two estimates of the boot time refer to the same boot if they differ by at most this many seconds. */
const START_TOLERANCE = 120;

/** Marks a `boot` that is an estimate: `about:<seconds since 1970>`. */
const ESTIMATE = 'about:';

/**
 * The identity of this process, from which another process can determine later whether it is still alive.
 *
 * - `boot`: Linux: `<boot id> <pid namespace>`; macOS: the boot session's UUID; elsewhere an estimate of when the
 *   system started.
 * - `pidStart`: Linux: field 22 of `/proc/<pid>/stat` (clock ticks since boot); macOS: `ps -o lstart=`; elsewhere
 *   empty, and a reused pid is taken for the original process.
 */
export async function processIdentity(): Promise<Writer> {
  const seen = await lookAt(process.pid);
  return {
    host: hostname().slice(0, 255),
    boot: (await bootIdentity()).slice(0, 255),
    pid: process.pid,
    pidStart: (seen.state === 'running' ? seen.start : '').slice(0, 64),
  };
}

/**
 * Whether the process that wrote something is still alive. If that is unknown (another machine, another container), the
 * answer is yes: waiting needlessly is better than running twice.
 */
export async function isAlive(writer: Writer): Promise<boolean> {
  const boot = await bootIdentity();
  const boots = compareBoots(writer.boot, boot);
  if (writer.host !== hostname().slice(0, 255)) return true;
  if (boots === 'other') return false;
  if (boots === 'cannot-tell') return true;
  const seen = await lookAt(writer.pid);
  if (seen.state !== 'running') return seen.state === 'hidden';
  return writer.pidStart === '' || seen.start === '' || seen.start === writer.pidStart;
}

/** Whether a process certainly runs: on this machine, since it started, and in our pid namespace. */
export async function isRunningHere({ host, boot, pid, pidStart }: LeftProcess): Promise<boolean> {
  if (host !== hostname().slice(0, 255) || compareBoots(boot, await bootIdentity()) !== 'same') return false;
  const seen = await lookAt(pid);
  // A record without a time may be of any process that has had this number.
  return seen.state === 'running' && (seen.start === '' || seen.start === pidStart);
}

/** `cannot-tell`: the same kernel, but another pid namespace, where pids have another meaning. */
export function compareBoots(a: string, b: string): 'same' | 'other' | 'cannot-tell' {
  if (a === b) return 'same';
  if (a.startsWith(ESTIMATE) && b.startsWith(ESTIMATE)) {
    return Math.abs(Number(a.slice(ESTIMATE.length)) - Number(b.slice(ESTIMATE.length))) <= START_TOLERANCE
      ? 'same'
      : 'other';
  }
  return a.split(' ')[0] === b.split(' ')[0] ? 'cannot-tell' : 'other';
}

/** A process as the system shows it. `hidden`: it is there, but we have no access to it. A zombie is `gone`. */
type Seen =
  | { readonly state: 'running'; readonly start: string }
  | { readonly state: 'gone' }
  | { readonly state: 'hidden' };

async function lookAt(pid: number): Promise<Seen> {
  const signalled = signal(pid);
  if (signalled === 'gone') return { state: 'gone' };
  if (process.platform === 'linux') return (await lookInProc(pid)) ?? { state: 'hidden' };
  if (process.platform === 'darwin') return (await askPs(pid)) ?? { state: 'gone' };
  return { state: 'running', start: '' };
}

/** Signal 0 only checks whether the process exists. */
function signal(pid: number): 'gone' | 'there' {
  // 0 would address our own process group.
  if (pid === 0) return 'gone';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (isSystemError(error, 'ESRCH')) return 'gone';
    if (!isSystemError(error, 'EPERM')) throw error;
  }
  return 'there';
}

/**
 * `undefined`: there is no such entry, because the process just ended or because /proc hides other users' processes.
 */
async function lookInProc(pid: number): Promise<Seen | undefined> {
  const stat = await readOrNothing(`/proc/${pid}/stat`);
  if (stat === undefined) return signal(pid) === 'gone' ? { state: 'gone' } : undefined;
  return parseProcStat(stat);
}

/** A line of `/proc/<pid>/stat`, proc(5): the name in brackets may itself contain brackets and spaces. */
export function parseProcStat(stat: string): Seen {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [condition = ''] = fields;
  // Field 22 of the line; the first field after the name is field 3.
  const start = fields[22 - 3] ?? '';
  return condition === 'Z' || condition === 'X' || condition === 'x' ? { state: 'gone' } : { state: 'running', start };
}

async function askPs(pid: number): Promise<Seen | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' },
    });
    const [condition = '', ...start] = stdout.trim().split(/\s+/);
    return condition.startsWith('Z') ? { state: 'gone' } : { state: 'running', start: start.join(' ') };
  } catch (error) {
    // ps exits with 1 when there is no such process.
    if (error instanceof Error && 'code' in error && error.code === 1) return undefined;
    throw error;
  }
}

/** Of this process, for which it never changes. */
let ownBoot: Promise<string> | undefined;

/** Read once: whoever asks about the writers of many records asks for each of them. */
function bootIdentity(): Promise<string> {
  ownBoot ??= readBootIdentity();
  return ownBoot;
}

async function readBootIdentity(): Promise<string> {
  if (process.platform === 'linux') {
    const id = await readOrNothing('/proc/sys/kernel/random/boot_id');
    if (id !== undefined) return `${id.trim()} ${await pidNamespace()}`;
  }
  if (process.platform === 'darwin') {
    const { stdout } = await run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
    return stdout.trim();
  }
  return `${ESTIMATE}${Math.round(Date.now() / 1_000 - uptime())}`;
}

async function pidNamespace(): Promise<string> {
  try {
    return await readlink('/proc/self/ns/pid');
  } catch (error) {
    if (isFromSystem(error)) return 'pid:[?]';
    throw error;
  }
}

/** Systems that restrict /proc fail with various errors; then only signals are used. */
async function readOrNothing(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isFromSystem(error)) return undefined;
    throw error;
  }
}
