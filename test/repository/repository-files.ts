import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The repository that the tests are part of. */
export const ROOT = join(import.meta.dirname, '..', '..');

function git(...args: string[]): string[] {
  const output = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e9 });
  return output.split('\0').filter((path) => path !== '');
}

/**
 * Files that are part of the repository, or would be with the next commit: `/`-separated, no ignored ones. Those of next/
 * have tests of their own.
 */
export function repositoryFiles(): string[] {
  const paths = git('ls-files', '-z', '--cached', '--others', '--exclude-standard');
  return paths.filter((path) => !/^(?:node_modules|next)\//.test(path) && existsSync(join(ROOT, path)));
}

/** Whether git ignores that path: a file that is made and never committed. */
export function isIgnored(path: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '--quiet', '--no-index', path], { cwd: ROOT, stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 1) return false;
    throw error;
  }
}
