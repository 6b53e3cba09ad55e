import type { Globs } from '../files/globs.ts';
import { firstNames } from '../../errors/first-names.ts';

/** One thing that is not in a tree, and why not. The path is from the top of the folder. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** A repository that is no submodule: what is in it is its own. */
export const OWN_REPOSITORY = 'it is a git repository';
/** An untracked file of a CI job: usual, and no fault of anybody. */
export const NOT_NAMED = 'it is untracked, and no glob matches it';

/** Paths that a notice names. */
const NAMED = 5;

/** What is left out, as one sentence for each reason. */
export function noticesOf(leftOut: readonly LeftOut[]): string[] {
  return [...Map.groupBy(leftOut, ({ why }) => why)].map(([why, all]) => {
    const names = all.map(({ path }) => path);
    return `not part of the inputs: ${firstNames(names, NAMED)} (${why})`;
  });
}

/** What of a folder goes into its tree. */
export interface Taking {
  /** Path of the workspace below the top of the folder, '' or ending in `/`. */
  readonly prefix: string;
  /** Files that git does not track: all that it does not ignore, or only those that `named` takes. */
  readonly untracked: 'all' | 'named';
  /** Lists of globs, relative to the workspace, that take ignored files too where they name their place. */
  readonly named: readonly Globs[];
  /** Largest untracked file, in bytes; ten times that in total. */
  readonly maxUntracked: number;
  /** Whether larger ones are an error, or are left out and named. */
  readonly oversize: 'error' | 'leave-out';
  /** The same for submodules with changes that are not committed. */
  readonly dirtySubmodules: 'error' | 'leave-out';
  /** Whether the folder is ours, so that what may not be read there is made readable. */
  readonly isOurs: boolean;
  /** Never taken, whatever git says: folders with links to dependencies, for one. Paths from the top. */
  readonly without?: (path: string) => boolean;
}
