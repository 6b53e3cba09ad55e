import { createHash } from 'node:crypto';
import { constants, readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { GatelineError } from '../errors/gateline-error.ts';
import { onDisk } from './path-bytes.ts';

/** How a repository names its objects. */
export type ObjectFormat = 'sha1' | 'sha256';

const TRIES = 3;

/** The id that git gives these bytes as a blob: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
export function blobOf(content: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** `link:` and the blob id of a symbolic link's target text. */
export function linkBlob(root: string, path: string, format: ObjectFormat): string {
  return `link:${blobOf(readlinkSync(onDisk(root, path), 'buffer'), format)}`;
}

/** Open a plain file for reading: no link followed, no wait for the other end of a pipe. */
export async function openToRead(place: string | Buffer): Promise<FileHandle> {
  return open(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}

/**
 * The blob id of a file's bytes as they are, without git's filters.
 * @throws GatelineError `FILE_CHANGING` when it changes each time it is read.
 */
export async function blobOfFile(root: string, path: string, format: ObjectFormat): Promise<string> {
  for (let tries = 0; tries < TRIES; tries++) {
    await using file = await openToRead(onDisk(root, path));
    const { size } = await file.stat();
    const hash = createHash(format).update(`blob ${size}\0`);
    let bytes = 0;
    if (size > 0) {
      for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        hash.update(chunk);
      }
    }
    if (bytes === size) return hash.digest('hex');
  }
  throw new GatelineError('platform', 'FILE_CHANGING', `${path} changes while it is read.`, {
    hint: 'End the program that still writes to it.',
  });
}
