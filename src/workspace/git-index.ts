import { splitNames } from './path-bytes.ts';
import type { Git } from './git.ts';

/** One entry of git's index. */
export interface IndexEntry {
  readonly blob: string;
  readonly mode: string;
  /** git was told not to look at the file (`assume-unchanged`, `skip-worktree`), or it is in conflict: we look ourselves. */
  readonly unsure: boolean;
}

/** What git knows without reading files again: its index, and where the work tree differs from it. */
export interface IndexState {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** Paths whose file may differ from the index (it may turn out not to). */
  readonly modified: ReadonlySet<string>;
  /** Paths with nothing in the work tree. */
  readonly deleted: ReadonlySet<string>;
  readonly untracked: readonly string[];
  /** Untracked folders that are repositories of their own. */
  readonly clones: ReadonlySet<string>;
}

/** Read git's index of what lies below the working directory: three git processes, however many files. */
export async function readIndex(git: Git): Promise<IndexState> {
  const [listed, differing, others] = await Promise.all([
    git(['ls-files', '-s', '-v', '-z']),
    git(['diff-files', '--relative', '--ignore-submodules=none', '-z']),
    git(['ls-files', '--others', '--exclude-standard', '-z']),
  ]);
  const names = splitNames(others.out);
  const clones = names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
  return {
    entries: parseEntries(splitNames(listed.out)),
    ...parseDifferences(splitNames(differing.out)),
    untracked: names.map((name) => (name.endsWith('/') ? name.slice(0, -1) : name)),
    clones: new Set(clones),
  };
}

/** Lines of `git ls-files -s -v`: `H 100644 <blob> <stage>\t<path>`; a small letter or `S` is a file that git does not look at. */
function parseEntries(lines: readonly string[]): Map<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>();
  for (const line of lines) {
    const tab = line.indexOf('\t');
    const [tag = '', mode = '', blob = '', stage] = line.slice(0, tab).split(' ');
    const unsure = stage !== '0' || tag === 'S' || tag !== tag.toUpperCase();
    entries.set(line.slice(tab + 1), { blob, mode, unsure });
  }
  return entries;
}

/** Fields of `git diff-files -z`: `:<mode> <mode> <blob> <blob> <status>`, then the path. */
function parseDifferences(fields: readonly string[]): Pick<IndexState, 'modified' | 'deleted'> {
  const modified = new Set<string>();
  const deleted = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1]!;
    if (fields[at]!.endsWith(' D')) deleted.add(path);
    else modified.add(path);
  }
  // A file in conflict is listed twice; where one of the two says that it is there, it is looked at.
  for (const path of modified) deleted.delete(path);
  return { modified, deleted };
}
