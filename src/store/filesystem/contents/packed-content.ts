import { createHash } from 'node:crypto';
import { rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { isSystemError } from '../../../errors/gateline-error.ts';
import { hexOf, type Digest } from '../../../json/digest.ts';
import { syncFolder, writeTemporary } from '../durable.ts';
import { openForReading } from '../read-file.ts';
import type { StateFolder } from '../state-folder.ts';

/** What the name of a content's file ends in when the file is compressed. */
export const PACKED = '.gz';

/** Smaller contents take one block of a disk either way. */
const SMALLEST_PACKED = 4_096;

/** Larger contents are not compressed: they take too long to read. */
const LARGEST_PACKED = 256 * 1_024 * 1_024;

/** A compressed content takes at most this share of its plain bytes. */
const MOST_LEFT = 0.8;

/** Bytes read at once: the most that is ever in memory of a large content. */
const CHUNK = 1_024 * 1_024;

/** A file's bytes. Each chunk is valid only until the next one is requested. */
export async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array, void, undefined> {
  const { size } = await handle.stat();
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, size + 1)));
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * How large a compressed content says that it is, from the end of its file. Only as true as the file: at most
 * {@link LARGEST_PACKED}.
 */
export async function sizeOfPacked(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const end = Buffer.alloc(4);
  if (size >= end.length) await handle.read(end, 0, end.length, size - end.length);
  return Math.min(end.readUInt32LE(), LARGEST_PACKED);
}

/** The plain bytes of a compressed content. Ends early where the file is damaged, or has more than `size` bytes. */
export async function* unpacked(handle: FileHandle, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const file = handle.createReadStream({ autoClose: false, start: 0 });
  // The error of either is thrown by the loop.
  const plain = pipeline(file, createGunzip({ chunkSize: CHUNK }), () => undefined);
  let left = size;
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      left -= chunk.length;
      if (left < 0) return;
      yield chunk;
    }
  } catch (error) {
    // The digest says the same of a damaged file.
    if (!isSystemError(error, 'Z_DATA_ERROR') && !isSystemError(error, 'Z_BUF_ERROR')) throw error;
  }
}

/** What {@link packContent} did to several contents. */
export interface CompressedContents {
  readonly contents: number;
  /** How many bytes were saved. */
  readonly bytes: number;
}

/**
 * Compresses a content that nobody stored since a time, if that makes it much smaller. Its plain file is removed when
 * the compressed one is durable.
 * @param path of its plain file
 * @param about.signal aborted to stop: the content stays as it is
 * @returns how many bytes were saved; 0: it stays as it is
 * @throws GatelineError `STORE_WRITE_FAILED`
 */
export async function packContent(
  state: StateFolder,
  path: string,
  about: { readonly digest: Digest; readonly before: Date; readonly signal: AbortSignal | undefined },
): Promise<number> {
  const file = await openForReading(path);
  if (file.state !== 'open') return 0;
  const size = Number(file.status.size);
  const isFit =
    size > SMALLEST_PACKED && size <= LARGEST_PACKED && Number(file.status.mtimeMs) < about.before.getTime();
  try {
    return isFit ? await state.writing(path, () => pack(state, path, { ...about, handle: file.handle, size })) : 0;
  } finally {
    await file.handle.close();
  }
}

async function pack(
  { temporaryFolder, onDurable }: StateFolder,
  path: string,
  {
    digest,
    handle,
    size,
    signal,
  }: {
    readonly digest: Digest;
    readonly handle: FileHandle;
    readonly size: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<number> {
  const hash = createHash('sha256');
  const plain = async function* () {
    for await (const chunk of chunksOf(handle)) {
      if (signal?.aborted) return;
      hash.update(chunk);
      yield Buffer.from(chunk);
    }
  };
  const chunks = pipeline(Readable.from(plain()), createGzip(), () => undefined);
  const temporary = await writeTemporary(temporaryFolder, chunks as AsyncIterable<Buffer>);
  try {
    // What is damaged stays, for `gateline doctor`.
    if (hash.digest('hex') !== hexOf(digest) || temporary.bytes > size * MOST_LEFT) return 0;
    await rename(temporary.path, path + PACKED);
    await syncFolder(dirname(path));
    onDurable(`content compressed ${digest}`);
    await unlink(path);
    return size - temporary.bytes;
  } finally {
    await temporary.discard();
  }
}
