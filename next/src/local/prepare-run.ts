import { decide, giveUpAttempts, type Decider } from '../engine/decide.ts';
import type { Order } from '../engine/ports.ts';
import { applyStrategy, type Strategy } from '../engine/strategy.ts';
import { hasUncommittedChanges } from './git.ts';
import type { Folder } from './folder.ts';
import { viewRun } from './view-run.ts';

/** What is decided before a run starts. */
export interface Preparation {
  /** These gates run again even if nothing changed. */
  readonly force?: readonly string[];
  readonly strategy?: Strategy;
  /** Closes the open run first. */
  readonly fresh?: boolean;
}

/** The option that made a decision: its reason, if nobody gives another one. */
export function reasonOf({ strategy, force }: Preparation): string {
  if (strategy)
    return `--strategy ${typeof strategy === 'string' ? strategy : `from-checkpoint --from ${strategy.fromCheckpoint}`}`;
  return force ? '--force' : '--new';
}

export async function prepareRun(
  folder: Folder,
  order: Order,
  { fresh, force, strategy }: Preparation,
  by: Decider,
): Promise<void> {
  if (fresh) await closeOpenRun(folder, order, by);
  for (const gate of force ?? []) await decide(folder.ports, order, { decision: 'force', unit: gate }, by);
  if (strategy) await applyStrategy(folder.ports, order, strategy, by);
}

async function closeOpenRun(folder: Folder, order: Order, by: Decider): Promise<void> {
  await giveUpAttempts(folder.ports, order, by);
  const { status } = await viewRun(folder, order);
  if (!['completed', 'closed', 'initializing'].includes(status))
    await decide(folder.ports, order, { decision: 'close' }, by);
}

/** Before the first run in a folder with uncommitted work: which files gates may change. */
export async function reportUncommittedChanges(folder: Folder, { pipeline }: Order): Promise<void> {
  const editors = pipeline.gates.filter(({ files }) => files !== undefined);
  if (editors.length === 0 || (await folder.log.read()).length > 0) return;
  const { root, environment, observe } = folder.options;
  if (!(await hasUncommittedChanges(root, environment))) return;
  const globs = editors.map(({ id, files }) => `${files === 'changed' ? 'any file' : files!.join(', ')} by ${id}`);
  observe({
    type: 'notice',
    message: `this folder has changes that are not committed, and gates may change files in it: ${globs.join('; ')}`,
    hint: 'commit first to tell them apart, or use --isolated; `gateline rollback --all` undoes what gates did',
  });
}
