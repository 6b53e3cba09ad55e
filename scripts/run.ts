import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The repository. */
export const ROOT = join(import.meta.dirname, '..');

/** Runs a program in the repository, with our standard output. @throws unless it succeeds */
export function run(file: string, args: readonly string[], { cwd = ROOT } = {}): void {
  const { status, signal, error } = spawnSync(file, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${[file, ...args].join(' ')}: ${signal ?? `exit code ${status}`}`);
}

/** Runs git. @returns its standard output @throws unless it succeeds */
export function git(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim()}`);
  return stdout;
}
