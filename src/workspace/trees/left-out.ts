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
    const names = all.slice(0, NAMED).map(({ path }) => path);
    const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
    return `not part of the inputs: ${names.join(', ')}${more} (${why})`;
  });
}
