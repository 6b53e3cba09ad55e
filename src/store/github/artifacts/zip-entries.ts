import type { Entry, ZipFile } from 'yauzl';
import { GatelineError } from '../../../errors/gateline-error.ts';

/** An entry to find. */
export interface WantedEntry {
  /** Most bytes that it may have. If `exact`, exactly that many. */
  readonly bytes: number;
  readonly exact: boolean;
}

/** Which of the wanted entries a zip contained. */
export interface ZipFindings {
  /** Names of entries that were taken. */
  readonly taken: ReadonlySet<string>;
  /** Names of entries that are damaged, have another size, or were rejected. */
  readonly wrong: ReadonlySet<string>;
  /** Why it could not be read to the end. */
  readonly broken?: string;
}

/** Receives the bytes of an entry; returns whether they are right. */
export type TakeEntry = (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<boolean>;

/** Most entries in one of our zips: a record names at most 20,000 files and a few more contents. */
const MAX_ENTRIES = 20_100;

/** Most bytes unpacked from one zip, so that no record can fill the disk. */
const MAX_UNPACKED_BYTES = 8 * 1024 ** 3;

/** Whether these bytes begin like a zip. JSON never does. */
export function looksZipped(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/**
 * Reads entries of a zip by name, and nothing else: other entries, paths, links and modes are ignored. Only the first
 * of several entries with the same name is used. An entry that declares another size is not unpacked. One that unpacks
 * to another size than declared is stopped at once: nothing grows beyond the expected size.
 *
 * @param take receives an entry's bytes, and returns whether they are right
 * @throws GatelineError any error from `take`
 */
export async function readZip(
  zip: string | Buffer,
  wanted: ReadonlyMap<string, WantedEntry>,
  take: TakeEntry,
): Promise<ZipFindings> {
  const taken = new Set<string>();
  const wrong = new Set<string>();
  let unpacked = 0;
  try {
    const file = await open(zip);
    if (file.entryCount > MAX_ENTRIES) {
      file.close();
      return { taken, wrong, broken: `it has ${file.entryCount} entries` };
    }
    for await (const entry of file.eachEntry()) {
      const name = entry.fileNameRaw.toString('latin1');
      const want = wanted.get(name);
      if (want === undefined || taken.has(name) || wrong.has(name)) continue;
      unpacked += entry.uncompressedSize;
      if (unpacked > MAX_UNPACKED_BYTES) return { taken, wrong, broken: 'it unpacks to more than 8 GiB' };
      const good = await unpack(file, entry, want, (chunks) => take(name, chunks));
      (good ? taken : wrong).add(name);
    }
    return { taken, wrong };
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    return { taken, wrong, broken: 'it is damaged' };
  }
}

async function open(zip: string | Buffer): Promise<ZipFile> {
  const { openPromise, fromBufferPromise } = await import('yauzl');
  // Names stay unchanged: they are compared, and never become paths.
  const options = { decodeStrings: false, validateEntrySizes: true, autoClose: true };
  return typeof zip === 'string' ? openPromise(zip, options) : fromBufferPromise(zip, options);
}

async function unpack(
  file: ZipFile,
  entry: Entry,
  want: WantedEntry,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<boolean>,
): Promise<boolean> {
  const fits = want.exact ? entry.uncompressedSize === want.bytes : entry.uncompressedSize <= want.bytes;
  if (!fits || entry.isEncrypted()) return false;
  try {
    const stream = await file.openReadStreamPromise(entry);
    // It may fail before it is read; the reader then gets the error.
    stream.on('error', () => undefined);
    return await take(stream as AsyncIterable<Uint8Array>);
  } catch (error) {
    // For example, the store has no room: the zip is not at fault.
    if (error instanceof GatelineError) throw error;
    return false;
  }
}

/**
 * The single file of an artifact: the stored bytes, or the entry with its name if the service stored a zip. `undefined`
 * if that entry is missing, damaged, or larger than `maxBytes`.
 */
export async function fileIn(stored: Buffer, name: string, maxBytes: number): Promise<Buffer | undefined> {
  if (!looksZipped(stored)) return stored;
  const parts: Uint8Array[] = [];
  const { taken } = await readZip(stored, new Map([[name, { bytes: maxBytes, exact: false }]]), async (_, chunks) => {
    for await (const chunk of chunks) parts.push(chunk);
    return true;
  });
  return taken.has(name) ? Buffer.concat(parts) : undefined;
}
