import { GatelineError } from '../errors/gateline-error.ts';
import { firstNames } from '../errors/first-names.ts';
import { inParallel } from '../in-parallel.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { sameFile, type Tree, type TreeFile } from '../run/files/tree.ts';
import { unitOf } from '../run/records/record.ts';
import { unitsNamed } from '../run/records/named-units.ts';
import { ancestorsOf } from '../run/records/unit.ts';
import type { Put, PutResult, WantedFile } from '../workspace/workspace.ts';
import { putReason } from './apply.ts';
import { recordDecision, recordRunDecision, type Decider } from './attempt/record-decision.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { keepHistory, noteRun } from './call/keep-history.ts';
import { listKnown } from './call/later-records.ts';
import { copierOf } from './call/content.ts';
import type { EnginePorts } from './ports.ts';
import { withRestorable } from './snapshots/restorable.ts';
import { databaseBefore, restoreDatabase, type DatabaseChange } from './snapshots/restore-database.ts';
import { inPlaceOf, wantedBefore } from './snapshots/wanted-files.ts';

/** How far a run is rolled back, and by whom. */
export interface RollbackOptions extends Decider {
  /** The gate, or gate/leg, whose snapshot is restored. Default: the state before the run's first gate. */
  readonly to?: string;
  /** Absolute path of a folder: replaced files are copied there. Beside it are the folders of earlier `apply` calls. */
  readonly saved: string;
  /** Only report what would be done. */
  readonly dryRun?: boolean;
  /** Also overwrite paths that were changed since gates left them. */
  readonly force?: boolean;
  /** Gets what will change, before anything does. */
  readonly preview?: (plan: RollbackPlan) => void;
}

/** What a rollback changes. */
export interface RollbackPlan {
  readonly runNumber: number;
  /** Gates whose outputs no longer count. */
  readonly gates: readonly UnitKey[];
  /** The change to the user's folder, as `git diff` prints it. */
  readonly patch: string;
  readonly puts: readonly Put[];
  /** Files that were applied and committed since. The commits stay as they are. */
  readonly committed: readonly { readonly path: string; readonly commit: string | null }[];
  readonly database: DatabaseChange['what'];
}

/** The result of {@link rollback}. */
export interface RolledBack extends Omit<RollbackPlan, 'puts'>, PutResult {}

/**
 * Rolls the subject's newest run back: files and database as a gate left them, or as the run found them, and the gates
 * that come after run again. Repeating the call completes an interrupted one. Commits, branches and the index stay as
 * they are. The caller holds the workspace's lock.
 * @throws GatelineError `RUN_NOT_OPEN`, `GATE_UNKNOWN`, `ROLLBACK_NOT_DONE`, `ROLLBACK_CONFLICT`, `SNAPSHOT_GONE`,
 *   `DATABASE_FAILED`, `CLAIM_IN_PLACE`, `APPLY_FAILED`, `STORE_READ_FAILED`, `RECORD_TOO_NEW`
 */
export async function rollback(
  ports: EnginePorts,
  assignment: Assignment,
  options: RollbackOptions,
): Promise<RolledBack> {
  const listing = await listKnown(ports, assignment);
  // A command that restores the database may have outlived its engine.
  await ports.agent.endLeftovers(ports.attempts.root);
  const call = await openCall(ports, assignment, () => undefined, { runNumber: 0, alone: true, listing });
  try {
    return await rollBack(call, options);
  } catch (error) {
    throw await withRestorable(call, error);
  }
}

async function rollBack(call: Call, options: RollbackOptions): Promise<RolledBack> {
  const { to, saved, dryRun = false, force = false } = options;
  const kept = keptUnits(call, to);
  await call.ports.workspace.requireFolder();
  const files = await filesToPut(call, kept, options);
  const database = databaseBefore(call, kept);
  const plan: RollbackPlan = {
    runNumber: call.journal.state().runNumber,
    gates: [...call.graph.keys()].filter((key) => !kept.has(key) && hasHappened(call, key)),
    patch: files.patch,
    puts: files.puts,
    committed: files.committed,
    database: database.what,
  };
  options.preview?.(plan);
  refuseUnrecorded(call, kept, force);
  if (files.wanted.length === 0 && !force) await refuseUnlisted(call, kept);
  if (dryRun) return plan;
  refuseConflicts(files.puts, force, files.stuck);
  await noteRun(call);
  await restoreDatabase(call, database);
  const put = await putBack(call, files.wanted, saved);
  await recordRollback(call, plan.gates, options);
  await keepHistory(call);
  return { ...plan, ...put };
}

/** The gates that a rollback keeps: the named one, and what it needs. */
function keptUnits(call: Call, to: string | undefined): ReadonlySet<UnitKey> {
  const { runNumber, subject, units, decided, status } = call.journal.state();
  if (runNumber === 0) throw new GatelineError('RUN_NOT_OPEN', `nothing to roll back: there is no run of ${subject}`);
  if (to === undefined) return new Set();
  if (decided.closed !== undefined || status === 'rollback')
    throw new GatelineError('RUN_NOT_OPEN', `run ${runNumber} of ${subject} is over`, {
      hint: '`gateline rollback --all` undoes what it left in your folder.',
    });
  const named = unitsNamed(call.graph, [to]).map(({ key }) => key);
  const open = named.find((key) => !units.get(key)!.done);
  if (open !== undefined) {
    const done = [...units.values()].filter((unit) => unit.done).map(({ key }) => key);
    const message = `gate ${open} has no snapshot in run ${runNumber}: it is ${units.get(open)!.status}`;
    const hint = done.length === 0 ? '`gateline rollback --all` goes back to the start.' : `Done: ${done.join(', ')}.`;
    throw new GatelineError('ROLLBACK_NOT_DONE', message, { hint });
  }
  return new Set(named.flatMap((key) => [key, ...ancestorsOf(call.graph, key)]));
}

