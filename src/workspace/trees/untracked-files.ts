import { GatelineError } from '../../errors/gateline-error.ts';
import { lookBelow } from '../files/look.ts';
import { NOT_NAMED, OWN_REPOSITORY, type Taking, type LeftOut } from './left-out.ts';

/** Number of files listed in a message. */
const NAMED = 10;

/**
 * The untracked files to include, among those that git lists. Names that end in a slash are separate repositories,
 * whose content is not included.
 */
export function untrackedFiles(names: readonly string[], taking: Taking, leftOut: LeftOut[]): string[] {
  const taken: string[] = [];
  for (const name of names) {
    if (name.endsWith('/')) leftOut.push({ path: name.slice(0, -1), why: OWN_REPOSITORY });
    else if (isTakenUntracked(name, taking)) taken.push(name);
    else leftOut.push({ path: name, why: NOT_NAMED });
  }
  return taken;
}

/** Whether a file that git neither tracks nor ignores is included. */
export function isTakenUntracked(path: string, { prefix, named, untracked }: Taking): boolean {
  if (untracked === 'all') return true;
  return path.startsWith(prefix) && named.some((globs) => globs.matches(path.slice(prefix.length)));
}

interface Sized {
  readonly path: string;
  readonly size: number;
}

/**
 * Untracked files that are too large, each or in total; then the largest ones. Tracked files are included whatever
 * their size: the user chose to track them.
 */
export function tooLarge(folder: string, paths: Iterable<string>, most: number): readonly Sized[] {
  const look = lookBelow(folder);
  const all = [...paths].map((path): Sized => ({ path, size: look(path)?.size ?? 0 }));
  const large = all.filter(({ size }) => size > most);
  if (large.length > 0) return large;
  if (sumOf(all) <= 10 * most) return [];
  return all.toSorted((a, b) => b.size - a.size).slice(0, NAMED);
}

/** The result of {@link tooLarge}, as an error. */
export function untrackedTooLarge(found: readonly Sized[], most: number): GatelineError {
  const isSingle = found.some(({ size }) => size > most);
  const list = found.map(({ path, size }) => `${path} (${megabytes(size)})`).join(', ');
  const what = isSingle
    ? `untracked files larger than ${megabytes(most)}: ${list}`
    : `untracked files of more than ${megabytes(10 * most)} in total; the largest: ${list}`;
  return new GatelineError('UNTRACKED_TOO_LARGE', what, {
    hint: `Add to .gitignore: ${found.map(({ path }) => `/${path}`).join(' ')}. Or raise \`workspace: {max-untracked}\` in gateline.yml.`,
  });
}

function sumOf(all: readonly Sized[]): number {
  return all.reduce((sum, { size }) => sum + size, 0);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}
