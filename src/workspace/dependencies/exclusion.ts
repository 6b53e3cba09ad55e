import type { Globs } from '../files/globs.ts';
import { foldersOf } from '../files/contain.ts';
import type { Exclusion } from './plan.ts';

/**
 * What is never linked: files of the tree, and what globs can match. A glob takes files that git ignores only where it names
 * their folder, or a place in it, before its first wildcard: `packages/**` takes no `packages/a/node_modules`.
 *
 * @param files paths of the user's snapshot, and of the tree that is checked out
 * @param globs the `inputs` and `files` of every gate
 */
export function exclusionOf(files: Iterable<string>, globs: readonly Pick<Globs, 'prefixes'>[]): Exclusion {
  const tracked = new Set<string>();
  for (const file of files) {
    const folder = file.slice(0, Math.max(file.lastIndexOf('/'), 0));
    if (!tracked.has(folder)) for (const above of [folder, ...foldersOf(folder)]) tracked.add(above);
    tracked.add(file);
  }
  const prefixes = [...new Set(globs.flatMap((list) => list.prefixes))];
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  return (path, top) =>
    tracked.has(path) || prefixes.some((prefix) => isIn(prefix, path) || (isIn(path, prefix) && isIn(prefix, top)));
}
