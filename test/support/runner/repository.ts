import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { plainEnvironment } from '../command-line.ts';

const run = promisify(execFile);

/** What git prints, as a person who has no settings of git would see it. Throws what it says on failure. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...args], { cwd: folder, env: plainEnvironment(), maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Text of a file as a commit has it. */
export function fileAt(repository: string, commit: string, path: string): Promise<string> {
  return git(repository, 'show', `${commit}:${path}`);
}

/** Full id of the commit that is checked out in a folder. */
export async function headOf(folder: string): Promise<string> {
  return (await git(folder, 'rev-parse', 'HEAD')).trim();
}
