import { GatelineError } from '../../errors.ts';
import { attemptOf, type AttemptRef, type EndedEntry, type StartedEntry } from '../../run/entry.ts';
import type { FileChange, FileVersion } from '../../run/files.ts';
import { attemptKey } from '../../run/state.ts';
import { gateOf } from '../../run/units.ts';
import { Call } from '../call.ts';
import type { Decider, Order, Ports } from '../ports.ts';
import { recoverOpenAttempts } from '../attempt/recover.ts';

/** What a rollback undoes. */
export interface Rollback {
  readonly run: number;
  /** Units whose work is undone, in the order in which they worked. */
  readonly units: readonly string[];
  readonly changes: readonly FileChange[];
  /** Paths that somebody changed since: they stay as they are. */
  readonly left: readonly string[];
  readonly restoresDatabase: boolean;
}

/**
 * Undoes work of the newest run: files that gates after `to` changed get the version from before, if they are still as
 * those gates left them; their checkpoints are forgotten, and the run is paused. The caller holds the lock.
 * @param choice `to`: the last gate whose work stays, or `all`: none. `isDry`: only tells what would be undone
 */
export async function rollBack(
  ports: Ports,
  order: Order,
  choice: { readonly to: string; readonly isDry: boolean },
  by: Decider,
): Promise<Rollback> {
  const { to, isDry } = choice;
  const call = await Call.open(ports, order);
  if (!isDry) await recoverOpenAttempts(call);
  if (to !== 'all') call.graph.requireGate(to);
  const run = call.state.current;
  if (run === undefined) throw new GatelineError('usage', `${order.subject} has no run to roll back`);
  const undone = entriesAfter(call, run.run, to);
  const snapshot = await call.takeSnapshot();
  const files = await ports.workspace.listFiles(snapshot);
  const { changes, left } = reverseChanges(undone, (path) => files.get(path) ?? snapshot.unstored[path] ?? null);
  const first = undone.find((entry): entry is StartedEntry => entry.kind === 'started');
  const units = [...new Set(undone.map(({ unit }) => unit))];
  const restoresDatabase = ports.database !== undefined && first !== undefined;
  const rollback: Rollback = { run: run.run, units, changes, left, restoresDatabase };
  if (isDry || undone.length === 0) return rollback;

  const ends = undone.filter((entry): entry is EndedEntry => entry.kind === 'ended');
  const attempts = distinct(ends.flatMap((entry) => [attemptOf(entry), ...(entry.source ? [entry.source] : [])]));
  if (restoresDatabase && !(await ports.database.restore(attemptOf(first), first.isolated === true)))
    throw new GatelineError('platform', `no database was saved before ${first.unit}`, { hint: 'nothing was changed' });
  await ports.workspace.keep(`rollback/${call.now()}`, snapshot);
  await ports.workspace.storeVersions(changes);
  const refused = await ports.workspace.put(changes);
  const written = changes.filter(({ path }) => !refused.includes(path));
  await call.write({
    ...call.entryHead(),
    run: run.run,
    kind: 'decided',
    decision: 'rollback',
    to,
    attempts,
    changes: written,
    ...by,
  });
  await ports.checkpoints.forget(attempts);
  return { ...rollback, changes: written, left: [...left, ...refused] };
}

/** The entries of a run after the last end of a gate, without those of attempts that were rolled back before. */
function entriesAfter(call: Call, run: number, to: string): (StartedEntry | EndedEntry)[] {
  const { pipeline, subject } = call.order;
  const ofRun = call.entries.filter(
    (entry) => entry.pipeline === pipeline.id && entry.subject === subject && entry.run === run,
  );
  const takenBack = ofRun.flatMap((entry) =>
    entry.kind === 'decided' && entry.decision === 'rollback'
      ? entry.attempts.map((attempt) => attemptKey(attempt))
      : [],
  );
  const entries = ofRun.filter((entry) => entry.kind !== 'decided');
  const last = to === 'all' ? -1 : entries.findLastIndex(({ kind, unit }) => kind === 'ended' && gateOf(unit) === to);
  if (to !== 'all' && last < 0)
    throw new GatelineError('usage', `${to} has not worked in run ${run}`, {
      hint: '`gateline status` shows what has',
    });
  return entries.slice(last + 1).filter((entry) => !takenBack.includes(attemptKey(attemptOf(entry))));
}

/** The changes that undo those of entries: for each path, from a version that they left to the one before. */
function reverseChanges(
  entries: readonly (StartedEntry | EndedEntry)[],
  current: (path: string) => FileVersion | null,
) {
  const chains = new Map<string, { first: FileVersion | null; versions: (FileVersion | null)[]; isBroken: boolean }>();
  for (const entry of entries) {
    if (entry.kind !== 'ended') continue;
    for (const { path, before, after } of entry.changes) {
      const chain = chains.get(path);
      if (chain === undefined) chains.set(path, { first: before, versions: [after], isBroken: false });
      else {
        chain.isBroken ||= before !== chain.first && !chain.versions.includes(before);
        chain.versions.push(after);
      }
    }
  }
  const changes: FileChange[] = [];
  const left: string[] = [];
  for (const [path, { first, versions, isBroken }] of chains) {
    const before = current(path);
    if (before === first) continue;
    // A chain breaks if an isolated run left a version in its clone, and the next clone began without it.
    if (isBroken || !versions.includes(before)) left.push(path);
    else changes.push({ path, before, after: first });
  }
  return { changes, left };
}

function distinct(attempts: readonly AttemptRef[]): AttemptRef[] {
  return [...new Map(attempts.map((attempt) => [attemptKey(attempt), attempt])).values()];
}
