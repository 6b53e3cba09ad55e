import { rename } from 'node:fs/promises';
import { digestOf } from '../../json/digest.ts';
import { readFileIfPresent, withSystemErrors, type StateFolder } from './state-folder.ts';

/**
 * Writes a file of `.state/` that shows what is in the log, for people and other programs. What is there and is not
 * what Gateline last wrote (its digest is in `.state/projections/`) is set aside first, as `<name>.<time>.bak`.
 * @param text `null`: ours is removed, and any other stays
 */
export async function writeProjection(folder: StateFolder, name: string, text: string | null): Promise<void> {
  const path = folder.pathOf(name);
  const record = folder.pathOf('projections', name.replaceAll('/', '%'));
  const current = await readFileIfPresent(path);
  const isOurs = current !== undefined && (await readFileIfPresent(record))?.toString() === digestOf(current);
  if (text === null) {
    if (isOurs) await folder.remove(path);
    return;
  }
  if (current?.toString() === text) return;
  const aside = `${path}.${new Date().toISOString().replaceAll(':', '-')}.bak`;
  if (current !== undefined && !isOurs) await withSystemErrors(path, () => rename(path, aside));
  await folder.writeDurably(record, [digestOf(text)]);
  await folder.writeDurably(path, [text]);
}