function hasHappened({ journal }: Call, key: UnitKey): boolean {
  const { started, ended, decided } = journal.state().units.get(key)!;
  return started !== undefined || ended !== undefined || decided !== undefined;
}

interface FilesToPut extends Pick<RollbackPlan, 'patch' | 'puts' | 'committed'> {
  readonly wanted: readonly WantedFile[];
  /** Paths that cannot be overwritten, with or without force. */
  readonly stuck: ReadonlySet<string>;
}

/** The files to restore, and what that changes. */
async function filesToPut(
  call: Call,
  kept: ReadonlySet<UnitKey>,
  { saved, force = false }: RollbackOptions,
): Promise<FilesToPut> {
  const { workspace } = call.ports;
  const { wanted: before, unsure, origins } = await wantedBefore(call, kept, saved).catch(asGone);
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
  const next = await workspace.build(tree, changes, copierOf(call)).catch(asGone);
  const patch = await workspace.patch(tree, next).catch(asGone);
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

/** A version that a record names may no longer be stored. */
function asGone(cause: unknown): never {
  if (!(cause instanceof GatelineError) || !['GIT_FAILED', 'CONTENT_MISSING'].includes(cause.code)) throw cause;
  throw new GatelineError('SNAPSHOT_GONE', `a version of a file that would be restored is not kept: ${cause.message}`, {
    cause,
  });
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
): Promise<RollbackPlan['committed']> {
  const found: { path: string; commit: string | null }[] = [];
  await inParallel(8, changes, async ({ path, after }) => {
    const inCommit = await workspace.committed(path);
    if (inCommit === undefined || sameFile(inCommit, origins.get(path) ?? null)) return;
    const isTheirs = sameFile(inCommit, now.get(path) ?? null) && !sameFile(inCommit, after);
    if (isTheirs) found.push({ path, commit: (await workspace.lastCommit(path)) ?? null });
  });
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * An attempt in the user's folder that left no record of its changes: it is unknown what it changed.
 * @throws GatelineError `ROLLBACK_CONFLICT`
 */
function refuseUnrecorded(call: Call, kept: ReadonlySet<UnitKey>, force: boolean): void {
  const unknown = inPlaceOf(call, kept).filter(({ ended }) => ended?.snapshot === undefined);
  if (unknown.length === 0 || force) return;
  const gates = firstNames([...new Set(unknown.map(({ claim }) => unitOf(claim)))], 10);
  throw new GatelineError('ROLLBACK_CONFLICT', `no record says what these gates changed in your folder: ${gates}`, {
    hint: 'Undo their changes yourself (`git diff` shows those of tracked files), then add `--force`.',
  });
}

/**
 * The list of what `apply` put into the folder may be gone: then files are as gates left them, and not as the run found
 * them.
 * @throws GatelineError `ROLLBACK_CONFLICT`
 */
async function refuseUnlisted(call: Call, kept: ReadonlySet<UnitKey>): Promise<void> {
  const { graph, journal, ports } = call;
  const now = await ports.workspace.files((await call.snapshot()).tree);
  const unlisted = new Set<string>();
  for (const key of graph.keys()) {
    const { started, ended } = journal.state().units.get(key)!;
    const base = ended?.base ?? started?.base;
    if (kept.has(key) || base === undefined) continue;
    const found = await ports.workspace.files(base).catch(asGone);
    for (const { path, after } of ended?.files ?? []) {
      const is = now.get(path) ?? null;
      if (sameFile(is, after) && !sameFile(is, found.get(path) ?? null)) unlisted.add(path);
    }
  }
  if (unlisted.size === 0) return;
  const list = firstNames([...unlisted], 20);
  throw new GatelineError(
    'ROLLBACK_CONFLICT',
    `as gates left them, but no list below .state/applied names them: ${list}`,
    {
      hint: 'Restore these files yourself if you want them back as they were. Then add `--force`, which leaves them alone.',
    },
  );
}

/** @throws GatelineError `ROLLBACK_CONFLICT` */
function refuseConflicts(puts: readonly Put[], force: boolean, stuck: ReadonlySet<string>): void {
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
  if (stuck.size === 0) return {};
  return { hint: `Move these away first, they cannot be overwritten: ${firstNames([...stuck], 20)}.` };
}

async function putBack(call: Call, wanted: readonly WantedFile[], saved: string): Promise<PutResult> {
  if (wanted.length === 0) return { puts: [] };
  const { tree } = await call.snapshot();
  const reason = putReason(call, 'rollback');
  const put = await call.ports.workspace.put(wanted, tree, { saved, dryRun: false, copy: copierOf(call), reason });
  call.forgetSnapshot();
  refuseConflicts(put.puts, true, new Set());
  return put;
}

/**
 * Last, so that an interrupted rollback can be repeated. With a gate to continue from, the run is paused; without, it
 * is over.
 */
async function recordRollback(
  call: Call,
  gates: readonly UnitKey[],
  { to, actor, reason }: RollbackOptions,
): Promise<void> {
  const by = { actor, reason };
  const runAttempt = call.journal.state().runAttempt + 1;
  for (const key of gates)
    await recordDecision(
      call,
      call.graph.get(key)!,
      { decision: 'rollback', ...by, fingerprint: null },
      { runAttempt },
    );
  await recordRunDecision(call, { decision: to === undefined ? 'rollback' : 'pause', ...by });
}
