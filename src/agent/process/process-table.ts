import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { isSystemError } from '../../errors/gateline-error.ts';

/** A running process. */
export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  /** Process group and session; -1 if the system does not report it. */
  readonly pgid: number;
  readonly session: number;
  /** Start time, as the system reports it. Together with the pid it permanently identifies one process of this boot. */
  readonly started: string;
}

/** The processes of this machine, without zombies: they have ended. */
export interface ProcessTable {
  list(): Promise<ProcessInfo[]>;
  /** One process; `undefined` if it does not exist. On Linux also a zombie, and without waiting. */
  find(pid: number): Promise<ProcessInfo | undefined>;
  /** `NAME=value` of the environment that a process was started with; empty if it is not available. */
  environment(pid: number): readonly string[];
  /** Identifies this boot and the namespace of its pids. A pid from another one has no meaning here. */
  readonly boot: string;
}

/** The table of this system: /proc on Linux, PowerShell on Windows, `ps` elsewhere. */
export function processTable(platform: NodeJS.Platform): ProcessTable {
  if (platform === 'linux') return linuxTable();
  return listedTable(platform === 'win32' ? listWindows : listPs);
}

function linuxTable(): ProcessTable {
  return {
    list: async () => readdirSync('/proc').flatMap((name) => runningOnLinux(name)),
    find: async (pid) => linuxProcess(pid),
    environment: (pid) => (readIfThere(`/proc/${pid}/environ`) ?? '').split('\0'),
    boot: `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''} ${linkIfThere('/proc/self/ns/pid')}`,
  };
}

function runningOnLinux(name: string): ProcessInfo[] {
  const found = /^\d+$/.test(name) ? linuxProcess(Number(name)) : undefined;
  return found === undefined || found.ended ? [] : [found];
}

/** Per proc_pid_stat(5). The name in parentheses may contain anything, including parentheses. */
function linuxProcess(pid: number): (ProcessInfo & { readonly ended: boolean }) | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', ppid, pgid, session] = fields;
  const ended = /[ZXx]/.test(state);
  return { pid, ppid: Number(ppid), pgid: Number(pgid), session: Number(session), started: fields[19] ?? '', ended };
}

/** `undefined` also if the process has ended meanwhile (ESRCH) or belongs to another user. */
function readIfThere(path: string): string | undefined {
  return ifThere(() => readFileSync(path, 'utf8'));
}

function linkIfThere(path: string): string {
  return ifThere(() => readlinkSync(path)) ?? '';
}

function ifThere(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => isSystemError(error, code))) return undefined;
    throw error;
  }
}

function listedTable(list: () => Promise<ProcessInfo[]>): ProcessTable {
  return {
    list,
    find: async (pid) => (await list()).find((one) => one.pid === pid),
    environment: () => [],
    // The start times are absolute, so they differ for every boot.
    boot: '',
  };
}

const run = promisify(execFile);

/** POSIX ps(1), with `lstart` as BSD and Linux have it. */
export async function listPs(): Promise<ProcessInfo[]> {
  const columns = ['-A', ...['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((name) => ['-o', `${name}=`])];
  const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run('ps', columns, options);
  return stdout.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, stat, ...started] = line.trim().split(/\s+/);
    if (stat === undefined || stat.startsWith('Z')) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), session: -1, started: started.join(' ') }];
  });
}

const WINDOWS_QUERY =
  "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc() }";

/** A parent that is younger than its child is another process that reused the pid: then there is no parent. */
async function listWindows(): Promise<ProcessInfo[]> {
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', WINDOWS_QUERY];
  const { stdout } = await run('powershell.exe', args, { windowsHide: true, maxBuffer: 64 * 1024 * 1024 });
  const rows = stdout.split(/\r?\n/).map((line) => line.trim().split(' '));
  const started = new Map(rows.map(([pid, , time]) => [pid, BigInt(time ?? 0)]));
  return rows.flatMap(([pid, ppid, time]) => {
    if (time === undefined) return [];
    const isParent = (started.get(ppid) ?? 0n) <= BigInt(time);
    return [{ pid: Number(pid), ppid: isParent ? Number(ppid) : 0, pgid: -1, session: -1, started: time }];
  });
}
