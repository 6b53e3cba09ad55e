import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestOf } from '../../json/digest.ts';
import { readPlainFile } from './attempts.ts';
import { readFileIfPresent, withSystemErrors, type StateFolder } from './state-folder.ts';

/**
 * Writes a file that shows what is in the log, for people and other programs. What is there and is not ours is set aside
 * first, as `<name>.<time>.bak`.
 * @param text `null`: ours is removed, and any other stays
 * @param elsewhere a folder beside `.state/`, and a name of its own for the file
 */
export async function writeProjection(
  folder: StateFolder,
  path: string,
  text: string | null,
  elsewhere: { readonly root: string; readonly name: string } = { root: folder.path, name: path },
): Promise<void> {
  const { root, name } = elsewhere;
  const place = join(root, path);
  const current = await readProjection(place);
  const isOurs = current !== undefined && (await isRecorded(folder, name, current));
  if (text === null) {
    if (isOurs) await folder.remove(place);
    return;
  }
  if (current && Buffer.from(current).toString() === text) return;
  if (current !== undefined && !isOurs) await setAside(place);
  await folder.writeDurably(recordOf(folder, name), [digestOf(text)]);
  if (root === folder.path) await folder.writeDurably(place, [text]);
  else await replaceFile(place, text);
}

/** A file that may be on another file system than `.state/`: readers see the old content or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.gateline-${randomBytes(8).toString('hex')}.tmp`);
  await withSystemErrors(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  });
}

/** Makes room for a file that an agent writes: what is ours goes, anything else is set aside. */
export async function clearProjection(folder: StateFolder, name: string): Promise<void> {
  const path = folder.pathOf(name);
  const current = await readProjection(path);
  if (current === undefined) return;
  if (await isRecorded(folder, name, current)) await folder.remove(path);
  else await setAside(path);
}

/** Takes a file that an agent wrote as ours: its content is stored, so the next version replaces it. */
export async function acceptProjection(folder: StateFolder, name: string, bytes: Uint8Array): Promise<void> {
  await folder.writeDurably(recordOf(folder, name), [digestOf(bytes)]);
}

/** The digest of what Gateline wrote or accepted last. */
function recordOf(folder: StateFolder, name: string): string {
  return folder.pathOf('projections', name.replaceAll('/', '%'));
}

/** `null`: a link, a folder, a pipe, whose reader would wait for ever: not ours. */
async function readProjection(path: string): Promise<Uint8Array | null | undefined> {
  const file = await readPlainFile(path, Infinity);
  return file.state === 'present' ? file.bytes : file.state === 'absent' ? undefined : null;
}

async function isRecorded(folder: StateFolder, name: string, current: Uint8Array | null): Promise<boolean> {
  return current !== null && (await readFileIfPresent(recordOf(folder, name)))?.toString() === digestOf(current);
}

async function setAside(path: string): Promise<void> {
  const aside = `${path}.${new Date().toISOString().replaceAll(':', '-')}.bak`;
  await withSystemErrors(path, () => rename(path, aside));
}
