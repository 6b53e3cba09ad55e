import type { Order } from '../../engine/ports.ts';
import { recoverFolder } from '../../engine/attempt/recover.ts';
import { runPipeline, type RunResult } from '../../engine/run.ts';
import { GatelineError } from '../../errors.ts';
import type { FileChange } from '../../run/files.ts';
import { LogState } from '../../run/state.ts';
import { STATUS_PHRASES } from '../../run/status.ts';
import { listNames } from '../../verdict/texts.ts';
import { snapshotFrom, snapshotId, type Workspace } from '../../workspace/workspace.ts';
import { changesOf, type CloneRun, leaveClone, readCloneRun, saveCloneRun } from './clone-run.ts';
import type { Folder } from '../folder/folder.ts';
import { mirroredPorts } from '../exchange/mirrored-ports.ts';
import { viewRun } from '../folder/view-run.ts';

/** How `apply` changed the folder. */
export interface ApplyResult {
  readonly written: readonly string[];
  /** Paths that were not written, because the folder has another version than the run began with. */
  readonly left: readonly string[];
  /** Gates that are not done and whose files were applied, one sentence each. */
  readonly notes: readonly string[];
}

/** Runs in a clone of the folder, and saves the snapshots before and after, for `apply`. */
export async function runIsolated(
  folder: Folder,
  order: Order,
  signal: AbortSignal,
  checkpoints?: boolean,
): Promise<RunResult> {
  // First, because a killed agent may still change files that the clone gets.
  await recoverFolder(mirroredPorts(folder, order, checkpoints), order);
  await using clone = await folder.openClone(order);
  const base = snapshotId(await clone.git.takeSnapshot());
  const { runNumber } = new LogState(order.pipeline, order.subject, await folder.log.read());
  // Without `result`: until the run has ended there is nothing to apply.
  const { delivered } = (await readCloneRun(folder, order)) ?? {};
  await saveCloneRun(folder, order, { run: runNumber, base, delivered });
  const run = await runPipeline(mirroredPorts(clone, order, checkpoints), { ...order, isIsolated: true }, signal);
  const result = snapshotId(await clone.git.takeSnapshot());
  const changes = await clone.git.diff(snapshotFrom(base), snapshotFrom(result));
  const ignored = changes.filter((change) => change.ignored).map(({ path }) => path);
  await clone.git.keep(`clone/${order.subject}/base`, snapshotFrom(base));
  await clone.git.keep(`clone/${order.subject}/result`, snapshotFrom(result));
  const isDone = run.status === 'completed' || run.status === 'nothing';
  // A run that changed no file has nothing to apply.
  const unapplied = isDone && base === result ? undefined : run.run;
  await saveCloneRun(folder, order, { run: unapplied, base, result, ignored, delivered });
  return run;
}

/** Before an isolated run: what a loop made of its own files stands in the folder only after `apply`. */
export async function warnAboutUnapplied(folder: Folder, order: Order): Promise<void> {
  const hasLoop = order.pipeline.gates.some(({ onFail }) => onFail);
  if (!hasLoop || (await readCloneRun(folder, order))?.run === undefined) return;
  folder.ports.observe({
    type: 'notice',
    message:
      'the last isolated run was not applied: gates begin with the files of this folder, and loops may run again',
    hint: '`gateline apply` brings its files here first',
  });
}

/** Writes the files that the last isolated run changed into the folder, unless they differ from those that it began with. */
export async function applyClone(folder: Folder, order: Order, isDry: boolean): Promise<ApplyResult> {
  const changes = await changesOf(folder, await readResult(folder, order));
  // First, so that a killed agent's changes of the folder are not mixed with these.
  if (!isDry) await recoverFolder(folder.ports, order);
  const { open, written, left } = await applyChanges(folder.git, changes, isDry);
  const { units } = await viewRun(folder, order);
  const notes = units.flatMap(({ key, status, done, files }) => {
    const paths = files.filter((path) => open.includes(path));
    return done || paths.length === 0 ? [] : [`${key} ${STATUS_PHRASES[status]}: it changed ${listNames(paths, 2)}`];
  });
  if (!isDry) await leaveClone(folder, order);
  // Names of files may hold secrets.
  const redact = (paths: readonly string[]) => paths.map((path) => order.redactor.text(path));
  return { written: redact(written), left: redact(left), notes };
}

/** Writes changes into a folder, where it has the version before. */
export async function applyChanges(workspace: Workspace, changes: readonly FileChange[], isDry = false) {
  const now = await workspace.listFiles(await workspace.takeSnapshot());
  const current = (path: string) => now.get(path) ?? null;
  const open = changes.filter(({ path, after }) => current(path) !== after);
  const clean = open.filter(({ path, before }) => current(path) === before);
  const refused = isDry ? [] : await workspace.put(clean);
  const paths = open.map(({ path }) => path);
  const written = clean.map(({ path }) => path).filter((path) => !refused.includes(path));
  return { open: paths, written, left: paths.filter((path) => !written.includes(path)) };
}

/** @throws GatelineError `usage` if there is nothing to apply */
async function readResult(folder: Folder, order: Order): Promise<CloneRun> {
  const cloneRun = await readCloneRun(folder, order);
  if (cloneRun?.result !== undefined) return cloneRun;
  const base = cloneRun?.base;
  const state = base === undefined ? 'has no isolated run to apply' : 'has an isolated run that did not end';
  throw new GatelineError('usage', `${order.subject} ${state}`, {
    hint: `\`gateline run --isolated\` ${base === undefined ? 'makes one' : 'continues it'}`,
  });
}
