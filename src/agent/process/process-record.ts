import {
  chmodSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  type Dirent,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import type { ProcessInfo } from './process-table.ts';

/**
 * In an attempt directory while the engine runs its agent: identifies the process for the next engine if this one is
 * killed. An agent that runs by itself, between `begin` and `complete`, has no such file: only its user ends it.
 */
const FILE = 'process.json';
/** The same of an attempt whose processes stay: read only if its own directory is asked for. */
const KEPT = 'kept-process.json';
/** The same before the process is known, and while the file is being written. */
const ANNOUNCED = '.process.json.tmp';

const recordSchema = z.strictObject({
  format: z.literal('gateline-process/1'),
  pid: z.int().min(1),
  started: z.string().max(64),
  boot: z.string().max(255),
});

/** Every record is padded with spaces to this size, so that writing it over its announcement needs no disk space. */
const RECORD_BYTES = 512;

/** The first process of an attempt. Its process group has its pid. */
export type ProcessRecord = Omit<z.infer<typeof recordSchema>, 'format'>;

/** A record found below the root of all attempts. */
export interface FoundRecord {
  /** The attempt directory. The engine started its agent, whatever the record says. */
  readonly directory: string;
  /** Absent if the record is truncated, altered or not yet complete. */
  readonly process?: ProcessRecord | undefined;
}

/** Marks an attempt as run by the engine, before its process exists: the engine may be killed between the two. */
export function announceProcess(directory: string): void {
  writeFileSync(join(directory, ANNOUNCED), ''.padEnd(RECORD_BYTES), { mode: 0o600 });
}

/**
 * Written in one synchronous call right after the start, to minimize the time in which a killed engine leaves a process
 * without a record. Not fsynced: no process survives a crash of the machine.
 */
export function writeProcessRecord(directory: string, started: ProcessInfo, boot: string): void {
  const record = { format: 'gateline-process/1', pid: started.pid, started: started.started, boot };
  const text = `${JSON.stringify(record).padEnd(RECORD_BYTES - 1)}\n`;
  const flags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(join(directory, ANNOUNCED), flags, 0o600);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
  renameSync(join(directory, ANNOUNCED), join(directory, FILE));
}

/** Converts a failed write to an attempt's directory into a platform error. */
export function recordFailure(directory: string, cause: unknown): GatelineError {
  return new GatelineError('PROCESS_RECORD_FAILED', `cannot write to ${directory}: ${messageOf(cause)}`, {
    cause,
  });
}

/** A record that cannot be removed is harmless: no other process will have its pid and start time. */
export function removeProcessRecord(directory: string): void {
  try {
    for (const name of [ANNOUNCED, FILE]) rmSync(join(directory, name), { force: true, recursive: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** The processes of an attempt stay: its record is no longer found below the root of all attempts. */
export function keepProcessRecord(directory: string): void {
  try {
    renameSync(join(directory, FILE), join(directory, KEPT));
  } catch (error) {
    // It is kept already, or was never written.
    if (!isSystemError(error, 'ENOENT')) throw recordFailure(directory, error);
  }
}

/** Maximum depth of attempt directories below their root. */
const MAX_DEPTH = 4;

/** The records in all directories below `root`, and that of `root` itself, even if its processes stay. */
export function processRecordsBelow(root: string, depth = 0): FoundRecord[] {
  const entries = entriesOf(root);
  const file = entries.find(({ name }) => name === FILE || (depth === 0 && name === KEPT));
  const isOurs = file !== undefined || entries.some((entry) => entry.name === ANNOUNCED);
  if (isOurs) return [{ directory: root, process: file?.isFile() ? recordIn(join(root, file.name)) : undefined }];
  if (depth === MAX_DEPTH) return [];
  return entries.flatMap((entry) =>
    entry.isDirectory() ? processRecordsBelow(join(root, entry.name), depth + 1) : [],
  );
}

function entriesOf(directory: string): Dirent[] {
  return withRights(directory, 0o700, () => readdirSync(directory, { withFileTypes: true })) ?? [];
}

/** Reads; if an agent removed our rights, restores them first. `undefined`: it cannot be read and is ignored. */
function withRights<T>(place: string, mode: number, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isSystemError(error, 'EACCES')) return unlessFromSystem(error);
  }
  try {
    chmodSync(place, mode);
    return read();
  } catch (error) {
    return unlessFromSystem(error);
  }
}

function unlessFromSystem(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error)) throw error;
}

function recordIn(file: string): ProcessRecord | undefined {
  const text = withRights(file, 0o600, () => readFileSync(file, 'utf8'));
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return recordSchema.safeParse(value).data;
}
