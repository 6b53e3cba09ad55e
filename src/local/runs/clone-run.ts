import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Order } from '../../engine/ports.ts';
import { GatelineError } from '../../errors.ts';
import type { FileChange } from '../../run/files.ts';
import { readFileIfPresent } from '../../store/files/state-folder.ts';
import { snapshotFrom } from '../../workspace/workspace.ts';
import type { Folder } from '../folder/folder.ts';

/** The snapshots of an isolated run. */
const cloneRunSchema = z.object({
  /** Number of the run. Absent: its files were applied, or the run was continued in the folder. */
  run: z.number().optional(),
  /** Id of the snapshot that it began with. */
  base: z.string(),
  /** Id of the snapshot that it ended with. Absent: the call has not ended, or was killed. */
  result: z.string().optional(),
  /** Paths that left the snapshot because git ignores them now. Only the clone can tell them from deletions. */
  ignored: z.array(z.string()).default([]),
  /** Commit of `gateline/<subject>` with its files. */
  delivered: z.string().optional(),
});
export type CloneRun = z.infer<typeof cloneRunSchema>;

/** The last isolated run of a subject. @throws GatelineError `platform` if the file is damaged */
export async function readCloneRun(folder: Folder, order: Order): Promise<CloneRun | undefined> {
  const path = pathOf(folder, order);
  const bytes = await readFileIfPresent(path);
  try {
    return bytes && cloneRunSchema.parse(JSON.parse(String(bytes)));
  } catch (cause) {
    throw new GatelineError('platform', `${path} is damaged`, { hint: 'Remove it; run again with --isolated.', cause });
  }
}

export async function saveCloneRun(
  folder: Folder,
  order: Order,
  cloneRun: z.input<typeof cloneRunSchema>,
): Promise<void> {
  await folder.stateFolder.writeDurably(pathOf(folder, order), [JSON.stringify(cloneRun)]);
}

/** What an isolated run that has ended changed. */
export async function changesOf({ git }: Folder, { base, result, ignored }: CloneRun): Promise<readonly FileChange[]> {
  const changes = await git.diff(snapshotFrom(base), snapshotFrom(result!));
  return changes.flatMap(({ path, before, after }) => (ignored.includes(path) ? [] : [{ path, before, after }]));
}

/** Detaches a run from its clone: its files are in the folder now, and only `apply` still uses the clone. */
export async function leaveClone(folder: Folder, order: Order): Promise<void> {
  const cloneRun = await readCloneRun(folder, order);
  if (cloneRun?.run !== undefined) await saveCloneRun(folder, order, { ...cloneRun, run: undefined });
}

function pathOf(folder: Folder, { subject }: Order): string {
  const path = folder.clonePath(subject);
  // No clone has a name that begins with a dot.
  return join(dirname(path), `.${basename(path)}.json`);
}
