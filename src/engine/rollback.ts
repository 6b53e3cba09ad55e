import { dirname } from 'node:path';
import { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { unitsNamed } from '../run/records/named-units.ts';
import { comparePositions, unitOf, type GatelineRecord } from '../run/records/record.ts';
import { ancestorsOf } from '../run/records/unit.ts';
import type { EarlierPut, PutResult, WantedFile } from '../workspace/workspace.ts';
import type { UnitState } from '../run/state/run-state.ts';
import { recordDecision, recordRunDecision, type Decider } from './attempt/record-decision.ts';
import { recordPlanned } from './attempt/record-planned.ts';
import { pinContracts } from './plan/pin-contracts.ts';
import { planUnit } from './plan/plan-unit.ts';
import { endKilledAttempts } from './entities/left-processes.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { keepHistory, noteRun } from './call/keep-history.ts';
import { listKnown } from './call/later-records.ts';
import { copierOf } from './call/content.ts';
import type { EnginePorts } from './ports.ts';
import { filesToPut, refuseConflicts, type FilesToPut } from './snapshots/files-to-put.ts';
import { otherRunInFolder, type RunInFolder } from './snapshots/folder-runs.ts';
import {
  commandFor,
  otherText,
  refuseHalfApplied,
  refuseLaterWork,
  refuseUnlisted,
  refuseUnrecorded,
} from './snapshots/refuse-rollback.ts';
import { withRestorable } from './snapshots/restorable.ts';
import { databaseBefore, restoreDatabase, type DatabaseChange } from './snapshots/restore-database.ts';
import { runToRollBack } from './snapshots/unfinished-rollback.ts';
import { isOfRun, putReason } from './snapshots/wanted-files.ts';

/** How far a run is rolled back, and by whom. */
export interface RollbackOptions extends Decider {
  /** Default: the newest run. */
  readonly runNumber?: number;
  /** The gate, or gate/leg, whose snapshot is restored. Default: the state before the run's first gate. */
  readonly to?: string;
  /**
   * Absolute path of a folder: replaced files are copied there. The folders of earlier `apply` calls are next to it.
   */
  readonly saved: string;
  /** Only report what would be done. */
  readonly dryRun?: boolean;
  /** Also overwrite paths that were changed since gates left them. */
  readonly force?: boolean;
  /** Gets what will change, before anything does. */
  readonly preview?: (plan: RollbackPlan) => void;
}

/** The changes of a rollback. */
export interface RollbackPlan extends Pick<FilesToPut, 'patch' | 'puts' | 'committed'> {
  readonly runNumber: number;
  /** Gates whose outputs no longer count. */
  readonly gates: readonly UnitKey[];
  readonly database: DatabaseChange['what'];
  /** If no file changes: another run, whose files are in the folder. */
  readonly other?: RunInFolder;
  /** Everything is as an earlier rollback left it: this one records nothing. */
  readonly isDone?: true;
}

/** The result of {@link rollback}. */
export interface RolledBack extends Omit<RollbackPlan, 'puts'>, PutResult {}

/**
 * Rolls a run back: files and database as a gate left them, or as the run found them, and the gates that come after
 * run again. Repeating the call completes an interrupted one, and records nothing if all is done. Commits, branches and
 * the index stay as they are. Kept gates are not started again for files that they left themselves. What later runs
 * reused of an earlier one is not used any more either. The caller holds the workspace's lock.
 * @throws GatelineError `RUN_NOT_OPEN`, `RUN_UNKNOWN`, `ROLLBACK_NOTHING`, `GATE_UNKNOWN`, `ROLLBACK_NOT_DONE`,
 *   `ROLLBACK_CONFLICT`, `SNAPSHOT_GONE`, `DATABASE_NOT_DEFINED`, `DATABASE_FAILED`, `CLAIM_IN_PLACE`, `APPLY_FAILED`,
 *   `STORE_READ_FAILED`, `RECORD_TOO_NEW`, `ROLLBACK_UNFINISHED` if that is about another run
 */
export async function rollback(
  ports: EnginePorts,
  assignment: Assignment,
  options: RollbackOptions,
): Promise<RolledBack> {
  const listing = await listKnown(ports, assignment);
  const { runNumber, unfinished } = await runToRollBack(ports, assignment, options, listing);
  // A command that restores the database may have outlived its engine.
  await endKilledAttempts(ports, assignment.pipeline);
  const call = await openCall(ports, assignment, () => undefined, { runNumber, alone: true, listing });
  try {
    return await rollBack(call, options, unfinished);
  } catch (error) {
    throw await withRestorable(call, error, { ...options, ...(unfinished && { unfinished }) });
  }
}

async function rollBack(call: Call, options: RollbackOptions, unfinished?: EarlierPut): Promise<RolledBack> {
  const { to, saved, dryRun = false, force = false } = options;
  await requireRun(call, options);
  const kept = keptUnits(call, to);
  await call.ports.workspace.requireFolder();
  const files = await filesToPut(call, kept, options);
  const database = databaseBefore(call, kept, { ...(unfinished && { unfinished }), force });
  const other = files.puts.length === 0 ? await otherRunInFolder(call, saved) : undefined;
  const plan: RollbackPlan = {
    runNumber: call.journal.state().runNumber,
    gates: [...call.graph.keys()].filter((key) => !kept.has(key) && hasHappened(call, key)),
    patch: files.patch,
    puts: files.puts,
    committed: files.committed,
    database: database.what,
    ...(other && { other }),
  };
  if (unfinished === undefined && (await isRolledBack(call, plan, options)))
    return { ...plan, gates: [], database: database.what === 'none' ? 'none' : 'unchanged', isDone: true };
  refuseNothing(call, plan, to);
  options.preview?.(plan);
  refuseUnrecorded(call, kept, force);
  if (database.what === 'restored' && !force) refuseLaterWork(call);
  if (files.wanted.length === 0 && !force) await refuseUnlisted(call, kept);
  if (dryRun) return plan;
  if (!force) await refuseHalfApplied(call, files.puts);
  refuseConflicts(files.puts, force, files.stuck);
  await noteRun(call);
  const put = await putBack(call, files.wanted, database, options);
  await keepWork(call, kept, files.wanted, options);
  await recordRollback(call, plan.gates, options);
  await keepHistory(call);
  return { ...plan, ...put };
}

/** Gates may read files that they change: as they left them, these are no reason to run them again in this run. */
async function keepWork(
  call: Call,
  kept: ReadonlySet<UnitKey>,
  restored: readonly WantedFile[],
  { actor, reason }: RollbackOptions,
): Promise<void> {
  if (kept.size === 0 || restored.length === 0 || !isNewest(call)) return;
  const units = [...call.graph.values()].filter(({ key }) => kept.has(key));
  const gates = new Set(units.map(({ gate }) => gate.id));
  const keep = { gates, actor, reason, files: new Set(restored.map(({ path }) => path)) };
  const keeping: Call = { ...call, assignment: { ...call.assignment, keep } };
  await pinContracts(keeping);
  for (const unit of units) {
    const prepared = await planUnit(keeping, unit);
    if (prepared.planned.choice === 'adopt') await recordPlanned(keeping, unit, prepared);
  }
}

/**
 * People are often on another branch than the one that the run is about.
 * @throws GatelineError `RUN_NOT_OPEN`, `RUN_UNKNOWN`
 */
async function requireRun(call: Call, { saved, to }: RollbackOptions): Promise<void> {
  const { runNumber, subject, decided, status } = call.journal.state();
  if (runNumber > 0 && (status !== 'initializing' || decided.closed !== undefined)) return;
  const which = runNumber === 0 ? `no run of ${subject}` : `no run ${runNumber} of ${subject}`;
  const other = await otherRunInFolder(call, saved);
  throw new GatelineError(runNumber === 0 ? 'RUN_NOT_OPEN' : 'RUN_UNKNOWN', `nothing to roll back: there is ${which}`, {
    hint:
      other === undefined
        ? '`--subject TEXT`, or `--run SUBJECT#N`, names a run of another subject; `gateline status --subjects` lists them.'
        : otherText(other, to),
  });
}

/** The gates that a rollback keeps: the named one, and what it needs. */
function keptUnits(call: Call, to: string | undefined): ReadonlySet<UnitKey> {
  const { runNumber, subject, units, decided, status } = call.journal.state();
  if (to === undefined) return new Set();
  const named = unitsNamed(call.graph, [to]).map(({ key }) => key);
  const open = named.find((key) => !isKeepable(units.get(key)!));
  // An earlier run that was rolled back to a gate is over, and can be rolled back further.
  if (decided.closed !== undefined || (status === 'rollback' && open !== undefined))
    throw new GatelineError('RUN_NOT_OPEN', `run ${runNumber} of ${subject} is over`, {
      hint: `\`${commandFor(call, runNumber)}\` undoes what it left in your folder.`,
    });
  if (open !== undefined) {
    const done = [...units.values()].filter((unit) => unit.done).map(({ key }) => key);
    const message = `gate ${open} has no snapshot in run ${runNumber}: it is ${units.get(open)!.status}`;
    const hint = done.length === 0 ? '`gateline rollback --all` goes back to the start.' : `Done: ${done.join(', ')}.`;
    throw new GatelineError('ROLLBACK_NOT_DONE', message, { hint });
  }
  return new Set(named.flatMap((key) => [key, ...ancestorsOf(call.graph, key)]));
}

/** It is done, or a rollback to it kept its output, for which a new approval is missing now. */
function isKeepable({ done, status, ended }: UnitState): boolean {
  return done || (status === 'paused' && ended?.how === 'adopted');
}

/**
 * A run that only reused outputs, and whose files nobody applied, has changed nothing that could be undone.
 * @throws GatelineError `ROLLBACK_NOTHING`
 */
function refuseNothing(call: Call, { puts, gates, database, other, runNumber }: RollbackPlan, to?: string): void {
  const { units, subject } = call.journal.state();
  const hasWorked = gates.some((key) => {
    const { begun, ended, decided } = units.get(key)!;
    return begun.some(({ place }) => place !== undefined) || ended?.how === 'adopted' || decided !== undefined;
  });
  const isNothing = puts.length === 0 && database !== 'restored' && !hasWorked;
  // Back to a gate, those after it run again: that is something.
  if (!isNothing || (to !== undefined && other === undefined)) return;
  const message = `run ${runNumber} of ${subject} ran no gate and changed no file here: nothing was rolled back`;
  throw new GatelineError('ROLLBACK_NOTHING', message, other && { hint: otherText(other, to) });
}

/** Whether the run, its files and its database are as an earlier rollback to the same state left them. */
async function isRolledBack(call: Call, plan: RollbackPlan, { to, saved }: RollbackOptions): Promise<boolean> {
  const { status, decided, runNumber } = call.journal.state();
  const isRecorded = status === 'rollback' || (to !== undefined && decided.paused !== undefined);
  if (!isRecorded || plan.puts.some(({ action }) => action !== 'unchanged')) return false;
  const ofRun = call.journal.records().filter((one) => one.runNumber === runNumber);
  const lastOf = (key: UnitKey): GatelineRecord | undefined =>
    ofRun
      .filter((one) => unitOf(one) === key)
      .toSorted(comparePositions)
      .at(-1);
  const isUndone = (one: GatelineRecord | undefined): boolean => one?.kind === 'decided' && one.decision === 'rollback';
  if (!plan.gates.every((key) => isUndone(lastOf(key)))) return false;
  if (plan.database !== 'restored') return true;
  const puts = await call.ports.workspace.earlierPuts(dirname(saved));
  const last = puts.findLast((put) => isOfRun(call, put));
  return last?.what === 'rollback' && last.to === to && last.database === true;
}

function hasHappened({ journal }: Call, key: UnitKey): boolean {
  const { started, ended, decided } = journal.state().units.get(key)!;
  return started !== undefined || ended !== undefined || decided !== undefined;
}

/** Restores the database, then the files: the list of what changes, written first, shows that both belong together. */
async function putBack(
  call: Call,
  wanted: readonly WantedFile[],
  database: DatabaseChange,
  { saved, to }: RollbackOptions,
): Promise<PutResult> {
  const isRestored = database.what === 'restored';
  const before = isRestored ? (begun: () => void) => restoreDatabase(call, database, begun) : undefined;
  if (wanted.length === 0 && before === undefined) return { puts: [] };
  const { tree } = await call.snapshot();
  const reason = { ...putReason(call, 'rollback', to), ...(isRestored && { database: true as const }) };
  const how = { saved, dryRun: false, copy: copierOf(call), reason, before };
  const put = await call.ports.workspace.put(wanted, tree, how);
  call.forgetSnapshot();
  refuseConflicts(put.puts, true, new Set());
  return put;
}

/** Only the newest run can continue. */
function isNewest({ journal }: Call): boolean {
  const { runNumber } = journal.state();
  return journal.records().every((record) => record.runNumber <= runNumber);
}

/**
 * Last, so that an interrupted rollback can be repeated. With a gate to continue from, the newest run is paused; else
 * the run is over.
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
  await recordRunDecision(call, { decision: to === undefined || !isNewest(call) ? 'rollback' : 'pause', ...by });
}
