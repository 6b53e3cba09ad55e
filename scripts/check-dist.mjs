import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST, bundle, compile, differences } from './bundle.mjs';
import { ROOT, StepFailed, say, script } from './steps.mjs';

/**
 * Files of dist/ that are not in git, including ignored ones: a new chunk is easily forgotten. None outside a git
 * checkout.
 */
function untracked() {
  if (!existsSync(join(ROOT, '.git'))) return [];
  const { stdout, stderr, status } = spawnSync('git', ['ls-files', '--others', 'dist'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new StepFailed(`git ls-files failed: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

// `npm run check:dist`: dist/ is byte for byte the build of src/, and all of it is in git.
await script(async () => {
  compile();
  const fresh = mkdtempSync(join(tmpdir(), 'gateline-dist-'));
  let lines;
  try {
    await bundle(join(fresh, 'dist'));
    lines = differences(join(fresh, 'dist'), DIST);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  if (lines.length > 0) {
    throw new StepFailed(
      `dist/ is not what src/ builds to:\n  ${lines.join('\n  ')}\nRun: npm run build, and commit dist/.`,
    );
  }
  const forgotten = untracked();
  if (forgotten.length > 0) throw new StepFailed(`git does not hold:\n  ${forgotten.join('\n  ')}\nRun: git add dist`);
  say('dist/ is what src/ builds to.');
});
