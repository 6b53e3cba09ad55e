import type { Order } from '../../engine/ports.ts';
import type { RunView } from '../../report/view.ts';
import { mirrorRun } from '../exchange/mirror.ts';
import { cleanFolder } from '../folder/clean.ts';
import type { Folder } from '../folder/folder.ts';
import { viewRun } from '../folder/view-run.ts';
import { writeProgress } from '../learnings/memory.ts';

/**
 * Ends a call: writes the history and the files of other systems, and removes old runs. Also for a call that wrote
 * nothing, because the one before it may have been killed before this.
 */
export async function endCall(folder: Folder, order: Order, wrote: boolean): Promise<RunView> {
  const view = await viewRun(folder, order);
  const { id, retention } = order.pipeline;
  const { entries } = await folder.readHistory({ pipeline: id, subject: order.subject, limit: 1 });
  const isCurrent = entries[0]?.run === view.run && entries[0].status === view.status;
  if (wrote || !isCurrent) {
    await folder.appendHistory(order, entries[0]);
    await writeProgress(folder, order);
  }
  await mirrorRun(folder, order, view, true);
  if (wrote && retention && (await folder.isCleanDue())) await cleanFolder(folder, retention, false);
  return view;
}
