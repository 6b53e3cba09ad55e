import { rename } from 'node:fs/promises';
import { digestOf } from '../../json/digest.ts';
import { readPlainFile } from './attempts.ts';
import { readFileIfPresent, withSystemErrors, type StateFolder } from './state-folder.ts';

/**
 * Writes a file of `.state/` that shows what is in the log, for people and other programs. What is there and is not
 * ours is set aside first, as `<name>.<time>.bak`.
 * @param text `null`: ours is removed, and any other stays
 */
export async function writeProjection(folder: StateFolder, name: string, text: string | null): Promise<void> {
  const path = folder.pathOf(name);
  const current = await readProjection(path);
  const isOurs = current !== undefined && (await isRecorded(folder, name, current));
  if (text === null) {
    if (isOurs) await folder.remove(path);
    return;
  }
  if (current && Buffer.from(current).toString() === text) return;
  if (current !== undefined && !isOurs) await setAside(path);
  await folder.writeDurably(recordOf(folder, name), [digestOf(text)]);
  await folder.writeDurably(path, [text]);
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
