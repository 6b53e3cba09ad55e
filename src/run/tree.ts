import type { FileChange } from './record.ts';

/**
 * A file of the workspace as it counts for a fingerprint. `blob` is the id that git gives its content
 * (`git hash-object`; `commit:<id>` for a submodule, `link:<id>` for a symbolic link), so that line
 * endings and LFS agree across systems.
 */
export interface TreeFile {
  readonly blob: string;
  /** As git has it: `100644`, `100755`, `120000`, `160000`. */
  readonly mode: string;
}

/** Files that count: path (`/`-separated, relative to the workspace) → file. */
export type Tree = ReadonlyMap<string, TreeFile>;

/**
 * The tree as it was before gates that are not upstream left their files: a path whose file is what such a
 * gate left is taken back to what it was before, repeatedly, so that edits of several gates unwind. A file
 * that somebody changed since is left as it is: it counts. So does one that stands as an upstream gate left it.
 *
 * @param tree files as they are now
 * @param left what gates that are not upstream changed, the latest first: where two left the same behind, the first one counts
 * @param upstream what gates that are upstream changed, in any order
 * @param counts whether a path belongs to the tree at all (for files that such a gate deleted)
 * @param settled how paths stand in what these changes have become part of: one that stands so is left as it is
 */
export function unwind(
  tree: Tree,
  left: readonly FileChange[],
  upstream: readonly FileChange[],
  counts: (path: string) => boolean,
  settled: ReadonlyMap<string, TreeFile | null> = new Map(),
): Tree {
  const byPath = Map.groupBy(left, (change) => change.path);
  const given = Map.groupBy(upstream, (change) => change.path);
  const result = new Map(tree);
  for (const [path, changes] of byPath) {
    if (!tree.has(path) && !counts(path)) continue;
    const pending = [...changes];
    for (;;) {
      const now = result.get(path) ?? null;
      if (given.get(path)?.some((change) => sameFile(change.after, now))) break;
      const kept = settled.get(path);
      if (kept !== undefined && sameFile(kept, now)) break;
      const index = pending.findIndex((change) => sameFile(change.after, now) && !sameFile(change.before, now));
      if (index < 0) break;
      const before = pending.splice(index, 1)[0]!.before;
      if (before === null) result.delete(path);
      else result.set(path, { blob: before.blob, mode: before.mode });
    }
  }
  return result;
}

/** True when both are the same content and mode, or both are absent. */
export function sameFile(a: TreeFile | null, b: TreeFile | null): boolean {
  return a === null || b === null ? a === b : a.blob === b.blob && a.mode === b.mode;
}
