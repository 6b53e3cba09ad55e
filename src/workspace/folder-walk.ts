import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import { isEscapedName, onDisk, textOfName } from './path-bytes.ts';

/**
 * Paths of all below a folder of the workspace that is not a folder itself, in no particular order. Links are
 * listed and not followed, `.git` is passed over.
 *
 * @param start relative path; '' for the root itself
 * @param enters whether to go into a folder
 */
export async function walkBelow(root: string, start: string, enters: (folder: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const open = [start];
  while (open.length > 0) {
    const folder = open.pop()!;
    for (const { name, entry } of await entriesOf(root, folder)) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name === '.git') continue;
      if (!entry.isDirectory()) found.push(path);
      else if (enters(path)) open.push(path);
    }
  }
  return found;
}

async function entriesOf(root: string, folder: string): Promise<{ name: string; entry: Dirent | Dirent<Buffer> }[]> {
  const place = folder === '' ? root : onDisk(root, folder);
  try {
    const entries = await readdir(place, { withFileTypes: true });
    if (!entries.some(({ name }) => isEscapedName(name))) return entries.map((entry) => ({ name: entry.name, entry }));
    const raw = await readdir(place, { withFileTypes: true, encoding: 'buffer' });
    return raw.map((entry) => ({ name: textOfName(entry.name), entry }));
  } catch (error) {
    // Removed while we walked: nothing is there.
    if (isSystemError(error, 'ENOENT')) return [];
    // Not as empty: what is in it may be an input.
    const message = `The folder ${folder === '' ? root : folder} cannot be listed: ${messageOf(error)}`;
    throw new GatelineError('platform', 'WORKSPACE_UNREADABLE', message, {
      hint: 'Check who owns it, and who may read it.',
      cause: error,
    });
  }
}
