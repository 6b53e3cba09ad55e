import { spawnSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StepFailed, interruption, say } from './steps.mjs';

/**
 * Locks between processes: a file that names its owner, and the command that the owner runs. A process is named by its
 * pid and by when it started, because a pid is given to another process later.
 */

const WINDOWS = process.platform === 'win32';

/** How often a waiter looks, in milliseconds. */
const INTERVAL = 500;

/** Text of a file, or undefined when there is none. */
export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What a command prints, '' when it fails. */
function printed(command, ...args) {
  const { stdout } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return (stdout ?? '').trim();
}

/**
 * When a process started, in a form of the system's own, without spaces. Undefined when there is no such process.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startOf(pid) {
  if (process.platform === 'linux') {
    // The name of the program, in brackets, may hold anything. The state is the first field after it, the start the 20th.
    const fields = textOf(`/proc/${pid}/stat`)
      ?.replace(/^.*\) /s, '')
      .split(' ');
    return fields === undefined || fields[0] === 'Z' ? undefined : fields[19];
  }
  const start = WINDOWS
    ? printed('powershell', '-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.Ticks`)
    : printed('ps', '-o', 'lstart=', '-p', String(pid));
  return start.replaceAll(/\s+/g, '-') || undefined;
}

/** Whether some process of a group exists. The system gives no group's number to a new process. */
function hasMembers(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** `<pid> <start>` of a process, as a lock names it. */
function nameOf(pid) {
  return `${pid} ${startOf(pid) ?? 'gone'}`;
}

/** Whether the owner of a lock is at work, or the command that it started and that outlived it. */
function isHeld(lock) {
  const [owner = '', command = ''] = lock.trim().split('\n');
  if (owner === nameOf(Number.parseInt(owner, 10))) return true;
  if (command === '') return false;
  const pid = Number.parseInt(command, 10);
  const start = startOf(pid);
  if (start !== undefined) return command === `${pid} ${start}`;
  return !WINDOWS && hasMembers(pid);
}

/** Put aside a lock whose owner is gone. Only one of several waiters gets it; the others find it changed or gone. */
function breakLock(path, seen) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (textOf(aside) !== seen) linkSync(aside, path);
  rmSync(aside);
}

/** Take the lock if it is free. @returns what it says where it is not */
function take(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${nameOf(process.pid)}\n`);
  try {
    linkSync(own, path);
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return textOf(path) ?? '';
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Run `work` while nobody else works under this lock.
 * @template T
 * @param {string} path of the lock; its folder must exist
 * @param {string} what the work, for whoever waits: `the install`
 * @param {(onStart: (pid: number) => void) => T | Promise<T>} work `onStart`: to be called with the pid of a command
 *   that leads a group of its own; while that command runs, the lock is held even if this process is killed
 * @returns {Promise<T>}
 * @throws {StepFailed} when this process is told to end while it waits
 */
export async function alone(path, what, work) {
  let told = false;
  for (let seen = take(path); seen !== undefined; seen = take(path)) {
    if (interruption.aborted) throw new StepFailed(`${what} was not done: interrupted`);
    // Gone meanwhile, or nobody's any more.
    if (seen === '') continue;
    if (!isHeld(seen)) {
      breakLock(path, seen);
      continue;
    }
    if (!told) say(`… waiting for process ${Number.parseInt(seen, 10)}, which does ${what} (${path})`);
    told = true;
    await sleep(INTERVAL, undefined, { signal: interruption }).catch(() => undefined);
  }
  const onStart = (pid) => {
    writeFileSync(`${path}.${process.pid}`, `${nameOf(process.pid)}\n${nameOf(pid)}\n`);
    renameSync(`${path}.${process.pid}`, path);
  };
  try {
    return await work(onStart);
  } finally {
    rmSync(path, { force: true });
  }
}
