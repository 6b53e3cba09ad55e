import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.ts';
import { git, ROOT } from './run.ts';

/** `npm run check:dist`: dist/ is what src/ builds, byte for byte, and git has all of it. */

const contents = (folder: string): Map<string, string> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

const fresh = mkdtempSync(join(tmpdir(), 'gateline-dist-'));
try {
  await build(join(fresh, 'dist'));
  const [wanted, found] = [contents(join(fresh, 'dist')), contents(join(ROOT, 'dist'))];
  const names = [...new Set([...wanted.keys(), ...found.keys()])];
  const different = names.filter((name) => wanted.get(name) !== found.get(name));
  const unknown = git(ROOT, 'ls-files', '--others', 'dist').split('\n').filter(Boolean);
  if (different.length + unknown.length > 0) {
    const lines = [
      ...different.map((name) => `differs: dist/${name}`),
      ...unknown.map((path) => `not in git: ${path}`),
    ];
    process.stderr.write(`${lines.join('\n')}\nRun npm run build, and commit dist/.\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
