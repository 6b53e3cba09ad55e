import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { historyEntrySchema, type HistoryEntry } from './history-entry.ts';

/** Selects runs (as in Nexus: by name, status, time and task). All fields must match. */
export interface HistoryFilter {
  readonly pipeline?: string;
  readonly subject?: string;
  /** Any of these; with `gate`, of the gate. */
  readonly status?: readonly string[];
  /** The run started at this time or later: ISO 8601 in UTC, or the beginning of such a time (`2026-11`). */
  readonly since?: string;
  /** The run started before this time, as `since`. */
  readonly until?: string;
  /** A part of the task, the subject or the message of a failure, regardless of case. */
  readonly contains?: string;
  /** A gate or one of its legs (`gate/leg`): runs that had it, with its units only. */
  readonly gate?: string;
  /** The most entries. Default: all. */
  readonly limit?: number;
}

export interface History {
  /** One entry per run, the newest first. */
  readonly entries: readonly HistoryEntry[];
  /** The number of lines that are no entries of this version, without an incomplete last line. */
  readonly unreadable: number;
}

/**
 * Reads the lines of a history, the last one first. If a run has several lines, the last one counts.
 * @param filter default: all runs. A line that it excludes is not validated, and no line is read beyond its `limit`
 */
export function queryHistory(text: string, filter: HistoryFilter = {}): History {
  const { limit = Infinity } = filter;
  const lines = text.split('\n');
  const entries: HistoryEntry[] = [];
  const runs = new Set<string>();
  let unreadable = 0;
  for (let at = lines.length - 1; at >= 0 && entries.length < limit; at -= 1) {
    const line = lines[at]!.trim();
    if (line === '') continue;
    const raw = parseLine(line);
    const run = raw && JSON.stringify([raw['pipeline'], raw['subject'], raw['run']]);
    if (run !== undefined && runs.has(run)) continue;
    const isWanted = raw !== undefined && mayMatch(raw, filter);
    const entry = isWanted ? historyEntrySchema.safeParse(raw).data : undefined;
    if (raw === undefined || (isWanted && entry === undefined)) {
      if (at < lines.length - 1) unreadable += 1;
      continue;
    }
    runs.add(run!);
    const selected = entry && selectUnits(entry, filter);
    if (selected) entries.push(selected);
  }
  return { entries, unreadable };
}

function parseLine(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as JsonValue;
    return isJsonObject(value) && value['v'] === 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the filter may select a run, by its line before validation. */
function mayMatch(raw: JsonObject, { pipeline, subject, since, until, contains }: HistoryFilter): boolean {
  const { started, task, failure } = raw;
  if (pipeline !== undefined && raw['pipeline'] !== pipeline) return false;
  if (subject !== undefined && raw['subject'] !== subject) return false;
  if (since !== undefined && String(started) < since) return false;
  if (until !== undefined && String(started) >= until) return false;
  if (contains === undefined) return true;
  const texts = [task, raw['subject'], isJsonObject(failure) ? failure['message'] : ''];
  return texts.some((text) => typeof text === 'string' && text.toLowerCase().includes(contains.toLowerCase()));
}

/** The entry with the units that the filter selects; undefined: the filter excludes it. */
function selectUnits(entry: HistoryEntry, { gate, status }: HistoryFilter): HistoryEntry | undefined {
  const hasStatus = (word: string) => status === undefined || status.includes(word);
  if (gate === undefined) return hasStatus(entry.status) ? entry : undefined;
  const units = entry.units.filter(
    (unit) => (unit.unit === gate || unit.unit.startsWith(`${gate}/`)) && hasStatus(unit.status),
  );
  return units.length === 0 ? undefined : { ...entry, units };
}
