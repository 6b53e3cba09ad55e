import { readFileSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { TreeFile } from '../run/tree.ts';
import { blobOf, blobOfFile, linkBlob } from './blob.ts';
import { walkBelow } from './folder-walk.ts';
import { onDisk } from './path-bytes.ts';
import { SPECIAL_MODE, type FileView, type Snapshot } from './snapshot.ts';
import { kindOf, lookBelow } from './standing.ts';

/** Read at once up to here; larger ones as a stream. */
const SMALL = 256 * 1_024;
/** After so many files other work gets a turn. */
const TURN = 256;

/**
 * A folder without git. Every file counts as tracked but those in `node_modules`, which take the place of
 * what git would ignore. Blob ids are what git (sha1, no filters) would give.
 */
export function openPlainView(root: string): FileView {
  const modesCount = process.platform !== 'win32';
  return {
    modesCount,
    committed: async () => undefined,
    branch: async () => undefined,
    async snapshot(): Promise<Snapshot> {
      const tracked = await walkBelow(root, '', (folder) => folder !== '.state' && !inModules(folder));
      return {
        tracked,
        untracked: [],
        repositories: new Set(),
        generated: async (prefixes) => {
          const walks = prefixes.filter(inModules).map((prefix) => walkOrFile(root, prefix));
          return [...new Set((await Promise.all(walks)).flat())];
        },
        resolve: (paths) => resolvePlain(root, paths, modesCount),
      };
    },
  };
}

function inModules(path: string): boolean {
  return path.includes('node_modules') && path.split('/').includes('node_modules');
}

/** What is at the path, when it is no folder, or all below it. Nothing under a link. */
export async function walkOrFile(root: string, path: string): Promise<string[]> {
  const stats = lookBelow(root)(path);
  if (stats === undefined) return [];
  return stats.isDirectory() ? walkBelow(root, path, () => true) : [path];
}

async function resolvePlain(
  root: string,
  paths: Iterable<string>,
  modesCount: boolean,
): Promise<Map<string, TreeFile>> {
  const look = lookBelow(root);
  const found = new Map<string, TreeFile>();
  let count = 0;
  for (const path of paths) {
    if (++count % TURN === 0) await setImmediate();
    const stats = look(path);
    if (stats === undefined || stats.isDirectory()) continue;
    if (stats.isFile()) found.set(path, { blob: await plainBlob(root, path, stats), mode: modeOf(stats, modesCount) });
    else if (stats.isSymbolicLink()) found.set(path, { blob: linkBlob(root, path, 'sha1'), mode: '120000' });
    else found.set(path, { blob: kindOf(stats), mode: SPECIAL_MODE });
  }
  return found;
}

async function plainBlob(root: string, path: string, stats: Stats): Promise<string> {
  return stats.size <= SMALL ? blobOf(readFileSync(onDisk(root, path)), 'sha1') : blobOfFile(root, path, 'sha1');
}

/** git's mode of a plain file: executable when its owner may execute it. */
export function modeOf(stats: Stats, modesCount: boolean): '100644' | '100755' {
  return modesCount && (stats.mode & 0o100) !== 0 ? '100755' : '100644';
}
