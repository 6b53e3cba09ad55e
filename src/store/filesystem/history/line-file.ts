import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { GatelineError, isSystemError } from '../../../errors/gateline-error.ts';
import { readFailure } from '../../../errors/store-errors.ts';
import { syncFolder } from '../durable.ts';

/** Bytes that are read at a time. */
const CHUNK = 64 * 1_024;

/** A longer line is none of ours, nor the document of a report: it is given up as an empty one. Bytes. */
const LONGEST_LINE = 2 * 1_024 * 1_024;

/** Never follows a link in the file's place, and never waits for a pipe without a writer. */
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The lines of a file from the last to the first, some at a time, each list in the file's order. Needs no more memory
 * for a larger file. A missing file has no lines.
 * @throws GatelineError `STORE_READ_FAILED`
 */
export function* linesFromEnd(path: string): Generator<readonly string[]> {
  const file = openPlain(path);
  if (file === undefined) return;
  try {
    let end = fstatSync(file).size;
    let rest = Buffer.alloc(0);
    while (end > 0) {
      const from = Math.max(0, end - CHUNK);
      const bytes = Buffer.concat([readAt(file, from, end - from), rest]);
      end = from;
      const first = from === 0 ? 0 : bytes.indexOf(0x0a) + 1;
      // Without a line break, everything belongs to a line that began earlier.
      const whole = from > 0 && first === 0 ? bytes.length : first;
      rest = bytes.subarray(0, whole).length > LONGEST_LINE ? Buffer.alloc(0) : Buffer.from(bytes.subarray(0, whole));
      if (whole < bytes.length) yield bytes.toString('utf8', whole).split('\n');
    }
  } finally {
    closeSync(file);
  }
}

/** The last lines of a file, at most so many bytes; the first one may be the end of a line. */
export function lastLines(path: string, bytes: number): readonly string[] {
  const file = openPlain(path);
  if (file === undefined) return [];
  try {
    const { size } = fstatSync(file);
    const from = Math.max(0, size - bytes);
    return readAt(file, from, size - from)
      .toString('utf8')
      .split('\n');
  } finally {
    closeSync(file);
  }
}

/**
 * Adds a line, durably. A last line that a killed process left unfinished is removed first: what it was about is
 * written again.
 * @throws the system's error
 */
export async function appendLine(path: string, line: string): Promise<void> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | PLAIN;
  const file = openSync(path, flags, 0o600);
  let isNew: boolean;
  try {
    isNew = fstatSync(file).size === 0;
    const whole = sizeOfWholeLines(file);
    if (whole < fstatSync(file).size) ftruncateSync(file, whole);
    const bytes = Buffer.from(`${line}\n`);
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (isNew) await syncFolder(dirname(path));
}

/** Size of a file without its unfinished last line. */
function sizeOfWholeLines(file: number): number {
  for (let end = fstatSync(file).size; end > 0;) {
    const from = Math.max(0, end - CHUNK);
    const last = readAt(file, from, end - from).lastIndexOf(0x0a);
    if (last >= 0) return from + last + 1;
    end = from;
  }
  return 0;
}

function openPlain(path: string): number | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | PLAIN);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw readFailure(path, error);
  }
  throw new GatelineError('STORE_READ_FAILED', `Cannot read ${path}: it is not a plain file`, {
    place: { file: path },
  });
}

/** Bytes of a file; fewer, if it was cut off in the meantime. */
function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  for (let read = -1; read !== 0 && done < length; done += read)
    read = readSync(file, bytes, done, length - done, position + done);
  return bytes.subarray(0, done);
}
