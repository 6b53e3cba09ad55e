import { join, relative } from 'node:path';
import { ATTEMPT_FILES } from '../../agent/environment.ts';
import type { Order, Ports } from '../../engine/ports.ts';
import { renderCheckpoint } from '../../report/checkpoint.ts';
import { createRunView } from '../../report/run-view.ts';
import type { RunView } from '../../report/view.ts';
import type { AttemptRef } from '../../run/entry.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { cleanFolder } from './clean.ts';
import { readCloneRun } from '../runs/clone-run.ts';
import type { Folder } from './folder.ts';
import { writeProgress } from '../learnings/memory.ts';
import { mirrorRun } from '../exchange/mirror.ts';
import { createAgentStateFiles } from '../exchange/system-files.ts';

/** The view of a run. @param run default: the newest */
export async function viewRun(folder: Folder, order: Order, run?: number): Promise<RunView> {
  const { pipeline, subject, metadata } = order;
  const [entries, isWorkedOn] = await Promise.all([folder.log.read(), folder.isWorkedOn()]);
  const { entries: history } = await folder.readHistory({ pipeline: pipeline.id, limit: 11 });
  const { root } = folder.options;
  const outputPath = (attempt: AttemptRef): string =>
    relative(root, join(folder.ports.attempts.pathOf(attempt), ATTEMPT_FILES.output));
  const { run: cloneRun } = (await readCloneRun(folder, order)) ?? {};
  const clone = cloneRun === undefined ? undefined : { run: cloneRun, path: relative(root, folder.clonePath(subject)) };
  const isAlive = () => isWorkedOn;
  return createRunView({ pipeline, subject, metadata, entries, run, clone, isAlive, history, outputPath });
}

/** The ports of a folder that, after each entry, also write the files of `mirror` and report Markdown checkpoints. */
export function mirroredPorts(folder: Folder, order: Order, checkpoints = order.pipeline.checkpoints): Ports {
  if (order.pipeline.mirror.length === 0 && !checkpoints) return folder.ports;
  const { log, observe } = folder.ports;
  const append: Ports['log']['append'] = async (...entries) => {
    const all = await log.append(...entries);
    const view = await viewRun(folder, order);
    await mirrorRun(folder, order, view);
    if (!checkpoints) return all;
    const ended = entries.flatMap((entry) => (entry.kind === 'ended' ? [entry.unit] : []));
    for (const unit of view.units)
      if (ended.includes(unit.key))
        observe({ type: 'checkpoint', unit: unit.key, text: forTerminal(renderCheckpoint(view, unit)) });
    return all;
  };
  const stateFiles = createAgentStateFiles(folder.stateFolder, order);
  return { ...folder.ports, stateFiles, log: { read: () => log.read(), append } };
}

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
    await folder.appendHistory(order);
    await writeProgress(folder, order);
  }
  await mirrorRun(folder, order, view, true);
  if (wrote && retention && (await folder.isCleanDue())) await cleanFolder(folder, retention, false);
  return view;
}
