import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

/** The only files that run something. */
const ENTRIES = new Set(['src/cli/index.ts', 'src/action/index.ts', 'src/action/post-entry.ts']);

/** Imports every file in one process and tells what that did: text, handles, listeners, variables, globals, exit code. */
const PROBE = `
// zod and LangChain keep registries there, so that two copies of each know each other.
const globals = () => String(Object.getOwnPropertyNames(globalThis).filter((name) => !/^(?:__zod|lc)_/.test(name)));
const look = () => ({ env: JSON.stringify(process.env), globals: globals(), listeners: process.eventNames().length });
const before = look();
const touched = new Set();
for (const file of JSON.parse(process.argv[1])) {
  await import(file);
  const handles = process.getActiveResourcesInfo().filter((name) => !/^(?:FSReq|CloseReq|PipeWrap|TTYWrap|Immediate)/.test(name));
  if (handles.length > 0) touched.add(file + ': ' + handles);
}
const after = look();
for (const what of Object.keys(before)) if (before[what] !== after[what]) touched.add(what);
if (process.exitCode !== undefined) touched.add('exitCode');
console.log(JSON.stringify([...touched]));
`;

it('importing any module of src runs nothing', () => {
  const files = globSync('src/**/*.ts').filter((file) => !ENTRIES.has(file));
  expect(files.length).toBeGreaterThan(150);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gateline-')));
  try {
    const addresses = JSON.stringify(files.map((file) => pathToFileURL(file).href));
    const args = ['--input-type=module', '--no-warnings', '--eval', PROBE, addresses];
    const out = execFileSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(out).toBe('[]\n');
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
