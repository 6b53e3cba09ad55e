import { historyEntrySchema, type HistoryEntry } from './history-entry.ts';

export interface History {
  /** One entry per run, the newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Lines that are no entries of this version; what a kill left of the last line is not counted. */
  readonly unreadable: number;
}

/** Reads the lines of a history. Of several lines of one run the last one counts. */
export function readHistory(text: string): History {
  const runs = new Map<string, HistoryEntry>();
  let unreadable = 0;
  const lines = text.split('\n');
  const rest = lines.pop();
  for (const line of rest === '' ? lines : [...lines, rest!]) {
    if (line.trim() === '') continue;
    const entry = readEntry(line);
    if (entry === undefined) {
      if (line !== rest) unreadable += 1;
      continue;
    }
    const key = JSON.stringify([entry.pipeline, entry.subject, entry.run]);
    // A run that goes on is newer than those that ended meanwhile.
    runs.delete(key);
    runs.set(key, entry);
  }
  return { entries: [...runs.values()].reverse(), unreadable };
}

function readEntry(line: string): HistoryEntry | undefined {
  try {
    return historyEntrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
