import { realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { openToRead } from './blob.ts';

/**
 * The bytes of a file that a person or a workflow named; links are followed.
 * @param limit the most bytes that are read
 * @throws Error with the reason: the system's, or that it is not a plain file or too large
 */
export async function readNamed(path: string, limit: number): Promise<Buffer> {
  await using file = await openToRead(await realpath(path));
  const bytes = await readBounded(file, limit);
  if (bytes === 'not-plain') throw new Error('it is not a plain file');
  if (bytes === 'too-large') throw new Error(`it has more than ${limit.toLocaleString('en')} bytes`);
  return bytes;
}

/**
 * The bytes of an open file. Devices and pipes have no end, and the size of some files, as in `/proc`, is not what they
 * contain: no more is read than `limit` and one byte.
 */
export async function readBounded(file: FileHandle, limit: number): Promise<Buffer | 'not-plain' | 'too-large'> {
  const stats = await file.stat();
  if (!stats.isFile()) return 'not-plain';
  if (stats.size > limit) return 'too-large';
  const chunks: Buffer[] = [];
  for await (const chunk of file.createReadStream({ end: limit, autoClose: false })) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return bytes.length > limit ? 'too-large' : bytes;
}
