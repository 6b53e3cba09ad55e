import { chmod, lstat, readdir } from 'node:fs/promises';

/**
 * Gives us back the right to read and to delete everything below a folder of ours, which an agent may have taken away. git
 * keeps no such rights: nothing else changes by it. Links are not followed, and what is not ours to change stays as it is.
 */
export async function openUp(folder: string | Buffer): Promise<void> {
  await grant(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])) {
    const path = Buffer.concat([Buffer.from(folder), Buffer.from('/'), entry.name]);
    if (entry.isDirectory()) await openUp(path);
    else if (entry.isFile()) await grant(path, 0o600);
  }
}

async function grant(path: string | Buffer, rights: number): Promise<void> {
  try {
    const { mode } = await lstat(path);
    if ((mode & rights) !== rights) await chmod(path, (mode & 0o7777) | rights);
  } catch {
    // Gone, or somebody else's: whoever needs it will say so.
  }
}
