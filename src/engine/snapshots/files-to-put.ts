import { GatelineError, isDiskFull } from '../../errors/gateline-error.ts';
import { firstNames } from '../../errors/first-names.ts';
import { inParallel } from '../../in-parallel.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { sameFile, type Tree, type TreeFile } from '../../run/files/tree.ts';
import type { Put, WantedFile } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';
import { copierOf } from '../call/content.ts';
import { putReason, wantedBefore } from './wanted-files.ts';

/** The files that a rollback restores, and what that changes. */
export interface FilesToPut {
  /** The change to the user's folder, as `git diff` prints it. */
  readonly patch: string;
  readonly puts: readonly Put[];
  /** Files that were applied and committed since. The commits stay as they are. */
  readonly committed: readonly { readonly path: string; readonly commit: string | null }[];
  readonly wanted: readonly WantedFile[];
  /** Paths that cannot be overwritten, with or without force. */
  readonly stuck: ReadonlySet<string>;
}

/**
 * The files to restore, and what that changes. Writes nothing.
 * @param kept units whose work stays
 * @param how.saved as for `rollback`
 * @param how.force overwrite paths that were changed since
 * @throws GatelineError `SNAPSHOT_GONE`, `STORE_READ_FAILED`
 */
export async function filesToPut(
  call: Call,
  kept: ReadonlySet<UnitKey>,
  { saved, force = false }: { readonly saved: string; readonly force?: boolean },
): Promise<FilesToPut> {
  const { workspace } = call.ports;
  const {
    wanted: before,
    unsure,
    origins,
  } = await wantedBefore(call, kept, saved).catch((error: unknown) => asGone(error));
  if (before.length === 0) return { wanted: [], patch: '', puts: [], committed: [], stuck: new Set() };
  const { tree } = await call.snapshot();
  const paths = before.map(({ path }) => path);
  const now = await workspace.currentFiles(tree, paths);
  const forced = before.map((one) => ({ ...one, over: [now.get(one.path) ?? null] }));
  const wanted = force ? forced : before;
  const how = { saved, dryRun: true, copy: copierOf(call), reason: putReason(call, 'rollback') };
  const planned = await workspace.put(wanted, tree, how);
  const left = planned.puts.some(isConflict) && !force ? await workspace.put(forced, tree, how) : planned;
  const puts = planned.puts.map((put): Put => {
    const unit = force || !isChange(put.action) ? undefined : unsure.get(put.path);
    return unit === undefined ? put : { path: put.path, action: 'conflict', why: perhapsYours(unit) };
  });
  const changing = new Set(planned.puts.filter(({ action }) => isChange(action)).map(({ path }) => path));
  const changes = wanted.filter(({ path }) => changing.has(path));
  const patch = await patchOf(call, changes).catch(async (error: unknown) =>
    asGone(error, await goneAmong(call, changes)),
  );
  const stuck = new Set(left.puts.filter(isConflict).map(({ path }) => path));
  return { wanted, puts, patch, committed: await committedOf(call, changes, now, origins), stuck };
}

function perhapsYours(unit: UnitKey): string {
  return `it changed while the agent of ${unit} worked by itself in your folder, so the change may be yours`;
}

function isConflict({ action }: Put): boolean {
  return action === 'conflict';
}

function isChange(action: Put['action']): boolean {
  return action === 'written' || action === 'deleted';
}

/** The change to the user's folder. */
async function patchOf(call: Call, changes: readonly WantedFile[]): Promise<string> {
  const { workspace } = call.ports;
  const { tree } = await call.snapshot();
  return workspace.patch(tree, await workspace.build(tree, changes, copierOf(call)));
}

/** The paths whose versions are not stored: git names only ids. */
async function goneAmong(call: Call, changes: readonly WantedFile[]): Promise<string[]> {
  const gone: string[] = [];
  for (const change of changes)
    await patchOf(call, [change]).catch((error: unknown) => {
      if (!isGone(error)) throw error;
      gone.push(change.path);
    });
  return gone;
}

/** A full disk says nothing about what is stored. */
function isGone(error: unknown): error is GatelineError {
  if (!(error instanceof GatelineError) || isDiskFull(error)) return false;
  return error.code === 'GIT_FAILED' || error.code === 'CONTENT_MISSING';
}

/** A version that a record names may no longer be stored. @param paths those that it is about, if that is known */
export function asGone(cause: unknown, paths: readonly string[] = []): never {
  if (!isGone(cause)) throw cause;
  const which = paths.length === 0 ? 'a file that would be restored' : firstNames([...paths], 20);
  throw new GatelineError('SNAPSHOT_GONE', `a version of ${which} is not kept: ${cause.message}`, { cause });
}

/**
 * The files that are in the checked out commit as gates left them, with the commit that brought them there. What the
 * commit has as it was before the gates is not theirs.
 */
async function committedOf(
  { ports: { workspace } }: Call,
  changes: readonly WantedFile[],
  now: Tree,
  origins: ReadonlyMap<string, TreeFile | null>,
): Promise<FilesToPut['committed']> {
  const found: { path: string; commit: string | null }[] = [];
  await inParallel(8, changes, async ({ path, after }) => {
    const inCommit = await workspace.committed(path);
    if (inCommit === undefined || sameFile(inCommit, origins.get(path) ?? null)) return;
    const isTheirs = sameFile(inCommit, now.get(path) ?? null) && !sameFile(inCommit, after);
    if (isTheirs) found.push({ path, commit: (await workspace.lastCommit(path)) ?? null });
  });
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Refuses a rollback that could not restore every path. @throws GatelineError `ROLLBACK_CONFLICT` */
export function refuseConflicts(puts: readonly Put[], force: boolean, stuck: ReadonlySet<string>): void {
  const conflicts = puts.filter(isConflict);
  if (conflicts.length === 0) return;
  const list = firstNames(
    conflicts.map(({ path, why }) => `${path}: ${why}`),
    20,
  );
  throw new GatelineError(
    'ROLLBACK_CONFLICT',
    `not known to be as a snapshot had it, or as gates left it: ${list}`,
    stuckHint(force, stuck),
  );
}

function stuckHint(force: boolean, stuck: ReadonlySet<string>): { hint?: string } {
  if (force) return { hint: 'Move these paths away: they cannot be overwritten.' };
  // Without this, the catalogue's remedy says that `--force` overwrites them.
  if (stuck.size === 0) return {};
  return { hint: `Move these away first, they cannot be overwritten: ${firstNames([...stuck], 20)}.` };
}
