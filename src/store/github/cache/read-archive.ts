import { extract, type Header } from 'tar-stream';
import { ARCHIVE_FOLDER, DOCUMENT_NAME, ENTRY_PATH, type Compression } from './entry-name.ts';
import { unpack } from './decompress.ts';
import type { CacheLimits } from '../../../github/limits.ts';
import { Unusable } from './unusable.ts';

/** The files of an entry by base name: {@link DOCUMENT_NAME}, or the 64 hex digits of a content. */
export type EntryFiles = ReadonlyMap<string, Buffer>;

/** Prefix of an entry's files in its archive. */
const FOLDER = `${ARCHIVE_FOLDER}/${ENTRY_PATH}/`;
const FILE_NAME = /^(?:checkpoint\.json|[0-9a-f]{64})$/;

/**
 * The files of an entry, in memory. Nothing is written anywhere: paths and links in the archive are only read. The
 * archive must contain exactly the files that we put into it, or it is refused as a whole.
 * @throws Unusable
 */
export async function readArchive(packed: Buffer, compression: Compression, limits: CacheLimits): Promise<EntryFiles> {
  return filesIn(await unpack(packed, compression, limits), limits);
}

async function filesIn(archive: Buffer, { maxContents }: CacheLimits): Promise<EntryFiles> {
  const files = new Map<string, Buffer>();
  let entries = 0;
  const reader = extract();
  reader.end(archive);
  try {
    for await (const entry of reader) {
      const { header } = entry;
      entries += 1;
      // Plus the folder and the document.
      if (entries > maxContents + 2) throw new Unusable(`the entry holds more than ${maxContents} contents`);
      if (header.type === 'directory' && header.name === FOLDER) {
        entry.resume();
        continue;
      }
      const name = expectedName(header);
      if (name === undefined || files.has(name)) throw new Unusable('the entry contains something unexpected');
      files.set(name, await bytesOf(entry as AsyncIterable<Buffer>));
    }
  } catch (error) {
    if (error instanceof Unusable) throw error;
    throw new Unusable('the entry is not a complete tar archive', { cause: error });
  }
  if (!files.has(DOCUMENT_NAME)) throw new Unusable('the entry contains no checkpoint');
  return files;
}

/** The base name of one of our plain files. */
function expectedName({ type, name }: Header): string | undefined {
  if (type !== 'file' || !name.startsWith(FOLDER)) return undefined;
  const base = name.slice(FOLDER.length);
  return FILE_NAME.test(base) ? base : undefined;
}

/** All bytes of a file; usually a slice of the archive, without a copy. */
async function bytesOf(file: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of file) parts.push(part);
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
