import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** The hash with which a repository names its objects. */
export type ObjectFormat = 'sha1' | 'sha256';

/** Length of an object's id, in bytes. */
export const BYTES_OF_ID: Readonly<Record<ObjectFormat, number>> = { sha1: 20, sha256: 32 };

/** Open a plain file for reading: links are not followed, and a pipe without a writer does not block. */
export async function openToRead(place: string | Buffer): Promise<FileHandle> {
  return open(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}
