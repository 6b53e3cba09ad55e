import type { RunStatus, UnitStatus } from '../run/state/run-state.ts';
import { keptSubject, runKeyOf, type GateOutcome, type GatesEntry, type HistoryEntry } from './entry.ts';
import { readEntries, readGates, type Lines, type Unreadable } from './read.ts';

/** Which runs. All that is given must hold. */
export interface HistoryFilter {
  readonly pipeline?: string | undefined;
  readonly subject?: string | undefined;
  /** Name of a set. */
  readonly set?: string | undefined;
  /** Any of these; of gates, if a gate is asked for. */
  readonly status?: readonly (RunStatus | UnitStatus)[] | undefined;
  /** The run began at this time or later. ISO 8601, UTC, milliseconds. */
  readonly since?: string | undefined;
  /** The run began before this time. */
  readonly until?: string | undefined;
  /** A text in the task, the subject or the message of a failure; upper and lower case are the same. */
  readonly contains?: string | undefined;
}

/** Where entries come from. The newest first. */
export interface HistorySource {
  entries(): Lines;
  /** @param isWanted by the month in which runs began, such as `2026-11` */
  gates(isWanted?: (month: string) => boolean): Lines;
}

/** The answer to a query. */
export interface HistoryAnswer<T> {
  /** The newest first. */
  readonly entries: readonly T[];
  /** Lines that are no entries of this version. */
  readonly unreadable: number;
}

/** A gate in a run. */
export interface GateRow extends GateOutcome, Pick<GatesEntry, 'pipeline' | 'subject' | 'run' | 'runId' | 'started'> {}

/** The runs that a filter selects. @param limit at most so many; default: all */
export function queryRuns(
  source: HistorySource,
  filter: HistoryFilter = {},
  limit = Infinity,
): HistoryAnswer<HistoryEntry> {
  const unreadable: Unreadable = { lines: 0 };
  return { entries: [...firstOf(runsOf(source, filter, unreadable), limit)], unreadable: unreadable.lines };
}

/**
 * The outcomes of a gate, or of one leg (`gate/leg`), in the runs that a filter selects.
 * @param limit at most so many; default: all
 */
export function queryGates(
  source: HistorySource,
  gate: string,
  filter: HistoryFilter = {},
  limit = Infinity,
): HistoryAnswer<GateRow> {
  const unreadable: Unreadable = { lines: 0 };
  return { entries: [...firstOf(gateRows(source, gate, filter, unreadable), limit)], unreadable: unreadable.lines };
}

/** The first of some entries, one after the other. */
export function* firstOf<T>(entries: Iterable<T>, limit: number): Generator<T> {
  let left = limit;
  if (left <= 0) return;
  for (const entry of entries) {
    yield entry;
    left -= 1;
    if (left <= 0) return;
  }
}

/** As {@link queryGates}, one after the other. */
export function* gateRows(
  source: HistorySource,
  gate: string,
  { status, ...filter }: HistoryFilter,
  unreadable: Unreadable,
): Generator<GateRow> {
  for (const { gates, pipeline, subject, run, runId, started } of gatesOf(source, filter, unreadable)) {
    const about = { pipeline, subject, run, ...(runId !== undefined && { runId }), started };
    for (const one of gates) {
      const isIt = one.gate === gate || gateKey(one) === gate;
      if (isIt && (status?.includes(one.status) ?? true)) yield { ...about, ...one };
    }
  }
}

/**
 * The entries of the runs that a filter selects, one after the other.
 * @param unreadable counts the lines that are left out
 */
export function runsOf(
  source: HistorySource,
  filter: HistoryFilter = {},
  unreadable: Unreadable = { lines: 0 },
): Generator<HistoryEntry> {
  return readEntries(source.entries(), unreadable, runFilter(filter));
}

/** The entries about the gates of the runs that a filter selects. */
export function* gatesOf(
  source: HistorySource,
  filter: HistoryFilter = {},
  unreadable: Unreadable = { lines: 0 },
): Generator<GatesEntry> {
  const { set, contains, status, ...others } = filter;
  // These are not in entries about gates.
  const isJoined = set !== undefined || contains !== undefined || status !== undefined;
  const runs = isJoined ? new Set(queryRuns(source, filter).entries.map(runKeyOf)) : undefined;
  const { since = '', until = '~' } = others;
  const months = source.gates((month) => month >= since.slice(0, 7) && month <= until.slice(0, 7));
  for (const entry of readGates(months, unreadable, runFilter(others)))
    if (runs?.has(runKeyOf(entry)) ?? true) yield entry;
}

/** `gate`, or `gate/leg`. */
export function gateKey({ gate, leg }: Pick<GateOutcome, 'gate' | 'leg'>): string {
  return leg === '' ? gate : `${gate}/${leg}`;
}

/** Whether a filter selects an entry, of which any field may be missing. */
export function runFilter(filter: HistoryFilter): (entry: Partial<Omit<HistoryEntry, 'format' | 'gates'>>) => boolean {
  const { pipeline, set, status, since, until } = filter;
  const subject = filter.subject === undefined ? undefined : keptSubject(filter.subject);
  const contains = filter.contains?.toLowerCase();
  return (entry) =>
    (pipeline === undefined || entry.pipeline === pipeline) &&
    (subject === undefined || entry.subject === subject) &&
    (set === undefined || entry.set === set) &&
    (status === undefined || status.includes(entry.status!)) &&
    (since === undefined || entry.started! >= since) &&
    (until === undefined || entry.started! < until) &&
    (contains === undefined || textsOf(entry).some((text) => has(text, contains)));
}

function textsOf({ task, subject, failure }: Partial<Pick<HistoryEntry, 'task' | 'subject' | 'failure'>>): unknown[] {
  return [task, subject, failure?.message];
}

function has(text: unknown, part: string): boolean {
  return typeof text === 'string' && text.toLowerCase().includes(part);
}
