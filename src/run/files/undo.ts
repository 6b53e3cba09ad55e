import { sameFile, type TreeDifference, type TreeFile } from './tree.ts';

/** Changes that were made to the user's folder at one time. */
export interface Made {
  /** `rollback`: they undid earlier ones. `begun rollback`: perhaps not all of them. */
  readonly what: 'gates' | 'rollback' | 'begun rollback';
  /** ISO 8601. */
  readonly at: string;
  readonly changes: readonly (TreeDifference & { readonly copyFrom?: string })[];
}

/** How one path was before gates changed it. */
export interface Origin {
  readonly path: string;
  readonly before: TreeFile | null;
  /** Folder with a copy of that version, if there is one. */
  readonly copyFrom?: string;
  /** The versions that gates, or an earlier rollback, left there. */
  readonly left: readonly (TreeFile | null)[];
}

/**
 * How each path that gates changed in the user's folder was before. If the user changed it between two changes of
 * gates, the user's version counts. A path that was rolled back to its origin is the user's own again.
 * @returns sorted by path
 */
export function originsOf(made: readonly Made[]): Origin[] {
  const found = new Map<string, KnownPath>();
  const inOrder = made.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  for (const { what, changes } of inOrder) {
    for (const { path, before, after, copyFrom } of changes) {
      const known = found.get(path);
      if (known === undefined && what !== 'gates') continue;
      const left = known?.left ?? new Map<string, TreeFile | null>();
      const isTheirs = what === 'gates' && !left.has(keyOf(before));
      const origin =
        known === undefined || isTheirs
          ? { path, before, left: [], ...(copyFrom !== undefined && { copyFrom }) }
          : known.origin;
      left.set(keyOf(after), after);
      const isUndone = what === 'rollback' && sameFile(after, origin.before);
      found.set(path, { origin: { ...origin, left: [...left.values()] }, left, isUndone });
    }
  }
  const open = [...found.values()].filter(({ isUndone }) => !isUndone);
  return open.map(({ origin }) => origin).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

interface KnownPath {
  readonly origin: Origin;
  readonly left: Map<string, TreeFile | null>;
  readonly isUndone: boolean;
}

function keyOf(file: TreeFile | null): string {
  return file === null ? '' : `${file.mode} ${file.blob}`;
}
