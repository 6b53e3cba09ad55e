import { decide, giveUpAttempts } from '../../engine/decide/decide.ts';
import type { Decider, Order, Ports } from '../../engine/ports.ts';
import { LogState } from '../../run/state.ts';
import { applyStrategy, type Strategy } from '../../engine/decide/strategy.ts';
import { hasUncommittedChanges } from '../folder/git.ts';
import type { Folder } from '../folder/folder.ts';

/** Decisions that the options of a run ask for. */
export interface Preparation {
  /** These gates run again even if nothing changed. */
  readonly force?: readonly string[];
  readonly strategy?: Strategy;
  /** Close the open run first. */
  readonly fresh?: boolean;
}

/** The default reason of these decisions: the option that asks for them. */
export function reasonOf({ strategy, force }: Preparation): string {
  if (strategy)
    return `--strategy ${typeof strategy === 'string' ? strategy : `from-checkpoint --from ${strategy.fromCheckpoint}`}`;
  return force ? '--force' : '--new';
}

/** Records decisions before a run starts. The caller holds the lock. */
export async function prepareRun(ports: Ports, order: Order, by: Decider, preparation: Preparation): Promise<void> {
  if (preparation.fresh) await giveUpAttempts(ports, order, by);
  await decideBefore(ports, order, by, preparation);
}

/** Ports for a plan: their log has the decisions too, but nothing is written. */
export async function planningPorts(ports: Ports, order: Order, by: Decider, preparation: Preparation): Promise<Ports> {
  let entries = await ports.log.read();
  const append: Ports['log']['append'] = async (...more) => (entries = [...entries, ...more]);
  const planned = { ...ports, log: { read: async () => entries, append } };
  await decideBefore(planned, order, by, preparation);
  return planned;
}

async function decideBefore(
  ports: Ports,
  order: Order,
  by: Decider,
  { fresh, force, strategy }: Preparation,
): Promise<void> {
  const { current } = new LogState(order.pipeline, order.subject, await ports.log.read());
  const isOpen = current !== undefined && current.finalStatus === undefined && current.attempts.size > 0;
  if (fresh && isOpen) await decide(ports, order, { decision: 'close' }, by);
  for (const gate of force ?? []) await decide(ports, order, { decision: 'force', unit: gate }, by);
  if (strategy) await applyStrategy(ports, order, strategy, by);
}

/** Reports, before the first run in a folder with uncommitted changes, which files gates may change. */
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
