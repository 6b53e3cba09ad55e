import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../../errors/gateline-error.ts';
import type { ProcessInfo } from './process-table.ts';

/** In an attempt directory while its agent runs: which process it is, for whoever comes after a killed engine. */
const FILE = 'process.json';

const recordSchema = z.strictObject({
  format: z.literal('gateline-process/1'),
  pid: z.int().min(1),
  started: z.string().max(64),
  boot: z.string().max(255),
});

/** The first process of an attempt. Its process group has its pid. */
export type ProcessRecord = Omit<z.infer<typeof recordSchema>, 'format'>;

/**
 * Written in one synchronous call right after the start, so that there is the least time in which a killed engine leaves a
 * process without record. Not fsynced: what outlives the machine's crash is no process.
 */
export function writeProcessRecord(directory: string, started: ProcessInfo, boot: string): void {
  const record = { format: 'gateline-process/1', pid: started.pid, started: started.started, boot };
  writeFileSync(join(directory, FILE), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** A record that cannot be removed does no harm: no other process will have its pid and start time. */
export function removeProcessRecord(directory: string): void {
  try {
    rmSync(join(directory, FILE), { force: true, recursive: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** How deep attempt directories lie at most below their root. */
const MAX_DEPTH = 4;

/** The records in all directories below `root`. One that is cut off or altered says nothing, so it is left alone. */
export function processRecordsBelow(root: string, depth = 0): ProcessRecord[] {
  const entries = entriesOf(root);
  if (entries.some((entry) => entry.name === FILE && entry.isFile())) return recordIn(root);
  if (depth === MAX_DEPTH) return [];
  return entries.flatMap((entry) =>
    entry.isDirectory() ? processRecordsBelow(join(root, entry.name), depth + 1) : [],
  );
}

function entriesOf(directory: string): Dirent[] {
  return withRights(directory, 0o700, () => readdirSync(directory, { withFileTypes: true })) ?? [];
}

/** Reads, where an agent took our rights away after giving them back. `undefined`: it cannot be read, so it says nothing. */
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

function recordIn(directory: string): ProcessRecord[] {
  const file = join(directory, FILE);
  const text = withRights(file, 0o600, () => readFileSync(file, 'utf8'));
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const parsed = recordSchema.safeParse(value);
  return parsed.success ? [parsed.data] : [];
}
