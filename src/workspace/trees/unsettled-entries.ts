import { lstatSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { BYTES_OF_ID, type ObjectFormat } from '../files/blob.ts';
import { bytesOfName, onDisk, textOfName } from '../files/path-bytes.ts';
import type { IndexedFolder, ObjectStore } from '../objects/object-store.ts';

/** The needed part of an index entry. */
export interface UnsettledEntry {
  readonly path: string;
  /** Octal, as git writes it. */
  readonly mode: string;
  readonly blob: string;
  /** Nanoseconds since 1970. */
  readonly changed: bigint;
}

const HEADER = 12;
const STAT = 40;
/**
 * Flags of an entry: whether git is to treat it as unchanged, whether more flags follow, its stage, and its name's
 * length.
 */
const [ASSUMED, EXTENDED, STAGE, LENGTH] = [0x8000, 0x4000, 0x3000, 0x0fff];
const SKIPPED = 0x4000;
const SUBMODULE = '160000';
const SECOND = 1_000_000_000n;

/**
 * Files that changed within the second in which their entry was written, with the same size and time (for example, by a
 * tool that sets fixed times). git compares whole seconds, so it may treat them as unchanged; nanoseconds show the
 * change.
 */
export async function unsettledFiles(where: IndexedFolder, format: ObjectFormat): Promise<readonly UnsettledEntry[]> {
  const [bytes, { mtimeMs }] = await Promise.all([readFile(where.index), stat(where.index)]);
  const since = Math.floor(mtimeMs / 1_000);
  return fresh(bytes, format, since).filter((entry) => isChanged(where.folder, entry));
}

/** Makes git compare these files by content, by removing its cached data about them. */
export async function forgetSettled(
  store: ObjectStore,
  where: IndexedFolder,
  entries: readonly UnsettledEntry[],
): Promise<void> {
  const lines = entries.flatMap(({ mode, blob, path }) => [
    Buffer.from(`${mode} ${blob}\t`),
    bytesOfName(path),
    Buffer.from([0]),
  ]);
  await store.git(['update-index', '-z', '--index-info'], where, { input: Buffer.concat(lines) });
}

function fresh(bytes: Buffer, format: ObjectFormat, since: number): UnsettledEntry[] {
  try {
    return entriesSince(bytes, format, since).filter(({ mode }) => mode !== SUBMODULE);
  } catch (error) {
    // A damaged index: git reports that to its next user.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function isChanged(folder: string, { path, changed }: UnsettledEntry): boolean {
  try {
    const stats = lstatSync(onDisk(folder, path), { bigint: true });
    return stats.ctimeNs !== changed && (stats.isFile() || stats.isSymbolicLink());
  } catch {
    // Gone, or a parent folder is: git detects that, and also a folder in the place of a file.
    return false;
  }
}

/** Entries that changed in that second or later. https://git-scm.com/docs/index-format */
function entriesSince(bytes: Buffer, format: ObjectFormat, since: number): UnsettledEntry[] {
  const [version, count, idLength] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8), BYTES_OF_ID[format]];
  const found: UnsettledEntry[] = [];
  let at = HEADER;
  let name: Buffer = Buffer.alloc(0);
  for (let number = 0; number < count; number += 1) {
    const flags = bytes.readUInt16BE(at + STAT + idLength);
    const isExtended = (flags & EXTENDED) !== 0;
    const more = isExtended ? bytes.readUInt16BE(at + STAT + idLength + 2) : 0;
    const from = at + STAT + idLength + (isExtended ? 4 : 2);
    const seconds = bytes.readUInt32BE(at);
    const isFresh = seconds >= since && (flags & (ASSUMED | STAGE)) === 0 && (more & SKIPPED) === 0;
    if (version === 4) name = nameAfter(bytes, from, name);
    const end = version === 4 ? bytes.indexOf(0, from + lengthOfNumber(bytes, from)) : endOfName(bytes, from, flags);
    if (isFresh) {
      const mode = bytes.readUInt32BE(at + 24).toString(8);
      const blob = bytes.toString('hex', at + STAT, at + STAT + idLength);
      const changed = BigInt(seconds) * SECOND + BigInt(bytes.readUInt32BE(at + 4));
      found.push({ path: textOfName(version === 4 ? name : bytes.subarray(from, end)), mode, blob, changed });
    }
    // One to eight NUL bytes up to a multiple of eight; in version 4 only one.
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  return found;
}

function endOfName(bytes: Buffer, from: number, flags: number): number {
  const length = flags & LENGTH;
  return length < LENGTH ? from + length : bytes.indexOf(0, from);
}

/** The number of bytes to remove from the previous name, then the new suffix, and a NUL byte. */
function nameAfter(bytes: Buffer, from: number, before: Buffer): Buffer {
  let at = from;
  let strip = bytes[at]! & 0x7f;
  while ((bytes[at]! & 0x80) !== 0) strip = ((strip + 1) << 7) | (bytes[(at += 1)]! & 0x7f);
  const end = bytes.indexOf(0, at + 1);
  return Buffer.concat([before.subarray(0, before.length - strip), bytes.subarray(at + 1, end)]);
}

/** Length of a number in bytes: only its last byte has the highest bit clear. */
function lengthOfNumber(bytes: Buffer, from: number): number {
  let length = 1;
  while ((bytes[from + length - 1]! & 0x80) !== 0) length += 1;
  return length;
}
