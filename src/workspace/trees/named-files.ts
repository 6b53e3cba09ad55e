import { allEnded } from '../../in-parallel.ts';
import { linksAbove } from '../files/look.ts';
import { splitNames } from '../files/path-bytes.ts';
import type { Taking } from './left-out.ts';
import { listOfNames } from './index-file.ts';
import type { IndexedFolder, ObjectStore } from '../objects/object-store.ts';

/** Files that keep an otherwise ignored folder in git; they do not make it a source folder. */
const KEEPERS = new Set(['.gitignore', '.gitkeep', '.keep']);
/** How many files of a place are checked before all of them are. */
const FIRST = 20;

/** Files that git ignores, by whether they are included. Paths from the top of the folder. */
export interface IgnoredFiles {
  readonly taken: readonly string[];
  /** Files in the index that are now ignored and that no glob names. */
  readonly gone: readonly string[];
}

/**
 * Files that git ignores and that a glob names. Either the part of the glob before its first wildcard is ignored
 * itself, or git tracks nothing below it except files that keep the folder. So `dist/**` includes build output, and
 * `src/**` does not include an editor's leftovers.
 * @param extras untracked paths in the index: the result for a file must not depend on when it was first seen
 * @param others untracked files that git does not ignore
 */
export async function ignoredFiles(
  store: ObjectStore,
  where: IndexedFolder,
  { prefix, named }: Pick<Taking, 'prefix' | 'named'>,
  extras: readonly string[],
  others: Promise<readonly string[]>,
): Promise<IgnoredFiles> {
  const prefixes = [...new Set(named.flatMap((globs) => globs.prefixes))].map((one) => prefix + one);
  const [ignoredExtras, places] = await allEnded([
    ignoredAmong(store, where, extras),
    generatedPlaces(store, where, prefixes, others),
  ]);
  const listed = places.length === 0 ? [] : await ignoredBelow(store, where, places);
  const isTaken = (path: string): boolean =>
    named.some((globs) => path.startsWith(prefix) && globs.matches(path.slice(prefix.length))) &&
    places.some((place) => isBelow(path, place));
  return {
    taken: [...listed, ...ignoredExtras].filter(isTaken),
    gone: [...ignoredExtras].filter((path) => !isTaken(path)),
  };
}

/** The paths that git ignores, whether they are on disk or not. */
async function ignoredAmong(
  store: ObjectStore,
  { folder, index }: IndexedFolder,
  paths: readonly string[],
): Promise<Set<string>> {
  // git refuses to judge paths below a link; for git they do not exist.
  const isBelowLink = linksAbove(folder);
  const there = paths.filter((path) => !isBelowLink(path));
  if (there.length === 0) return new Set();
  const judge = async (some: readonly string[], answers: readonly number[]): Promise<string[]> => {
    const input = listOfNames(some.map((path) => `./${path}`));
    const args = ['check-ignore', '-z', '--stdin', '--no-index'];
    const { code, out } = await store.git(args, { folder, index }, { input, answers });
    return code > 1 ? [] : splitNames(out).map((path) => path.slice(2));
  };
  try {
    return new Set(await judge(there, [0, 1]));
  } catch (error) {
    if (!(error instanceof Error) || !/is in submodule/.test(error.message)) throw error;
    const found: string[] = [];
    for (const path of there) found.push(...(await judge([path], [0, 1, 128])));
    return new Set(found);
  }
}

async function ignoredBelow(store: ObjectStore, where: IndexedFolder, places: readonly string[]): Promise<string[]> {
  const args = ['--literal-pathspecs', 'ls-files', '--others', '--ignored', '--exclude-standard', '-z'];
  const { out } = await store.git([...args, '--', ...places], where);
  return splitNames(out).filter((path) => !path.endsWith('/'));
}

async function generatedPlaces(
  store: ObjectStore,
  where: IndexedFolder,
  places: readonly string[],
  others: Promise<readonly string[]>,
): Promise<string[]> {
  if (places.length === 0) return [];
  const [listed, untracked] = await allEnded([
    store.git(['--literal-pathspecs', 'ls-files', '--cached', '-z', '--', ...places], where),
    others,
  ]);
  const isSource = (path: string): boolean => !KEEPERS.has(path.slice(path.lastIndexOf('/') + 1));
  const tracked = splitNames(listed.out).filter(isSource);
  const below = new Map(places.map((place) => [place, tracked.filter((path) => isBelow(path, place))]));
  const firstOf = (place: string): string[] => below.get(place)!.slice(0, FIRST);
  const restOf = (place: string): string[] => below.get(place)!.slice(FIRST);
  // One call of git for both questions: starting it takes longer than its answer.
  const ignored = await ignoredAmong(store, where, [...places, ...places.flatMap(firstOf)]);
  const open = places.filter(
    (place) =>
      !ignored.has(place) &&
      !untracked.some((path) => isSource(path) && isBelow(path, place)) &&
      firstOf(place).every((path) => ignored.has(path)),
  );
  // The index has only ignored files there: for example those that a glob named before.
  const further = await ignoredAmong(store, where, open.flatMap(restOf));
  const free = open.filter((place) => restOf(place).every((path) => further.has(path)));
  return [...places.filter((place) => ignored.has(place)), ...free];
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
