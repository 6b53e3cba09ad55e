import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { onDisk } from './path-bytes.ts';

/**
 * Entries that git never looks at, so that they would remain for the next attempt: `.git` folders of repositories that
 * an attempt created inside the tree, sockets and pipes. Links are not followed.
 * @param folder absolute path
 * @param kept paths below it to skip
 * @returns absolute paths
 */
export async function strangeEntries(folder: string, kept: readonly string[]): Promise<Buffer[]> {
  const found: Buffer[] = [];
  const passed = new Set(kept.map((path) => Buffer.from(onDisk(folder, path)).toString('latin1')));
  await walk(Buffer.from(folder), found, passed);
  return found;
}

/** Removes those that git has not replaced with files meanwhile. */
export async function removeStrange(found: readonly Buffer[]): Promise<void> {
  for (const path of found) {
    // Gone if git has replaced a parent folder with a file.
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined || !isStrange(stats, path.subarray(path.lastIndexOf('/') + 1).toString())) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function isStrange(entry: Pick<Dirent | Stats, 'isFile' | 'isSymbolicLink' | 'isDirectory'>, name: string): boolean {
  return name === '.git' || (!entry.isFile() && !entry.isSymbolicLink() && !entry.isDirectory());
}

async function walk(folder: Buffer, found: Buffer[], passed: ReadonlySet<string>): Promise<void> {
  // Folders may appear and disappear: git is running there.
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'latin1' }).catch(() => []);
  const below: Buffer[] = [];
  for (const entry of entries) {
    const isStranger = isStrange(entry, entry.name);
    if (!isStranger && !entry.isDirectory()) continue;
    const path = Buffer.concat([folder, Buffer.from(`/${entry.name}`, 'latin1')]);
    if (!passed.has(path.toString('latin1'))) (isStranger ? found : below).push(path);
  }
  await Promise.all(below.map((path) => walk(path, found, passed)));
}
