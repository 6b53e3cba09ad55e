import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_LINE, plainEnvironment } from './command-line.ts';

/** Mounts a file system of the memory in a namespace of its own, which needs no rights where the system allows it. */
const INSIDE = ['-rm', 'sh', '-c'];

/** Whether this system lets the tests have a disk of their own. */
export const canHaveSmallDisk =
  process.platform === 'linux' && spawnSync('unshare', [...INSIDE, 'mount -t tmpfs none /mnt']).status === 0;

/**
 * Runs a shell script in a git repository on a disk of 2 MB, with `gateline` as a command. The disk is gone afterwards.
 * @returns what it printed, stderr included
 */
export async function onSmallDisk(gatelineYml: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateline-small-'));
  try {
    await writeFile(join(folder, 'gateline.yml'), gatelineYml);
    const disk = join(folder, 'disk');
    const prepare = `exec 2>&1; mkdir '${disk}' && mount -t tmpfs -o size=2m none '${disk}' && cd '${disk}' || exit 99
      cp ../gateline.yml . && git init -q && git add -A && git -c user.name=a -c user.email=a@b.test commit -qm all
      gateline() { '${process.execPath}' '${COMMAND_LINE}' "$@"; }`;
    const env = plainEnvironment();
    return await new Promise((resolve, reject) => {
      execFile('unshare', [...INSIDE, `${prepare}\n${script}`], { env, timeout: 120_000 }, (error, stdout) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}`)),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
