import {
  GATES_FORMAT,
  parseGatesEntry,
  parseHistoryEntry,
  type EntryIdentity,
  type GatesEntry,
  type HistoryEntry,
} from './entry.ts';
import type { Read } from '../run/records/reading.ts';
import { soundEntry, soundGates } from './sound.ts';

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
  return read(lines, unreadable, isWanted, (value) => soundEntry(value) ?? valueOf(parseHistoryEntry(value)));
}

/** As {@link readEntries}, for the entries about gates. */
export function readGates(
  lines: Lines,
  unreadable: Unreadable,
  isWanted: (entry: Partial<GatesEntry>) => boolean = () => true,
): Generator<GatesEntry> {
  return read(lines, unreadable, isWanted, (value) => soundGates(value) ?? valueOf(parseGatesEntry(value)));
}

/** Whether a line is about the gates of a run. */
export function isAboutGates(line: string): boolean {
  return line.startsWith(`{"format":"${GATES_FORMAT}"`);
}

function valueOf<T>(read: Read<T>): T | undefined {
  return read.state === 'present' ? read.value : undefined;
}

function* read<T extends EntryIdentity>(
  lines: Lines,
  unreadable: Unreadable,
  isWanted: (entry: Partial<T>) => boolean,
  parse: (value: unknown) => T | undefined,
): Generator<T> {
  const seen = new SeenRuns();
  for (const some of lines) {
    for (const line of some) {
      if (line === '') continue;
      const value = objectIn(line);
      // Of two entries of a run, the first is the newest, whether it is wanted or not.
      if (value !== undefined && seen.has(value as unknown as EntryIdentity)) continue;
      const isOut = value !== undefined && !isWanted(value as Partial<T>);
      const entry = isOut ? undefined : parse(value);
      if (isOut || entry !== undefined) seen.add(value as unknown as EntryIdentity);
      else unreadable.lines += 1;
      if (entry !== undefined) yield entry;
    }
  }
}

/** Runs that were found: nested maps need no new text for each run. */
class SeenRuns {
  readonly #found = new Map<unknown, Map<unknown, Set<unknown>>>();

  has({ pipeline, subject, run, runId }: EntryIdentity): boolean {
    return (
      this.#found
        .get(pipeline)
        ?.get(subject)
        ?.has(runId ?? run) ?? false
    );
  }

  add({ pipeline, subject, run, runId }: EntryIdentity): void {
    let ofPipeline = this.#found.get(pipeline);
    if (ofPipeline === undefined) this.#found.set(pipeline, (ofPipeline = new Map<unknown, Set<unknown>>()));
    let ofSubject = ofPipeline.get(subject);
    if (ofSubject === undefined) ofPipeline.set(subject, (ofSubject = new Set()));
    ofSubject.add(runId ?? run);
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
