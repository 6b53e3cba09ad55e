import type { Globs } from '../files/globs.ts';
import { firstNames } from '../../errors/first-names.ts';

/** One thing that is not in a tree, and why. The path is from the top of the folder. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** A repository that is not a submodule: its content is not part of the tree. */
export const OWN_REPOSITORY = 'it is a git repository';
/** An untracked file of a CI job: usual, and not an error. */
export const NOT_NAMED = 'it is untracked, and no glob matches it';

/** Paths listed in a notice. */
const NAMED = 5;

/** Paths that are left out, with one sentence per reason. */
export function noticesOf(leftOut: readonly LeftOut[]): string[] {
  return [...Map.groupBy(leftOut, ({ why }) => why)].map(([why, all]) => {
    const names = all.map(({ path }) => path);
    return `not part of the inputs: ${firstNames(names, NAMED)} (${why})`;
  });
}

/** Which files of a folder go into its tree. */
export interface Taking {
  /** Path of the workspace below the top of the folder, '' or ending in `/`. */
  readonly prefix: string;
  /** Untracked files: all that git does not ignore, or only those that `named` matches. */
  readonly untracked: 'all' | 'named';
  /** Lists of globs, relative to the workspace, that also match ignored files if they name their place. */
  readonly named: readonly Globs[];
  /** Largest untracked file, in bytes; ten times as much in total. */
  readonly maxUntracked: number;
  /** Whether larger ones are an error, or are left out and reported. */
  readonly oversize: 'error' | 'leave-out';
  /** The same for submodules with uncommitted changes. */
  readonly dirtySubmodules: 'error' | 'leave-out';
  /** Whether the folder is ours, so that unreadable files are made readable. */
  readonly isOurs: boolean;
  /** Never included, whatever git reports: for example folders with links to dependencies. Paths from the top. */
  readonly without?: (path: string) => boolean;
}
