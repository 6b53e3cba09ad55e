import { readFile, stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { GatelineError, messageOf } from '../errors/gateline-error.ts';
import { MAX_SET_BYTES, readSet } from '../pipeline/subjects/read-set.ts';
import type { SubjectGraph } from '../pipeline/subjects/subject-set.ts';
import { SetInvalidError } from './pipeline-invalid.ts';

/**
 * Reads the file of a set: see docs/recipes/sets.md.
 * @param given its path, relative to the working directory
 * @throws SetInvalidError, GatelineError `SET_UNREADABLE`
 */
export async function loadSet(workingDirectory: string, given: string): Promise<SubjectGraph> {
  const path = resolve(workingDirectory, given);
  const read = readSet(await bytesOf(path, given), relative(workingDirectory, path) || given);
  if (read.ok) return read.subjects;
  throw new SetInvalidError(read.problems);
}

async function bytesOf(path: string, given: string): Promise<Uint8Array> {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new GatelineError('SET_UNREADABLE', `${given} is not a file`);
    if (file.size > MAX_SET_BYTES) {
      const message = `${given} has ${file.size.toLocaleString('en')} bytes; at most ${MAX_SET_BYTES.toLocaleString('en')} are read`;
      throw new GatelineError('SET_UNREADABLE', message);
    }
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof GatelineError) throw cause;
    throw new GatelineError('SET_UNREADABLE', `${given} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
