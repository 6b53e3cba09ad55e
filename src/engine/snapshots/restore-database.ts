import { GatelineError } from '../../errors/gateline-error.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Content, EndedRecord } from '../../run/records/record.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import type { EarlierPut } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';
import { databaseOf, firstDatabase, runNamed } from './database.ts';

/** The effect of a rollback on the database. */
export type DatabaseChange =
  | { readonly what: 'none' }
  /** No gate that is rolled back has run an agent. */
  | { readonly what: 'unchanged' }
  | { readonly what: 'restored'; readonly content: Content };

/**
 * The snapshot of the database to restore: after the last of the kept gates that ran in this run, or before the first.
 * @param how.unfinished the interrupted rollback of this run: it may have restored the database by half, whichever
 *   gates it kept
 * @param how.force leave the database as it is if the definition does not say how to restore it
 * @throws GatelineError `SNAPSHOT_GONE` if it was not taken, `DATABASE_NOT_DEFINED`
 */
export function databaseBefore(
  call: Call,
  kept: ReadonlySet<UnitKey>,
  { unfinished, force = false }: { readonly unfinished?: Pick<EarlierPut, 'database'>; readonly force?: boolean } = {},
): DatabaseChange {
  const units = [...call.journal.state().units.values()];
  const isUndone = units.some(({ key, begun }) => !kept.has(key) && begun.some(({ place }) => place !== undefined));
  if (!isUndone && unfinished?.database !== true) return isDefined(call) ? { what: 'unchanged' } : { what: 'none' };
  const last = units
    .flatMap((unit) => (kept.has(unit.key) ? (attemptOf(call, unit) ?? []) : []))
    .filter(({ snapshot }) => snapshot !== undefined)
    // The clock orders the gates of one call only: it may have been set back since an earlier one.
    .toSorted((a, b) => a.runAttempt - b.runAttempt || Date.parse(a.at) - Date.parse(b.at))
    .at(-1);
  const content = last === undefined ? firstDatabase(call) : last.snapshot!.database;
  if (!isDefined(call)) return leftAlone(call, (content ?? firstDatabase(call)) !== undefined, force);
  if (content !== undefined) return { what: 'restored', content };
  throw new GatelineError('SNAPSHOT_GONE', `no snapshot of the database was kept ${whenOf(last)}`);
}

/** The attempt of the run that made a unit's output, which an earlier rollback may have adopted since. */
function attemptOf({ journal }: Call, { key, ended }: UnitState): EndedRecord | undefined {
  if (ended === undefined || ended.how === 'ran') return ended;
  const { runNumber } = journal.state();
  const all = journal.archive().ended.get(key) ?? [];
  return all.findLast(
    (one) => one.runNumber === runNumber && one.how === 'ran' && one.value?.digest === ended.value?.digest,
  );
}

function isDefined(call: Call): boolean {
  return databaseOf(call) !== undefined;
}

/** The definition may have had a database when the run took its snapshots. */
function leftAlone({ journal, holder }: Call, isKept: boolean, force: boolean): DatabaseChange {
  if (!isKept || holder === 'job') return { what: 'none' };
  if (force) return { what: 'unchanged' };
  const { runNumber, subject } = journal.state();
  const message = `run ${runNumber} of ${subject} kept snapshots of a database, and the definition has no \`snapshots.database\` any more`;
  throw new GatelineError('DATABASE_NOT_DEFINED', message);
}

function whenOf(last: EndedRecord | undefined): string {
  return last === undefined ? 'before the first gate' : `after gate ${last.gate}`;
}

/** @param begun called before the database may change @throws GatelineError `DATABASE_FAILED`, `SNAPSHOT_GONE` */
export async function restoreDatabase(call: Call, change: DatabaseChange, begun: () => void): Promise<void> {
  if (change.what !== 'restored') return;
  const { runAttempt } = call.journal.state();
  const { redactText } = call.redactor;
  await databaseOf(call)!.restore(runNamed(call), change.content, { call: runAttempt, redact: redactText, begun });
}
