/**
 * The command line that kills its own process right after its k-th durable operation; `DIE_AFTER` is k. Or `DIE_AT` is
 * what that operation is called, or the end of it. What it did so far stands in the file `OPERATIONS`, one line each.
 * Where `IMAGES` names a folder it leaves an image of its working directory and of its work trees after each operation
 * there, as `1`, `2`, …: what a kill at that moment would have left on disk. `DAYS_LATER` is the clock.
 *
 * `DIE_BEFORE_RENAME` is k: it dies right before it gives a temporary file its name for the k-th time. These names stand
 * in the file `RENAMES`, one line each.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { main } from '../../src/cli/main.ts';
import { processWorld } from '../../src/cli/process-world.ts';

const { DIE_AFTER, DIE_AT, OPERATIONS, IMAGES, START_LOG, GATELINE_TREES, DAYS_LATER = '0' } = process.env;
const { DIE_BEFORE_RENAME, RENAMES } = process.env;
let count = 0;
let renames = 0;

const { rename } = promises;
promises.rename = async (from, to) => {
  renames += 1;
  if (RENAMES !== undefined) appendFileSync(RENAMES, `${String(to)}\n`);
  if (renames === Number(DIE_BEFORE_RENAME)) process.kill(process.pid, 'SIGKILL');
  await rename(from, to);
};
syncBuiltinESMExports();

function takeImage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(process.cwd(), join(folder, 'workspace'), {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
  });
  // Agents are at work there meanwhile: a file that vanishes while it is copied must not stop the copy.
  spawnSync('cp', ['-a', GATELINE_TREES!, join(folder, 'trees')], { stdio: 'ignore' });
  if (START_LOG !== undefined && existsSync(START_LOG)) copyFileSync(START_LOG, join(folder, 'starts.log'));
}

process.exitCode = await main({
  ...processWorld(process.env, {
    onDurable: (what) => {
      count += 1;
      if (OPERATIONS !== undefined) appendFileSync(OPERATIONS, `${what}\n`);
      if (IMAGES !== undefined) takeImage(join(IMAGES, String(count)));
      if (count === Number(DIE_AFTER) || (DIE_AT !== undefined && what.endsWith(DIE_AT)))
        process.kill(process.pid, 'SIGKILL');
    },
  }),
  now: () => new Date(Date.now() + Number(DAYS_LATER) * 86_400_000),
});
