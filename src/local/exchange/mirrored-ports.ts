import type { Order, Ports } from '../../engine/ports.ts';
import { renderCheckpoint } from '../../report/checkpoint.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { Folder } from '../folder/folder.ts';
import { viewRun } from '../folder/view-run.ts';
import { mirrorRun } from './mirror.ts';
import { createAgentStateFiles } from './system-files.ts';

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
