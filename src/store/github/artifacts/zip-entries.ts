import type { Entry, ZipFile } from 'yauzl';
import { GatelineError } from '../../../errors/gateline-error.ts';

/** An entry that is looked for. */
export interface WantedEntry {
  /** Bytes that it may have. Where `exact`, it has just so many. */
  readonly bytes: number;
  readonly exact: boolean;
}

/** What a zip held of what was wanted. */
export interface ZipFindings {
  /** Names of entries that were taken. */
  readonly taken: ReadonlySet<string>;
  /** Names of entries that are damaged, of another size, or were not taken. */
  readonly wrong: ReadonlySet<string>;
  /** Why it could not be read to its end. */
  readonly broken?: string;
}

/** Takes the bytes of an entry; answers whether they are right. */
export type TakeEntry = (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<boolean>;

/** Entries that a zip of ours may have: a record names at most 20,000 files, and a few contents more. */
const MAX_ENTRIES = 20_100;

/** All that is unpacked of one zip, in bytes: no record can make a disk run full. */
const MAX_UNPACKED_BYTES = 8 * 1024 ** 3;

/** Whether these bytes begin like a zip. No JSON does. */
export function looksZipped(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/**
 * Reads entries of a zip by name, and nothing else of it: other entries, paths, links and modes do not matter. Of
 * several entries of one name only the first counts. An entry that says another size is not even unpacked, and one that
 * unpacks to another size than it says ends at once: nothing grows beyond what was wanted.
 *
 * @param take takes an entry's bytes, and says whether they are right
 * @throws GatelineError what `take` throws
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
  // Names stay as they are: they are compared, and never become paths.
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
    // It may fail before anybody reads it; whoever does is told then.
    stream.on('error', () => undefined);
    return await take(stream as AsyncIterable<Uint8Array>);
  } catch (error) {
    // The store has no room, or the like: that is not the zip's fault.
    if (error instanceof GatelineError) throw error;
    return false;
  }
}

/** One entry of a zip in memory; `undefined` where it is not there, damaged, or larger than that. */
export async function entryOf(zip: Buffer, name: string, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  const { taken } = await readZip(zip, new Map([[name, { bytes: maxBytes, exact: false }]]), async (_, chunks) => {
    for await (const chunk of chunks) parts.push(chunk);
    return true;
  });
  return taken.has(name) ? Buffer.concat(parts) : undefined;
}
