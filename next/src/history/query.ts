import type { HistoryEntry } from './history-entry.ts';

/** Which runs (seed 004: by name, status, time and task). All that is given must hold. */
export interface HistoryFilter {
  readonly pipeline?: string;
  readonly subject?: string;
  /** Any of these; with `gate`, of the gate. */
  readonly status?: readonly string[];
  /** The run started at this time or later, and before that one: ISO 8601 in UTC, or its beginning (`2026-11`). */
  readonly since?: string;
  readonly until?: string;
  /** In the task, the subject or the message of a failure, in upper or lower case. */
  readonly contains?: string;
  /** A gate or one of its legs (`gate/leg`): runs in which it had a part, with its units only. */
  readonly gate?: string;
  /** At most so many. Default: all. */
  readonly limit?: number;
}

/** The runs that a filter selects, in their order. */
export function queryHistory(entries: readonly HistoryEntry[], filter: HistoryFilter = {}): readonly HistoryEntry[] {
  const { pipeline, subject, status, since, until, gate, limit = Infinity } = filter;
  const contains = filter.contains?.toLowerCase();
  const selected: HistoryEntry[] = [];
  for (const entry of entries) {
    if (selected.length >= limit) break;
    if (pipeline !== undefined && entry.pipeline !== pipeline) continue;
    if (subject !== undefined && entry.subject !== subject) continue;
    if (since !== undefined && entry.started < since) continue;
    if (until !== undefined && entry.started >= until) continue;
    if (contains !== undefined && !textsOf(entry).some((text) => text?.toLowerCase().includes(contains))) continue;
    if (gate === undefined) {
      if (status === undefined || status.includes(entry.status)) selected.push(entry);
      continue;
    }
    const units = entry.units.filter(
      (unit) => isOfGate(unit.unit, gate) && (status === undefined || status.includes(unit.status)),
    );
    if (units.length > 0) selected.push({ ...entry, units });
  }
  return selected;
}

function isOfGate(unit: string, gate: string): boolean {
  return unit === gate || unit.startsWith(`${gate}/`);
}

function textsOf({ task, subject, failure }: HistoryEntry): (string | undefined)[] {
  return [task, subject, failure?.message];
}
