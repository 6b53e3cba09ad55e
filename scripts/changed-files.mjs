import { spawnSync } from 'node:child_process';
import { ROOT } from './steps.mjs';

/** The base of the changes, unless GATELINE_FAULTS_BASE names another commit. */
const DEFAULT_BASE = 'origin/main';

/** git's output, or undefined if it fails. */
function git(root, ...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
  return status === 0 ? stdout : undefined;
}

/**
 * Files that differ from the merge base with the base commit: committed, uncommitted and untracked ones.
 * @param {{ root?: string, environment?: Record<string, string | undefined> }} [where]
 * @returns {{ base: string, files: string[] | undefined }} `/`-separated paths; undefined if there is no such base
 */
export function changedFiles({ root = ROOT, environment = process.env } = {}) {
  const base = environment.GATELINE_FAULTS_BASE || DEFAULT_BASE;
  const fork = git(root, 'merge-base', base, 'HEAD')?.trim();
  if (fork === undefined) return { base, files: undefined };
  const changed = git(root, 'diff', '--name-only', '--no-renames', '-z', fork);
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard', '-z');
  const files = `${changed ?? ''}${untracked ?? ''}`.split('\0').filter((path) => path !== '');
  return { base, files };
}

/** The room of a file of src/ or test/: the folder, or the file beside the folders. */
export function roomOf(path) {
  return /^(?:src|test)\/([^/]+)/.exec(path)?.[1];
}
