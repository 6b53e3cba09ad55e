import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  // None of the tools asks a service on the network.
  TURBO_TELEMETRY_DISABLED: '1',
  WIREIT_CACHE: 'local',
  CI: '',
};

/** A new folder, which is removed when it is disposed of. */
export function createFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'gateline-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs a program to its end and returns what it printed. @throws Error with its output if it fails */
export function start(cwd: string, program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', env: ENVIRONMENT });
  if (status === 0) return stdout;
  throw error ?? new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}

/** A run of the command line in which nothing is to be done. */
export function startUnchanged(folder: string, cli: string): void {
  const out = start(folder, process.execPath, cli, 'run', '--quiet');
  if (!out.startsWith('Everything is done')) throw new Error(`something was to be done:\n${out}`);
}

/** Writes files; values that are no text as JSON, which is YAML too. */
export function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** Makes the folder a repository with one commit, packed as a clone is. */
export function commitAll(folder: string): void {
  start(folder, 'git', 'init', '-q', '-b', 'main');
  start(folder, 'git', 'add', '-A');
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  start(folder, 'git', ...author, '-c', 'gc.auto=0', 'commit', '-qm', 'all');
  start(folder, 'git', 'repack', '-adq');
}
