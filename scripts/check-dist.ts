import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.ts';
import { git, ROOT } from './run.ts';

/** `npm run check:dist`: fails unless dist/ is what src/ builds, byte for byte, and all of it is in git. */

const folder = mkdtempSync(join(tmpdir(), 'gateline-dist-'));
try {
  await build(join(folder, 'dist'));
  const args = ['diff', '--no-index', '--no-ext-diff', '--stat', join(ROOT, 'dist'), join(folder, 'dist')];
  const { status } = spawnSync('git', args, { stdio: 'inherit' });
  const unknown = git(ROOT, 'ls-files', '--others', 'dist');
  if (status !== 0 || unknown !== '') {
    process.stderr.write(`${unknown && `not in git:\n${unknown}`}Run npm run build, and commit dist/.\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
