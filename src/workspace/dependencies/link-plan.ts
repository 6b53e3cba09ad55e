import { isAbsolute, relative, sep } from 'node:path';

/** An entry planned for a work tree. Paths are relative to its top, `/`-separated. */
export type LinkPiece =
  | { readonly kind: 'link'; readonly target: string; readonly isFolder: boolean }
  | { readonly kind: 'copy'; readonly content: string; readonly mode: number };

/** A difference between the work tree and the user's folder, and the reason. */
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
  /** Line number, from 1; undefined for `direct_url.json`. */
  readonly line: number | undefined;
  /** Its target, absolute. */
  readonly leadsTo: string;
}

/** A folder of the user that is mirrored into the work tree. */
export interface Mirrored {
  /** Path in both, relative to the top. */
  readonly path: string;
  /** Absolute path to read: the same place in the user's folder, or the target of a link with that name. */
  readonly source: string;
}

/**
 * True for a path that is never linked, and for every folder that contains one: paths of the user's snapshot and of the
 * tree that is checked out, and paths that an `inputs` or `files` glob can match.
 * @param path relative to the top of the repository
 * @param top the folder to link, which contains the path
 */
export type Exclusion = (path: string, top: string) => boolean;

/** The planned contents that the work tree shares with the user's folder. */
export interface SharedPlan {
  /** Top of the user's repository; absolute and real. */
  readonly from: string;
  /** Top of the work tree; absolute and real. */
  readonly to: string;
  readonly excluded: Exclusion;
  /** True for a path that is left out with everything below it. */
  readonly leftOut: (path: string) => boolean;
  readonly pieces: Map<string, LinkPiece>;
  /** Links among {@link pieces} that lead into the repository, with their targets relative to the top. */
  readonly leads: Map<string, string>;
  readonly warnings: LinkWarning[];
  readonly editable: EditableInstall[];
}

/** The part of a plan for one folder or one file. */
export interface LinkPlan extends Omit<SharedPlan, 'excluded'> {
  /** Relative to the top of the repository. */
  readonly top: string;
  /** Absolute path to read for it: the same place in the user's folder, or the target of a link there. */
  readonly source: string;
  readonly excluded: (path: string) => boolean;
}

/** An empty plan. */
export function emptyPlan(parts: Pick<SharedPlan, 'from' | 'to' | 'excluded' | 'leftOut'>): SharedPlan {
  return { ...parts, pieces: new Map(), leads: new Map(), warnings: [], editable: [] };
}

/** The part of a plan for one folder; additions to it are additions to the whole plan. */
export function planFor(whole: SharedPlan, top: string, source: string): LinkPlan {
  return { ...whole, top, source, excluded: (path) => whole.excluded(path, top) };
}

/** The place in the work tree for an absolute path of the user; undefined for paths elsewhere. */
export function placeInTree({ from, top, source }: LinkPlan, path: string): string | undefined {
  const inside = pathBelow(source, path);
  if (inside === undefined) return pathBelow(from, path);
  return inside === '' ? top : `${top}/${inside}`;
}

/** The path relative to a folder, `/`-separated; undefined for paths elsewhere. */
export function pathBelow(top: string, path: string): string | undefined {
  const found = relative(top, path);
  if (found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found)) return undefined;
  return sep === '/' ? found : found.replaceAll(sep, '/');
}
