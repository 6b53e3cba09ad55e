import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Order } from '../engine/ports.ts';
import { runPipeline, type RunResult } from '../engine/run.ts';
import { GatelineError, isSystemError } from '../errors.ts';
import { STATUS_PHRASES } from '../run/status.ts';
import { listNames } from '../verdict/texts.ts';
import { snapshotFrom, snapshotId } from '../workspace/workspace.ts';
import type { Folder } from './folder.ts';
import { mirroredPorts, viewRun } from './view-run.ts';

/** What `apply` brought into the folder. */
export interface ApplyResult {
  readonly written: readonly string[];
  /** Paths where the folder has another version than the run began with. */
  readonly left: readonly string[];
  /** Files of gates that are not done, one sentence each. */
  readonly notes: readonly string[];
}

const baseSchema = z.object({ base: z.string(), result: z.string() });

/** Runs in a clone of the folder, and saves from which snapshot to which it led. */
export async function runIsolated(
  folder: Folder,
  order: Order,
  signal: AbortSignal,
  checkpoints?: boolean,
): Promise<RunResult> {
  // Until the run has ended there is nothing to apply: the clone is not what an earlier one made of it.
  await folder.stateFolder.remove(resultPath(folder, order));
  await using clone = await folder.openClone(order);
  const base = snapshotId(await clone.git.takeSnapshot());
  const run = await runPipeline(mirroredPorts(clone, order, checkpoints), order, signal);
  const result = snapshotId(await clone.git.takeSnapshot());
  await clone.git.keep(`clone/${order.subject}/base`, snapshotFrom(base));
  await clone.git.keep(`clone/${order.subject}/result`, snapshotFrom(result));
  await clone.stateFolder.writeDurably(resultPath(clone, order), [JSON.stringify({ base, result })]);
  return run;
}

/** Brings what the last isolated run changed into the folder; other versions than those that it began with stay. */
export async function applyClone(folder: Folder, order: Order, isDry: boolean): Promise<ApplyResult> {
  const { base, result } = await readResult(folder, order);
  const changes = await folder.git.diff(snapshotFrom(base), snapshotFrom(result));
  const now = await folder.git.listFiles(await folder.git.takeSnapshot());
  const current = (path: string) => now.get(path) ?? null;
  const open = changes.filter(({ path, after }) => current(path) !== after);
  const clean = open.filter(({ path, before }) => current(path) === before);
  const left = open.filter((change) => !clean.includes(change)).map(({ path }) => path);
  const { units } = await viewRun(folder, order);
  const notes = units.flatMap(({ key, status, done, files }) => {
    const paths = files.filter((path) => open.some((change) => change.path === path));
    return done || paths.length === 0 ? [] : [`${key} ${STATUS_PHRASES[status]}: it changed ${listNames(paths, 2)}`];
  });
  if (isDry) return { written: clean.map(({ path }) => path), left, notes };
  const refused = await folder.git.put(clean);
  return {
    written: clean.map(({ path }) => path).filter((path) => !refused.includes(path)),
    left: [...left, ...refused],
    notes,
  };
}

async function readResult(folder: Folder, order: Order): Promise<z.infer<typeof baseSchema>> {
  try {
    return baseSchema.parse(JSON.parse(await readFile(resultPath(folder, order), 'utf8')));
  } catch (error) {
    if (isSystemError(error, 'ENOENT'))
      throw new GatelineError('usage', `${order.subject} has no isolated run to apply`, {
        hint: '`gateline run --isolated` makes one',
      });
    throw new GatelineError('platform', `${resultPath(folder, order)} cannot be read`, {
      hint: 'Run again with --isolated.',
      cause: error,
    });
  }
}

function resultPath(folder: Folder, { subject }: Order): string {
  const path = folder.clonePath(subject);
  // No clone has a name that begins with a dot.
  return join(dirname(path), `.${basename(path)}.json`);
}
