import { z } from 'zod';
import { ID_PATTERN } from '../pipeline/pipeline.ts';
import {
  jsonBytes,
  parseGatesEntry,
  parseHistoryEntry,
  runKeyOf,
  type GatesEntry,
  type HistoryEntry,
  type RunHistory,
} from './entry.ts';
import { mergeRuns, type PastRun } from './merge.ts';

/** Version of the document of a report. */
const DOCUMENT_FORMAT = 'gateline-history-document/2';

/** Number of earlier runs whose entries a document contains, besides those of its own run. */
export const CARRIED_RUNS = 200;

/** Runs whose gates a document carries. */
const CARRIED_GATES = 40;

/** Bytes of a document: the largest set has 1,000 subjects, each with an entry. */
export const DOCUMENT_BYTES = 1_024 * 1_024;

/** Bytes of all entries about gates in a document. */
const GATES_ROOM = 256 * 1_024;

const documentSchema = z.object({
  format: z.literal(DOCUMENT_FORMAT),
  pipeline: z.string().regex(ID_PATTERN),
  /** Of runs, the newest first. */
  entries: z.array(z.unknown()).max(2_000),
  gates: z.array(z.unknown()).max(2_000),
});

/**
 * What the report of a run keeps for later ones: the entries of its run, one for each subject, and the newest earlier
 * ones that it read. So a later report needs few documents, however many runs there were.
 */
export function documentOf(pipeline: string, own: readonly RunHistory[], earlier: readonly PastRun[]): string {
  const carried = mergeRuns(earlier).toReversed().slice(0, CARRIED_RUNS);
  const entries = [...own, ...carried].map(({ entry }) => entry);
  const gates: GatesEntry[] = [];
  let room = GATES_ROOM;
  for (const run of [...own, ...carried.slice(0, CARRIED_GATES)]) {
    room -= run.gates === undefined ? 0 : jsonBytes(run.gates) + 1;
    if (room < 0) break;
    if (run.gates !== undefined) gates.push(run.gates);
  }
  return JSON.stringify({ format: DOCUMENT_FORMAT, pipeline, entries, gates });
}

/** The runs of a pipeline in a document from any source. What cannot be read is left out. */
export function runsInDocument(value: unknown, pipeline: string): PastRun[] {
  const document = documentSchema.safeParse(value);
  if (!document.success || document.data.pipeline !== pipeline) return [];
  const gates = new Map<string, GatesEntry>();
  for (const one of document.data.gates) {
    const read = parseGatesEntry(one);
    if (read.state === 'present') gates.set(placeOf(read.value), read.value);
  }
  return document.data.entries.flatMap((one) => {
    const read = parseHistoryEntry(one);
    if (read.state !== 'present' || read.value.pipeline !== pipeline) return [];
    return [{ entry: read.value, gates: gates.get(placeOf(read.value)) }];
  });
}

function placeOf(entry: HistoryEntry | GatesEntry): string {
  return `${entry.attempt} ${runKeyOf(entry)}`;
}

/** The entries of a document, as lines; `undefined`: the line is none. */
export function linesOfDocument(line: string): string[] | undefined {
  if (!line.startsWith(`{"format":"${DOCUMENT_FORMAT}"`)) return undefined;
  try {
    const document = documentSchema.safeParse(JSON.parse(line));
    return document.success ? [...document.data.entries, ...document.data.gates].map((one) => JSON.stringify(one)) : [];
  } catch {
    return undefined;
  }
}
