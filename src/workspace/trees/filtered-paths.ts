import { splitNames } from '../files/path-bytes.ts';
import { listOfNames } from './index-file.ts';
import { snapshotIndexOf, type ObjectStore } from './object-store.ts';

/** Those of the paths for which `.gitattributes` names a filter, such as that of LFS. All are from the top of `folder`. */
export async function filteredPaths(
  store: ObjectStore,
  folder: string,
  paths: readonly string[],
): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const { out } = await store.git(
    ['check-attr', '-z', '--stdin', 'filter'],
    { folder, index: snapshotIndexOf(store) },
    { input: listOfNames(paths) },
  );
  const fields = splitNames(out);
  const found = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (fields[at + 2] !== 'unspecified' && fields[at + 2] !== 'unset') found.add(fields[at]!);
  }
  return found;
}
