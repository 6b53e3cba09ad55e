import { chmod, lstat, readdir } from 'node:fs/promises';

/**
 * Restores our right to read and delete everything below one of our folders, which an agent may have removed. git does
 * not store such rights, so nothing else changes. Links are not followed, and files that we may not change stay
 * unchanged.
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
    // Gone, or owned by another user: the code that needs it will report that.
  }
}
