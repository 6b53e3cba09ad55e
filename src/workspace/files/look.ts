import { lstatSync, type Stats } from 'node:fs';
import { isSystemError } from '../../errors/gateline-error.ts';
import { foldersOf } from './contain.ts';
import { onDisk } from './path-bytes.ts';

/** Looks up a path without ever following a link. */
export type Look = (path: string) => Stats | undefined;

/**
 * A lookup of paths below `root`. A path below a symbolic link is treated as missing: git sees it so, and it may be
 * outside. Folders are cached for the lifetime of the lookup. Synchronous, because ten thousand lookups take a fifth of
 * the time that they take with promises.
 */
export function lookBelow(root: string): Look {
  const folders = new Map<string, boolean>();
  const isFolder = (folder: string): boolean => {
    let known = folders.get(folder);
    if (known === undefined) {
      known = lookAt(root, folder)?.isDirectory() ?? false;
      folders.set(folder, known);
    }
    return known;
  };
  return (path) => (foldersOf(path).every(isFolder) ? lookAt(root, path) : undefined);
}

/** Whether a path below `root` leads through a symbolic link. Folders are cached, as in {@link lookBelow}. */
export function linksAbove(root: string): (path: string) => boolean {
  const links = new Map<string, boolean>();
  return (path) =>
    foldersOf(path).some((folder) => {
      const known = links.get(folder) ?? lookAt(root, folder)?.isSymbolicLink() === true;
      links.set(folder, known);
      return known;
    });
}

/** Looks up one path, without following its last name. `undefined`: nothing is there. */
export function lookAt(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(onDisk(root, path), { throwIfNoEntry: false });
  } catch (error) {
    // A file in the place of a folder: nothing can be below it.
    if (isSystemError(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The name of the kind of something that is not a plain file. */
export function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a file' : 'a device';
}
