import { lstatSync, type Stats } from 'node:fs';
import { isSystemError } from '../../errors/gateline-error.ts';
import { foldersOf } from './contain.ts';
import { onDisk } from './path-bytes.ts';

/** Looks at what stands at a path without ever following a link. */
export type Look = (path: string) => Stats | undefined;

/**
 * A look at paths below `root`. A path under a symbolic link is not there: git sees it so, and it may lie outside.
 * Folders are remembered for the life of the look. Synchronous, since ten thousand of these cost a fifth of what
 * they cost through promises.
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

/** Whether a path below `root` leads through a symbolic link. Folders are remembered, as by {@link lookBelow}. */
export function linksAbove(root: string): (path: string) => boolean {
  const links = new Map<string, boolean>();
  return (path) =>
    foldersOf(path).some((folder) => {
      const known = links.get(folder) ?? lookAt(root, folder)?.isSymbolicLink() === true;
      links.set(folder, known);
      return known;
    });
}

/** What stands at one path, its last name not followed. `undefined`: nothing. */
export function lookAt(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(onDisk(root, path), { throwIfNoEntry: false });
  } catch (error) {
    // A file where a folder was thought: nothing can stand below it.
    if (isSystemError(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** What something is called that is no plain file. */
export function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a file' : 'a device';
}
