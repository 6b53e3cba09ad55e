import { relative, resolve } from 'node:path';
import { GatelineError, messageOf } from '../errors/gateline-error.ts';
import { MAX_SET_BYTES, readSet } from '../pipeline/subjects/read-set.ts';
import type { SubjectGraph } from '../pipeline/subjects/subject-set.ts';
import { readNamed } from '../workspace/files/read-named.ts';
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
    return await readNamed(path, MAX_SET_BYTES);
  } catch (cause) {
    throw new GatelineError('SET_UNREADABLE', `${given} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
