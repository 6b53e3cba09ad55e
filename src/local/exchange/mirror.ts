import { join, relative } from 'node:path';
import type { Order } from '../../engine/ports.ts';
import { GatelineError, messageOf } from '../../errors.ts';
import type { Source, WrittenFiles } from '../../formats/format.ts';
import { stateGuide } from '../../formats/state-guide/state-guide.ts';
import type { RunView } from '../../report/view.ts';
import { writeProjection } from '../../store/files/projections.ts';
import { isBehindFile } from '../../workspace/paths.ts';
import type { Folder } from '../folder/folder.ts';
import { FORMATS } from './formats.ts';
import { mirrorGuide, outputValues } from './system-files.ts';
import { readDocuments } from '../learnings/memory.ts';

/**
 * Writes the files of the systems that `mirror` names. A failure to write is only a notice.
 * @param isOver the call has ended: files about earlier runs are written too
 */
export async function mirrorRun(folder: Folder, order: Order, view: RunView, isOver = false): Promise<void> {
  const { mirror } = order.pipeline;
  if (mirror.includes(stateGuide.name)) await mirrorGuide(folder, view);
  const formats = mirror.flatMap((name) => (name === stateGuide.name ? [] : (FORMATS[name] ?? [])));
  if (formats.length === 0) return;
  const source = await sourceOf(folder, order, view, isOver ? undefined : view.history);
  for (const format of formats) {
    const files = { ...format.write(source), ...(isOver && format.writeHistory?.(source)) };
    await writeFiles(folder, format.name, join(folder.options.root, format.folder), files).catch((error: unknown) =>
      folder.options.observe({
        type: 'notice',
        message: `the files of ${format.name} are not renewed: ${messageOf(error)}`,
      }),
    );
  }
}

/**
 * Writes a run as the files of another system. Existing files that Gateline did not write are set aside.
 * @param target absolute folder. Default: the system's own
 * @returns the paths, relative to the workspace
 */
export async function exportRun(
  folder: Folder,
  order: Order,
  view: RunView,
  system: string,
  { target, isDry = false }: { readonly target?: string; readonly isDry?: boolean } = {},
): Promise<readonly string[]> {
  const format = FORMATS[system]!;
  const source = await sourceOf(folder, order, view);
  const files = { ...format.write(source), ...format.writeHistory?.(source) };
  return writeFiles(folder, system, target ?? join(folder.options.root, format.folder), files, isDry);
}

/**
 * Writes files of a system. Existing files that Gateline did not write are set aside.
 * @param root absolute folder @param isDry only returns the paths
 * @returns the paths, relative to the workspace
 * @throws GatelineError `usage` if one lies behind a link
 */
export async function writeFiles(
  { stateFolder, options }: Folder,
  system: string,
  root: string,
  files: WrittenFiles,
  isDry = false,
): Promise<readonly string[]> {
  const isState = relative(options.root, root) === '.state';
  const paths: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = relative(options.root, join(root, name)).replaceAll('\\', '/');
    // An agent may have made the folder a link to somewhere else.
    if (!path.startsWith('..') && isBehindFile(options.root, path))
      throw new GatelineError('usage', `${path} lies behind a link`, { hint: '`--output` names another folder.' });
    if (!isDry)
      await writeProjection(stateFolder, name, text, isState ? undefined : { root, name: `${system}/${name}` });
    if (text !== null) paths.push(path);
  }
  return paths;
}

async function sourceOf(folder: Folder, order: Order, view: RunView, history?: Source['history']): Promise<Source> {
  const runs = history ?? (await folder.readHistory()).entries;
  return {
    view,
    values: await outputValues(folder.contents, view),
    history: runs,
    documents: await readDocuments(folder, order),
  };
}
