import { splitNames } from '../path-bytes.ts';
import type { Taking } from './capture-tree.ts';
import { listOfNames } from './index-file.ts';
import type { IndexedFolder, ObjectStore } from './object-store.ts';

/** Files that keep an otherwise ignored folder in git; they do not make it a folder of sources. */
const KEEPERS = new Set(['.gitignore', '.gitkeep', '.keep']);

/**
 * Files that git ignores and that a glob names: what the glob says before its first wildcard is ignored itself, or
 * git sees nothing below it but what keeps the folder. So `dist/**` takes build output, and `src/**` does not take what
 * an editor left there. Paths from the top of the folder.
 */
export async function namedIgnored(
  store: ObjectStore,
  where: IndexedFolder,
  { prefix, named }: Pick<Taking, 'prefix' | 'named'>,
): Promise<string[]> {
  const prefixes = [...new Set(named.flatMap((globs) => globs.prefixes))].map((one) => prefix + one);
  if (prefixes.length === 0) return [];
  const listed = await store.git(
    ['--literal-pathspecs', 'ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...prefixes],
    where,
  );
  const files = splitNames(listed.out).filter((path) => !path.endsWith('/'));
  if (files.length === 0) return [];
  const found = prefixes.filter((place) => files.some((path) => isBelow(path, place)));
  const generated = await generatedPlaces(store, where, found);
  return files.filter(
    (path) =>
      named.some((globs) => globs.matches(path.slice(prefix.length))) &&
      generated.some((place) => isBelow(path, place)),
  );
}

async function generatedPlaces(store: ObjectStore, where: IndexedFolder, places: readonly string[]): Promise<string[]> {
  const asked = await store.git(['check-ignore', '-z', '--stdin', '--no-index'], where, {
    input: listOfNames(places.map((place) => `./${place}`)),
    answers: [0, 1],
  });
  const ignored = new Set(splitNames(asked.out).map((place) => place.slice(2)));
  const open = places.filter((place) => !ignored.has(place));
  if (open.length === 0) return [...ignored];
  const seen = await store.git(
    ['--literal-pathspecs', 'ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...open],
    where,
  );
  const sources = splitNames(seen.out).filter((path) => !KEEPERS.has(path.slice(path.lastIndexOf('/') + 1)));
  return [...ignored, ...open.filter((place) => !sources.some((path) => isBelow(path, place)))];
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
