import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = '/dev/shm';

/** What must be free there, and of the machine's memory. Bytes; tests need less than half of it at once. */
const NEEDED = 4 * 1024 ** 3;

const NAME = /^gateline-tests-(\d+)$/;

/**
 * Before the tests: their temporary files lie in memory, where the machine has enough of it and `TMPDIR` names no other
 * place. Tests make repositories, states and work trees all the time, and a disk takes a fifth of their time to make
 * them durable.
 */
export default function setup(): (() => void) | undefined {
  if (process.env['TMPDIR'] !== undefined || process.platform !== 'linux') return undefined;
  if (process.availableMemory() < NEEDED) return undefined;
  const folder = join(SHARED_MEMORY, `gateline-tests-${process.pid}`);
  try {
    removeLeftovers();
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < NEEDED) return undefined;
    mkdirSync(folder);
    // Some tests start a process as another user, who must be able to enter.
    chmodSync(folder, 0o755);
  } catch {
    // There is none, or it is not ours to write to.
    return undefined;
  }
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  if (!canExecute(folder)) {
    remove();
    return undefined;
  }
  process.env['TMPDIR'] = folder;
  return remove;
}

/** Containers may have it without the right to execute what lies there. */
function canExecute(folder: string): boolean {
  const script = join(folder, 'executes');
  writeFileSync(script, '#!/bin/sh\nexit 0\n');
  chmodSync(script, 0o755);
  const { status } = spawnSync(script);
  rmSync(script);
  return status === 0;
}

/** What a test run left that was killed: nothing else empties this memory. */
function removeLeftovers(): void {
  for (const name of readdirSync(SHARED_MEMORY)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
