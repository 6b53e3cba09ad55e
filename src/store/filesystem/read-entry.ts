import { basename } from 'node:path';
import type { GatelineRecord } from '../../run/records/record.ts';
import { formatOf, judgeRecord, parseStoredJson } from '../parse-record.ts';
import { parseRecordFileName, recordFileName, unknownKind } from '../record-names.ts';
import type { ReadFault, ReadProblem } from '../record-store.ts';
import { isFromSystem, reasonOf } from '../../errors/store-errors.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { buryRecord, TOMBSTONE_FORMAT, tombstoneSchema } from './quarantine.ts';
import { readWhole, type WholeFile } from './read-file.ts';
import type { StateFolder } from './state-folder.ts';

/** A file that may be a record, and what its path says about it. */
export interface StateEntry {
  readonly path: string;
  readonly runNumber: number;
  readonly pipeline: string;
  /** `undefined`: not known yet; any subject is accepted, and nothing is moved. */
  readonly subject: string | undefined;
}

/** The result of reading a {@link StateEntry}. `absent`: it was gone when it was opened. */
export type ReadEntry =
  | { readonly state: 'record'; readonly record: GatelineRecord }
  | { readonly state: 'problem'; readonly problem: ReadProblem }
  | { readonly state: 'absent' };

/** Larger files are not records: even 10,000 files on both lists of an `ended` record stay below. */
const MAX_RECORD_BYTES = 256 * 1_024 * 1_024;

/** How often an entry that changes while it is read is read again. */
const TRIES = 5;

type EntryResult = { readonly record: GatelineRecord } | { readonly fault: ReadFault; readonly buriedAt?: string };

/**
 * Read one file as the record that its name and path say it is. Corrupt, truncated or foreign files go to quarantine
 * (unless the store is read-only). Files of another version or that cannot be read stay where they are.
 */
export async function readEntry(state: StateFolder, entry: StateEntry): Promise<ReadEntry> {
  for (let left = TRIES; ; left--) {
    const file = await readWhole(entry.path, MAX_RECORD_BYTES);
    if (file.state === 'absent') return file;
    if (file.state === 'unreadable') return problem(state, entry, { code: 'UNREADABLE', message: file.message });
    const unknown = unknownKind(parseRecordFileName(basename(entry.path))?.names);
    if (unknown !== undefined) return problem(state, entry, unknown);
    const judged = judge(file.bytes, entry);
    if ('record' in judged) return { state: 'record', record: judged.record };
    if (judged.buriedAt !== undefined) return problem(state, entry, judged.fault, judged.buriedAt);
    if (!mayBury(state, entry, file.bytes, judged.fault)) return problem(state, entry, judged.fault);
    const buried = await bury(state, entry, file, judged.fault);
    if (buried !== 'changed' || left === 0) return buried === 'changed' ? problem(state, entry, judged.fault) : buried;
  }
}

function judge(bytes: Uint8Array, entry: StateEntry): EntryResult {
  const json = parseStoredJson(bytes);
  if ('fault' in json) return json;
  if (formatOf(json.value) === TOMBSTONE_FORMAT) {
    const tombstone = tombstoneSchema.safeParse(json.value);
    if (!tombstone.success) return { fault: { code: 'CORRUPT', message: 'not the shape of a tombstone' } };
    const { code, message, quarantine } = tombstone.data;
    return { fault: { code, message }, buriedAt: quarantine };
  }
  const parsed = judgeRecord(json.value);
  if ('fault' in parsed) return parsed;
  const wrong = disagreements(parsed.record, entry);
  if (wrong.length === 0) return parsed;
  return {
    fault: {
      code: 'FOREIGN',
      message: `a valid record, but its place and its content disagree: ${wrong.join('; ')}`.slice(0, 1_000),
    },
  };
}

/** Where a record disagrees with its name and path. */
function disagreements(record: GatelineRecord, entry: StateEntry): string[] {
  const wrong: string[] = [];
  const differs = (what: string, found: string | number, expected: string | number) => {
    if (found !== expected) wrong.push(`${what} ${JSON.stringify(found)} where ${JSON.stringify(expected)} belongs`);
  };
  differs('pipeline', record.pipeline, entry.pipeline);
  differs('subject', record.subject, entry.subject ?? record.subject);
  differs('run', record.runNumber, entry.runNumber);
  differs('name', nameOf(record), basename(entry.path));
  return wrong;
}

function nameOf(record: GatelineRecord): string {
  try {
    return recordFileName(record);
  } catch (error) {
    if (error instanceof GatelineError) return `(none: ${error.message})`;
    throw error;
  }
}

/**
 * An empty file has nothing to keep, and its name is taken anyway. Leaving it also avoids moving a file that a writer
 * without hard links has reserved and is about to fill.
 */
function mayBury(state: StateFolder, entry: StateEntry, bytes: Uint8Array, fault: ReadFault): boolean {
  return !state.readOnly && entry.subject !== undefined && bytes.length > 0 && fault.code !== 'UNKNOWN_VERSION';
}

async function bury(
  state: StateFolder,
  entry: StateEntry,
  file: Extract<WholeFile, { readonly state: 'read' }>,
  fault: ReadFault,
): Promise<ReadEntry | 'changed'> {
  try {
    const target = await buryRecord(state, entry.path, file.bytes, file.status, fault);
    return target === undefined ? 'changed' : problem(state, entry, fault, state.show(target));
  } catch (error) {
    // The disk may be full or read-only. The problem is still reported, and the file stays.
    if (!isFromSystem(error) && !(error instanceof GatelineError)) throw error;
    return problem(state, entry, {
      code: fault.code,
      message: `${fault.message} (it could not be moved to quarantine: ${reasonOf(error)})`,
    });
  }
}

function problem(state: StateFolder, entry: StateEntry, fault: ReadFault, quarantine?: string): ReadEntry {
  const names = parseRecordFileName(basename(entry.path))?.names;
  return {
    state: 'problem',
    problem: {
      code: fault.code,
      where: state.show(entry.path),
      message: fault.message,
      ...(quarantine === undefined ? {} : { quarantine }),
      ...(names === undefined ? {} : { names }),
    },
  };
}
