import { resolve } from 'node:path';
import { completeHistory } from '../../engine/call/keep-history.ts';
import { rebuildHistory } from '../../engine/history/rebuild-history.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { HISTORY_BRANCH } from '../../history/branch.ts';
import type { HistorySource } from '../../history/query.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { historyIn, lockWorkspace } from '../../local/local-ports.ts';
import { readHistoryBranch, readHistoryFile } from '../../local/history-source.ts';
import { count } from '../../report/text.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { noticesTo, say } from '../output/say.ts';
import { loadFor, open } from '../project/open.ts';

/** Where `--from` reads. */
export interface OpenedHistory {
  readonly source: HistorySource;
  /** The definition, where the history of its workspace is read. */
  readonly loaded: LoadedPipeline | undefined;
}

/** Special values of `--from`; any other value is the name of a file. */
const BRANCH = /^branch(?::(?=[^-])([^\s:]{1,200}))?$/;

/**
 * The history that `--from` names: that of this workspace, that of a branch, or a file. In a workspace, runs that
 * killed commands left without an entry get it first, unless another command is working.
 * @throws GatelineError `PIPELINE_MISSING`, `STORE_READ_FAILED`, `INPUT_INVALID`, `REPOSITORY_MISSING`
 */
export async function openHistory(invocation: CommandInvocation): Promise<OpenedHistory> {
  const from = textOption(invocation.options, 'from') ?? 'local';
  const { workingDirectory, environment } = invocation.world;
  const branch = BRANCH.exec(from);
  if (branch !== null) {
    const source = await readHistoryBranch(workingDirectory, branch[1] ?? HISTORY_BRANCH, environment);
    return { source, loaded: await definitionIfAny(invocation) };
  }
  if (from !== 'local') return { source: await readHistoryFile(resolve(workingDirectory, from)), loaded: undefined };
  const loaded = await loadFor(invocation);
  if (invocation.options['rebuild'] === true) await rebuild(invocation, loaded);
  const source = historyIn(loaded);
  if ((await source.open()).length > 0) await complete(invocation, loaded);
  return { source, loaded };
}

/** The days of a branch are those of the definition, if there is one. */
async function definitionIfAny(invocation: CommandInvocation): Promise<LoadedPipeline | undefined> {
  try {
    return await loadFor(invocation);
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'PIPELINE_MISSING') return undefined;
    throw error;
  }
}

async function complete(invocation: CommandInvocation, loaded: LoadedPipeline): Promise<void> {
  const { world } = invocation;
  try {
    await using _lock = await lockWorkspace(loaded.root, world);
    const { ports } = await open({ ...invocation, options: {} }, loaded, { readOnly: false });
    await completeHistory(ports, loaded, noticesTo(world));
  } catch (error) {
    // Another command is working, or nothing can be written here: what is there is shown.
    if (!(error instanceof GatelineError) || !['ENGINE_BUSY', 'STORE_WRITE_FAILED'].includes(error.code)) throw error;
  }
}

/** Another command that is working is an error here: it would write to the files that are replaced. */
async function rebuild(invocation: CommandInvocation, loaded: LoadedPipeline): Promise<void> {
  const { world } = invocation;
  await using _lock = await lockWorkspace(loaded.root, world);
  const { ports } = await open({ ...invocation, options: {} }, loaded, { readOnly: false });
  const { recomputed, kept } = await rebuildHistory(ports, loaded);
  say(world.err, `note: ${count(recomputed, 'run')} from records, ${kept} kept as they were`);
}
