import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { namedGlobs } from '../../engine/call/call.ts';
import { directoryOf, processesLeft, processesText } from '../../engine/entities/left-processes.ts';
import { unfinishedApply, unfinishedApplyText } from '../../engine/snapshots/unfinished-apply.ts';
import { howToFinish, unfinishedRollback, unfinishedText } from '../../engine/snapshots/unfinished-rollback.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { readFailure, unlessAbsent } from '../../errors/store-errors.ts';
import { unitOf } from '../../run/records/record.ts';
import { readLock } from '../../store/filesystem/lock/engine-lock.ts';
import { isAlive } from '../../store/filesystem/lock/process-identity.ts';
import { QUARANTINE } from '../../store/filesystem/quarantine.ts';
import { count } from '../../report/text.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { damagedObjects } from '../../workspace/objects/damaged-objects.ts';
import { leftSlots } from '../../workspace/slots/slots.ts';
import { finding, type Finding } from './finding.ts';
import type { Looking } from './looking.ts';

/** The lock of the workspace, and whether a living command has it. */
export async function checkLock({ state, show }: Looking): Promise<{ findings: Finding[]; isHeld: boolean }> {
  const lock = await readLock(state);
  if (lock.state === 'free') return { findings: [], isHeld: false };
  if (lock.state === 'damaged') {
    const text = `${lock.why}: no command can take the lock`;
    return { findings: [finding('LOCK_DAMAGED', show(lock.path), text)], isHeld: false };
  }
  const { path, holder, since } = lock;
  const who = `process ${holder.pid} on ${holder.host}, since ${since}`;
  if (await isAlive(holder)) return { findings: [finding('LOCK_HELD', show(path), `held by ${who}`)], isHeld: true };
  return { findings: [finding('LOCK_STALE', show(path), `its holder is gone: ${who}`)], isHeld: false };
}

/** Calls of `apply` and `rollback` that were interrupted. */
export async function checkPuts({ loaded, ports, show }: Looking): Promise<Finding[]> {
  const { folder } = ports.putLists!;
  const path = show(folder);
  try {
    const rollback = await unfinishedRollback(ports);
    if (rollback !== undefined)
      return [finding('ROLLBACK_UNFINISHED', path, unfinishedText(rollback), { advice: howToFinish(rollback) })];
    const applied = await unfinishedApply(ports, () => ports.workspace.snapshot(namedGlobs(loaded.pipeline)));
    return applied === undefined ? [] : [finding('APPLY_UNFINISHED', path, unfinishedApplyText(applied))];
  } catch (error) {
    if (!(error instanceof GatelineError) || error.code !== 'STORE_READ_FAILED') throw error;
    const { place, message, hint } = error;
    const file = place === undefined ? path : show(place.file);
    return [finding('APPLIED_LIST_UNREADABLE', file, message, { advice: hint })];
  }
}

/** Versions of files: the objects in our own store. */
export async function checkObjects({ state, environment, show }: Looking): Promise<Finding[]> {
  const store = join(state, 'git');
  const [first, ...more] = await damagedObjects(store, { binary: 'git', environment });
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : `, and ${count(more.length, 'more problem')}`;
  return [finding('OBJECTS_DAMAGED', show(store), `git cannot read all of it: ${first}${others}`)];
}

/** Work trees that no command uses. */
export async function checkTrees({ trees, ports, show }: Looking): Promise<Finding[]> {
  const left = await leftSlots(trees, ports.now().toISOString());
  return left.map((path) => finding('WORK_TREE_LEFT', show(path), 'a work tree that no agent uses'));
}

/** Processes that gates and commands left, and that run; or may run, on another machine. */
export async function checkProcesses({ ports, show }: Looking): Promise<Finding[]> {
  const { records } = (await ports.everyRecord?.()) ?? { records: [] };
  const left = (await processesLeft(ports, records)).flatMap(({ record, ...one }) =>
    record.kind === 'ended' ? [{ ...one, record, path: show(directoryOf(ports, record)) }] : [],
  );
  return [...Map.groupBy(left, ({ path, entity, host }) => JSON.stringify([path, entity, host])).values()].map(
    (own) => {
      const { path, entity, record } = own[0]!;
      const message = `${processesText(own)}, left by ${unitOf(record)} for ${entity}`;
      const reset = `gateline entities reset ${entity} --subject ${shellWord(record.subject)} --reason TEXT`;
      const them = new Set(own.map(({ pid }) => pid)).size === 1 ? 'it' : 'them';
      return finding('PROCESS_LEFT', path, message, { advice: `\`${reset}\` ends ${them}.` });
    },
  );
}

/** Findings about files in quarantine. */
export async function checkQuarantine(root: string, { show }: Looking): Promise<Finding[]> {
  const folder = join(root, QUARANTINE);
  const all = await unlessAbsent(readdir(folder, { recursive: true, withFileTypes: true })).catch((error: unknown) => {
    throw readFailure(folder, error);
  });
  const files = (all ?? []).filter((one) => one.isFile() && !one.name.endsWith('.why.json'));
  if (files.length === 0) return [];
  return [finding('QUARANTINE_KEPT', show(folder), `files in quarantine: ${files.length}`)];
}
