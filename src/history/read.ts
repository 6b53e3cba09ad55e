import {
  GATES_FORMAT,
  parseGatesEntry,
  parseHistoryEntry,
  runKeyOf,
  type EntryIdentity,
  type GatesEntry,
  type HistoryEntry,
} from './entry.ts';

/** Lines of a history file, the newest first, some at a time. */
export type Lines = Iterable<readonly string[]>;

/** How often something could not be read. */
export interface Unreadable {
  lines: number;
}

/**
 * The entries among some lines, one for each run: the first that is found. A line that is no entry of this version is
 * counted and left out.
 * @param isWanted asked before an entry is checked, to save time; every field may be missing or of another type
 */
export function readEntries(
  lines: Lines,
  unreadable: Unreadable,
  isWanted: (entry: Partial<HistoryEntry>) => boolean = () => true,
): Generator<HistoryEntry> {
  return read(lines, unreadable, isWanted, parseHistoryEntry);
}

/** As {@link readEntries}, for the entries about gates. */
export function readGates(
  lines: Lines,
  unreadable: Unreadable,
  isWanted: (entry: Partial<GatesEntry>) => boolean = () => true,
): Generator<GatesEntry> {
  return read(lines, unreadable, isWanted, parseGatesEntry);
}

/** Whether a line is about the gates of a run. */
export function isAboutGates(line: string): boolean {
  return line.startsWith(`{"format":"${GATES_FORMAT}"`);
}

function* read<T extends EntryIdentity>(
  lines: Lines,
  unreadable: Unreadable,
  isWanted: (entry: Partial<T>) => boolean,
  parse: (value: unknown) => { readonly state: string; readonly value?: T },
): Generator<T> {
  const seen = new Set<string>();
  for (const some of lines) {
    for (const line of some) {
      if (line === '') continue;
      const value = objectIn(line);
      // Of two entries of a run, the first is the newest, whether it is wanted or not.
      const key = value === undefined ? '' : runKeyOf(value as unknown as EntryIdentity);
      if (seen.has(key)) continue;
      if (value !== undefined && !isWanted(value as Partial<T>)) {
        seen.add(key);
        continue;
      }
      const parsed = parse(value);
      if (parsed.state === 'present') {
        seen.add(key);
        yield parsed.value!;
      } else unreadable.lines += 1;
    }
  }
}

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
