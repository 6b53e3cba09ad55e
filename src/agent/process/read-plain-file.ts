import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isSystemError, messageOf } from '../../errors/gateline-error.ts';
import type { AgentFile } from '../attempt-files.ts';

/** Only a plain file, opened without following a link and without waiting for the writer of a pipe. */
export async function readPlainFile(path: string, limit: number): Promise<AgentFile> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const status = await file.stat();
    if (!status.isFile()) return { state: 'refused', why: 'it is not a plain file' };
    if (status.size > limit) return { state: 'too-large', size: status.size };
    const bytes = await file.readFile();
    return bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return { state: 'absent' };
    if (isSystemError(error, 'ELOOP')) return { state: 'refused', why: 'it is a symbolic link' };
    return { state: 'refused', why: messageOf(error) };
  }
}
