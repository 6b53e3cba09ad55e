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
  /** It was rolled back to that version: it is the user's own again, unless gates that are kept left another one. */
  readonly isUndone: boolean;
}

/**
 * How each path that gates changed in the user's folder was before. If the user changed it between two changes of
 * gates, the user's version is used.
 * @returns sorted by path
 */
export function originsOf(made: readonly Made[]): Origin[] {
  const found = new Map<string, KnownPath>();
  const inOrder = made.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  for (const { what, changes } of inOrder) {
    for (const change of changes) {
      const known = found.get(change.path);
      if (known === undefined && what !== 'gates') continue;
      const left = known?.left ?? new Map<string, TreeFile | null>();
      const isFirst = known === undefined || (what === 'gates' && isUsers(change, known));
      const origin = isFirst ? originIn(change) : withCopy(known.origin, change);
      left.set(keyOf(change.after), change.after);
      const isUndone = what === 'rollback' && sameFile(change.after, origin.before);
      found.set(change.path, { origin: { ...origin, left: [...left.values()], isUndone }, left });
    }
  }
  return [...found.values()].map(({ origin }) => origin).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

type Change = Made['changes'][number];

interface KnownPath {
  readonly origin: Origin;
  readonly left: Map<string, TreeFile | null>;
}

/** Whether the version that a change found is the user's own. */
function isUsers({ before }: Change, { left, origin }: KnownPath): boolean {
  return origin.isUndone ? !sameFile(before, origin.before) : !left.has(keyOf(before));
}

function originIn({ path, before, copyFrom }: Change): Origin {
  return { path, before, left: [], isUndone: false, ...(copyFrom !== undefined && { copyFrom }) };
}

/** Gates may have left the path as it was: then the first copy is that of a later call. */
function withCopy(origin: Origin, { before, copyFrom }: Change): Origin {
  const isNeeded = origin.copyFrom === undefined && copyFrom !== undefined && sameFile(before, origin.before);
  return isNeeded ? { ...origin, copyFrom } : origin;
}

function keyOf(file: TreeFile | null): string {
  return file === null ? '' : `${file.mode} ${file.blob}`;
}
