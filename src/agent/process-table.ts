import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { isSystemError } from '../errors.ts';
import type { ProcessId } from '../run/entry.ts';

/** A running process. */
export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  /** Ids of the process group and the session; -1 where the system does not tell. */
  readonly pgid: number;
  readonly session: number;
  /** As in {@link ProcessId}: pid and start identify one process for ever. */
  readonly start: string;
}

const IS_LINUX = process.platform === 'linux';

/** All processes of this machine but zombies: from /proc on Linux, from `ps` elsewhere; none on Windows. */
export async function listProcesses(platform: NodeJS.Platform = process.platform): Promise<ProcessInfo[]> {
  if (platform === 'linux') {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
  }
  return platform === 'win32' ? [] : listByPs();
}

/** The identity of a process. `start` is empty where the system does not tell: such a process is never signalled. */
export async function identifyProcess(pid: number): Promise<ProcessId> {
  const info = IS_LINUX ? readProcess(pid) : (await listProcesses()).find((other) => other.pid === pid);
  return { pid, start: info?.start ?? '' };
}

/** `other-boot`, `other-container`: the pid means nothing here, so whether the process lives is unknown. */
export type ProcessState = 'alive' | 'gone' | 'other-boot' | 'other-container';

export async function findProcessState({ pid, start }: ProcessId): Promise<ProcessState> {
  const [, boot, container] = start.split(' ');
  if (IS_LINUX && start !== '') {
    if (boot !== BOOT) return 'other-boot';
    if (container !== CONTAINER) return 'other-container';
  }
  const signalled = pid > 0 ? sendSignal(pid, 0) : 'gone';
  if (signalled === 'gone') return 'gone';
  if (process.platform === 'win32') return 'alive';
  const current = await identifyProcess(pid);
  // A process that is not in the table is a zombie, or belongs to another user and is hidden.
  if (current.start === '') return signalled === 'sent' ? 'gone' : 'alive';
  return current.start === start ? 'alive' : 'gone';
}

/** The environment that a process was started with, as `NAME=value`; empty where the system does not tell. */
export function environmentOf(pid: number): string[] {
  return readText(`/proc/${pid}/environ`)?.split('\0') ?? [];
}

const BOOT = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
const CONTAINER = readText('/proc/self/ns/pid', readlinkSync)?.replace(/\D/g, '') ?? '';

/** A process of Linux, by proc_pid_stat(5). The name in brackets may contain brackets and spaces. */
function readProcess(pid: number): ProcessInfo | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const [state = '', ppid, pgid, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (/[ZXx]/.test(state)) return undefined;
  const start = `${rest[15]} ${BOOT} ${CONTAINER}`;
  return { pid, ppid: Number(ppid), pgid: Number(pgid), session: Number(session), start };
}

async function listByPs(): Promise<ProcessInfo[]> {
  const columns = ['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((name) => ['-o', `${name}=`]);
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = await promisify(execFile)('ps', ['-A', ...columns], { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, state, ...start] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), session: -1, start: start.join(' ') }];
  });
}

/** Signals a process; 0 only tests whether it exists. `refused`: it belongs to another user. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'refused' {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    if (isSystemError(error, 'ESRCH')) return 'gone';
    if (isSystemError(error, 'EPERM')) return 'refused';
    throw error;
  }
}

/** Undefined: the process has ended, or belongs to another user. */
function readText(path: string, read: (path: string, encoding: 'utf8') => string = readFileSync): string | undefined {
  try {
    return read(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => isSystemError(error, code))) return undefined;
    throw error;
  }
}
