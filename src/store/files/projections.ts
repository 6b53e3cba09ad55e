import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestOf } from '../../json/digest.ts';
import { readPlainFile } from './attempts.ts';
import { readFileIfPresent, withSystemErrors, type StateFolder } from './state-folder.ts';

/**
 * Writes a file that shows what is in the log, for people and other programs. A file there that Gateline did not write is
 * first renamed to `<name>.<time>.bak`.
 * @param text `null`: removes the file if Gateline wrote it
 * @param elsewhere another folder than `.state/`, and the name of the file in our records
 */
export async function writeProjection(
  folder: StateFolder,
  path: string,
  text: string | null,
  elsewhere: { readonly root: string; readonly name: string } = { root: folder.path, name: path },
): Promise<void> {
  const { root, name } = elsewhere;
  const target = join(root, path);
  const current = await readProjection(target);
  const isOurs = current !== undefined && (await isRecorded(folder, name, current));
  if (text === null) {
    if (isOurs) await folder.remove(target);
    return;
  }
  if (current && Buffer.from(current).toString() === text) return;
  if (current !== undefined && !isOurs) await setAside(target);
  await folder.writeDurably(recordPath(folder, name), [digestOf(text)]);
  if (root === folder.path) await folder.writeDurably(target, [text]);
  else await replaceFile(target, text);
}

/** Replaces a file that may be on another file system than `.state/`. Readers see the old content or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.gateline-${randomBytes(8).toString('hex')}.tmp`);
  await withSystemErrors(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  });
}

/** Makes room for a file that an agent writes: removes the file that Gateline wrote, sets any other aside. */
export async function clearProjection(folder: StateFolder, name: string): Promise<void> {
  const path = folder.pathOf(name);
  const current = await readProjection(path);
  if (current === undefined) return;
  if (await isRecorded(folder, name, current)) await folder.remove(path);
  else await setAside(path);
}

/** Records a file that an agent wrote as Gateline's, so that the next version replaces it: its content is stored. */
export async function acceptProjection(folder: StateFolder, name: string, bytes: Uint8Array): Promise<void> {
  await folder.writeDurably(recordPath(folder, name), [digestOf(bytes)]);
}

/** Path of the record: the digest of the last version that Gateline wrote or accepted. */
function recordPath(folder: StateFolder, name: string): string {
  return folder.pathOf('projections', name.replaceAll('/', '%'));
}

/** Undefined: no file. `null`: a link, a folder or a pipe, which cannot be Gateline's. */
async function readProjection(path: string): Promise<Uint8Array | null | undefined> {
  const file = await readPlainFile(path, Infinity);
  return file.state === 'present' ? file.bytes : file.state === 'absent' ? undefined : null;
}

async function isRecorded(folder: StateFolder, name: string, current: Uint8Array | null): Promise<boolean> {
  return current !== null && (await readFileIfPresent(recordPath(folder, name)))?.toString() === digestOf(current);
}

async function setAside(path: string): Promise<void> {
  const aside = `${path}.${new Date().toISOString().replaceAll(':', '-')}.bak`;
  await withSystemErrors(path, () => rename(path, aside));
}
