import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import type { GatelineRecord } from '../run/record.ts';
import { digestOf, hexOf } from '../run/digest.ts';
import { parseRecord } from '../store/parse-record.ts';
import type { RecordStore, Written } from '../store/record-store.ts';

/** Ends of attempts that were decided on and may not have reached GitHub yet: kept on the runner until they have. */
export interface PendingRecords {
  /** A store that keeps each `ended` record here until it is written. */
  guard(store: RecordStore): RecordStore;
  /** Records that were never written; those that cannot be read are left out, their names told. */
  read(): Promise<{ readonly records: readonly GatelineRecord[]; readonly unreadable: readonly string[] }>;
}

/**
 * An agent's work costs money, and an upload may fail when it is done. What it came to is then written again by the
 * post step; its contents are in the spool beside.
 *
 * @param folder absolute; made when it is needed
 */
export function pendingRecords(folder: string): PendingRecords {
  const pathOf = (record: GatelineRecord): string =>
    join(
      folder,
      `${hexOf(digestOf(JSON.stringify([record.pipeline, record.subject, record.gate, record.leg, record.runAttempt, record.n])))}.json`,
    );
  return {
    guard: (store) => {
      const write = async (record: GatelineRecord): Promise<Written> => {
        if (record.kind !== 'ended') return store.write(record);
        await keep(folder, pathOf(record), record);
        const written = await store.write(record);
        await rm(pathOf(record), { force: true });
        return written;
      };
      return withWrite(store, write);
    },
    read: async () => {
      const records: GatelineRecord[] = [];
      const unreadable: string[] = [];
      for (const name of await namesIn(folder)) {
        const parsed = parseRecord(await readFile(join(folder, name)));
        if ('record' in parsed) records.push(parsed.record);
        else unreadable.push(`${name}: ${parsed.fault.message}`);
      }
      return { records, unreadable };
    },
  };
}

/** The same store, which writes records another way. */
export function withWrite(store: RecordStore, write: RecordStore['write']): RecordStore {
  return {
    write,
    list: (pipeline, subject, only) => store.list(pipeline, subject, only),
    subjects: (pipeline) => store.subjects(pipeline),
    put: (content) => store.put(content),
    putStream: (chunks) => store.putStream(chunks),
    get: (digest) => store.get(digest),
    check: (digest) => store.check(digest),
    copyTo: (digest, path, mode) => store.copyTo(digest, path, mode),
  };
}

async function keep(folder: string, path: string, record: GatelineRecord): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (cause) {
    throw new GatelineError('platform', 'TEMP_UNWRITABLE', `${folder} cannot be written to: ${messageOf(cause)}`, {
      hint: 'Look whether the disk of the runner is full.',
      cause,
    });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}
