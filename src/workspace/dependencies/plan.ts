import { isAbsolute, relative, sep } from 'node:path';

/** Something that a work tree is to hold. Paths are relative to its top, `/`-separated. */
export type LinkPiece =
  | { readonly kind: 'link'; readonly target: string; readonly isFolder: boolean }
  | { readonly kind: 'copy'; readonly content: string; readonly mode: number };

/** Something that the work tree does not have as the user's folder does, and why. */
export interface LinkWarning {
  /** Relative to the top. */
  readonly path: string;
  /** The rest of a sentence that begins with the path. */
  readonly why: string;
}

/** A Python package that is imported from the user's repository. */
export interface EditableInstall {
  readonly name: string;
  /** The file that says so, relative to the top. */
  readonly file: string;
  /** Line of it, from 1; undefined for `direct_url.json`. */
  readonly line: number | undefined;
  /** Where it leads, absolute. */
  readonly leadsTo: string;
}

/** A folder of the user that is mirrored into the work tree. */
export interface Mirrored {
  /** Where it stands in both, relative to the top. */
  readonly path: string;
  /** Absolute path that is read: the same place in the user's folder, or where a link of that name leads. */
  readonly source: string;
}

/**
 * True for a path that is never linked, and for every folder that holds one: paths of the user's snapshot and of the tree that
 * is checked out, and what an `inputs` or `files` glob can match.
 * @param path relative to the top of the repository
 * @param top the folder that is to be linked, and in which the path lies
 */
export type Exclusion = (path: string, top: string) => boolean;

/** What the user's folder has that the work tree should have, as it is put together. */
export interface SharedPlan {
  /** Top of the user's repository; absolute and real. */
  readonly from: string;
  /** Top of the work tree; absolute and real. */
  readonly to: string;
  readonly excluded: Exclusion;
  /** True for a path that is left out with all below it. */
  readonly leftOut: (path: string) => boolean;
  readonly pieces: Map<string, LinkPiece>;
  /** Links of {@link pieces} that lead into the repository: where to, relative to the top. */
  readonly leads: Map<string, string>;
  readonly warnings: LinkWarning[];
  readonly editable: EditableInstall[];
}

/** The part of a plan that is about one folder, or one file. */
export interface LinkPlan extends Omit<SharedPlan, 'excluded'> {
  /** Relative to the top of the repository. */
  readonly top: string;
  /** What is read for it, absolute: the same place in the user's folder, or where a link there leads. */
  readonly source: string;
  readonly excluded: (path: string) => boolean;
}

/** A plan without anything in it. */
export function emptyPlan(parts: Pick<SharedPlan, 'from' | 'to' | 'excluded' | 'leftOut'>): SharedPlan {
  return { ...parts, pieces: new Map(), leads: new Map(), warnings: [], editable: [] };
}

/** The part of a plan for one folder; what is added to it is added to the whole. */
export function planFor(whole: SharedPlan, top: string, source: string): LinkPlan {
  return { ...whole, top, source, excluded: (path) => whole.excluded(path, top) };
}

/** Where the work tree has what an absolute path of the user leads to; undefined for what lies elsewhere. */
export function placeInTree({ from, top, source }: LinkPlan, path: string): string | undefined {
  const inside = pathBelow(source, path);
  if (inside === undefined) return pathBelow(from, path);
  return inside === '' ? top : `${top}/${inside}`;
}

/** What an absolute path is called below a folder, `/`-separated; undefined when it lies elsewhere. */
export function pathBelow(top: string, path: string): string | undefined {
  const found = relative(top, path);
  if (found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found)) return undefined;
  return sep === '/' ? found : found.replaceAll(sep, '/');
}
