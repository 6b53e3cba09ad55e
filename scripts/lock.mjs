import { spawnSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StepFailed, interruption, say } from './steps.mjs';

/**
 * Locks between processes: a file that names its owner, and the command that the owner runs. A process is named by its
 * pid and by when it started, because pids are reused.
 */

const WINDOWS = process.platform === 'win32';

/** Polling interval of a waiter, in milliseconds. */
const INTERVAL = 500;

/** Text of a file, or undefined if there is none. */
export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The output of a command, '' if it fails. */
function printed(command, ...args) {
  const { stdout } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return (stdout ?? '').trim();
}

/**
 * When a process started, in a system-specific form without spaces. Undefined if there is no such process.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startOf(pid) {
  if (process.platform === 'linux') {
    // The name of the program, in brackets, may contain anything. The state is the first field after it, the start the
    // 20th.
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

/** Whether a process of the group exists. The system does not reuse a group's number for a new process. */
function hasMembers(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** `<pid> <start>` of a process, as written in a lock. */
function nameOf(pid) {
  return `${pid} ${startOf(pid) ?? 'gone'}`;
}

/** Whether the owner of a lock is running, or a command that it started and that outlived it. */
function isHeld(lock) {
  const [owner = '', command = ''] = lock.trim().split('\n');
  if (owner === nameOf(Number.parseInt(owner, 10))) return true;
  if (command === '') return false;
  const pid = Number.parseInt(command, 10);
  const start = startOf(pid);
  if (start !== undefined) return command === `${pid} ${start}`;
  return !WINDOWS && hasMembers(pid);
}

/** Move away a lock whose owner is gone. Only one of several waiters succeeds; the others find it changed or gone. */
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

/** Take the lock if it is free. @returns its content if it is not */
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
 * Run `work` while no other process works under this lock.
 * @template T
 * @param {string} path of the lock; its folder must exist
 * @param {string} what the work, for messages to waiting users: `the install`
 * @param {(onStart: (pid: number) => void) => T | Promise<T>} work `onStart`: to be called with the pid of a command
 *   that leads its own process group; while that command runs, the lock is held even if this process is killed
 * @returns {Promise<T>}
 * @throws {StepFailed} when this process is asked to end while it waits
 */
export async function alone(path, what, work) {
  let told = false;
  for (let seen = take(path); seen !== undefined; seen = take(path)) {
    if (interruption.aborted) throw new StepFailed(`${what} was not done: interrupted`);
    // Gone meanwhile, or without an owner.
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
