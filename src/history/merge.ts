import { canonicalJson } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json.ts';
import { runKeyOf, type GatesEntry, type HistoryEntry } from './entry.ts';

/** The entry of an earlier run, and that of its gates, if it is known. */
export interface PastRun {
  readonly entry: HistoryEntry;
  readonly gates: GatesEntry | undefined;
}

/**
 * One entry for each run, that of its highest attempt, the oldest run first. Does not depend on order or repetition.
 */
export function mergeRuns(runs: readonly PastRun[]): PastRun[] {
  const byRun = new Map<string, PastRun>();
  for (const run of runs) {
    const key = runKeyOf(run.entry);
    const known = byRun.get(key);
    if (known === undefined || isBetter(run, known)) byRun.set(key, run);
  }
  return [...byRun.values()].sort(({ entry: a }, { entry: b }) => a.run - b.run || compareText(placeOf(a), placeOf(b)));
}

function isBetter(a: PastRun, b: PastRun): boolean {
  if (a.entry.attempt !== b.entry.attempt) return a.entry.attempt > b.entry.attempt;
  if ((a.gates === undefined) !== (b.gates === undefined)) return a.gates !== undefined;
  return compareText(textOf(a), textOf(b)) > 0;
}

function textOf({ entry, gates }: PastRun): string {
  return canonicalJson([entry, gates ?? null] as unknown as JsonValue);
}

function placeOf({ runId = '', subject, pipeline }: HistoryEntry): string {
  return `${runId.padStart(20, '0')} ${pipeline} ${subject}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
