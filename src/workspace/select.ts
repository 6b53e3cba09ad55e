import type { Tree, TreeFile } from '../run/tree.ts';
import { neverCounts } from './contain.ts';
import type { Globs } from './globs.ts';
import type { Snapshot } from './snapshot.ts';

/** Names that a list of globs takes out of a snapshot, ignored ones too where a glob names their place. */
export async function namedPaths(snapshot: Snapshot, globs: Globs): Promise<{ taken: string[]; all: string[] }> {
  const generated = await snapshot.generated(globs.prefixes);
  const all = [...new Set([...snapshot.tracked, ...snapshot.untracked, ...generated])].filter(
    (path) => !neverCounts(path),
  );
  const taken = all.filter((path) =>
    snapshot.repositories.has(path) ? globs.matchesRepository(path) : globs.matches(path),
  );
  return { taken, all };
}

/** Tracked files and untracked ones that git does not ignore. */
export function visiblePaths(snapshot: Snapshot): string[] {
  return [...snapshot.tracked, ...snapshot.untracked].filter((path) => !neverCounts(path));
}

/** The part of a tree that lies at these paths, sorted by path. */
export function treeOf(tree: Tree, paths: readonly string[]): Map<string, TreeFile> {
  const picked = paths.toSorted().map((path) => [path, tree.get(path)] as const);
  return new Map(picked.filter((pair): pair is readonly [string, TreeFile] => pair[1] !== undefined));
}
