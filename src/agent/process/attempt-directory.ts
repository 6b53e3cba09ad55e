import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import { isFromSystem } from '../../errors/store-errors.ts';
import { hexOf } from '../../json/digest.ts';
import type { AttemptDirectory, AttemptFiles, AttemptId } from '../attempt-files.ts';
import { readPlainFile } from './read-plain-file.ts';

/** Enough digits that no two subjects share a folder. */
const SUBJECT_DIGITS = 16;

/** Options of attempt directories. */
export interface AttemptDirectoryOptions {
  /** Absolute; `.state/attempts`. */
  readonly root: string;
  /** Called after each change that is visible to later readers; crash tests end the process there. */
  readonly onDurable?: (what: string) => void;
}

/**
 * Attempt directories on disk: `<root>/<digest of the subject>/<run>/<pipeline>.<gate>.<leg>.<call>.<n>/`. Agents see
 * the path, and a default subject is not for them.
 */
export function createAttemptFiles(options: AttemptDirectoryOptions): AttemptFiles {
  const pathOf = (id: AttemptId): string =>
    join(runFolder(options.root, id), `${id.pipeline}.${id.gate}.${id.leg || '_'}.${id.runAttempt}.${id.n}`);
  return {
    root: options.root,
    pathOf,
    create: async (id) => {
      const path = pathOf(id);
      await mkdir(join(path, '..'), { recursive: true });
      try {
        await mkdir(path);
      } catch (cause) {
        if (!isSystemError(cause, 'EEXIST')) throw failure('create', path, cause);
        throw new GatelineError('ATTEMPT_EXISTS', `${path} exists already`, {
          cause,
        });
      }
      options.onDurable?.(`mkdir ${path}`);
      return directoryAt(path, options);
    },
    open: async (id) => {
      const path = pathOf(id);
      try {
        return (await lstat(path)).isDirectory() ? directoryAt(path, options) : undefined;
      } catch (cause) {
        if (isSystemError(cause, 'ENOENT')) return undefined;
        throw failure('open', path, cause);
      }
    },
  };
}

/** Removes the attempt directories of a run. What the system refuses to remove stays. @param root `.state/attempts` */
export async function removeAttempts(
  root: string,
  run: Pick<AttemptId, 'pipeline' | 'subject' | 'runNumber'>,
): Promise<void> {
  const folder = runFolder(root, run);
  try {
    for (const name of await readdir(folder))
      if (name.startsWith(`${run.pipeline}.`)) await rm(join(folder, name), { recursive: true, force: true });
    await rmdir(folder);
    await rmdir(dirname(folder));
  } catch (error) {
    // There is none, or others have attempts there, or an agent took our rights away.
    if (!isFromSystem(error)) throw error;
  }
}

function runFolder(root: string, { subject, runNumber }: Pick<AttemptId, 'subject' | 'runNumber'>): string {
  return join(root, hexOf(digestOfJson(subject)).slice(0, SUBJECT_DIGITS), String(runNumber));
}

function directoryAt(path: string, options: AttemptDirectoryOptions): AttemptDirectory {
  const pathOf = (name: string): string => join(path, name);
  return {
    path,
    pathOf,
    write: async (name, chunks) => {
      const target = pathOf(name);
      const temporary = pathOf(`.${name}.tmp`);
      try {
        await regainRights(path);
        await writeChunks(temporary, chunks);
        await rename(temporary, target);
      } catch (cause) {
        throw failure('write', target, cause);
      }
      options.onDurable?.(`write ${target}`);
    },
    place: (name, digest, place) => place(digest, pathOf(name), 0o444),
    read: async (name, limit) => {
      await regainRights(path);
      return readPlainFile(pathOf(name), limit);
    },
    remove: async (name) => {
      try {
        await regainRights(path);
        await rm(pathOf(name), { force: true, recursive: true });
      } catch (cause) {
        throw failure('remove', pathOf(name), cause);
      }
    },
  };
}

/** Restores our rights to the directory, which the agent may have removed. */
async function regainRights(path: string): Promise<void> {
  try {
    const status = await lstat(path);
    if (status.isDirectory() && (status.mode & 0o700) !== 0o700) await chmod(path, 0o700);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') && !isSystemError(error, 'EPERM')) throw error;
  }
}

async function writeChunks(path: string, chunks: Iterable<string>): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  for (const chunk of chunks) await file.write(chunk);
  await file.sync();
}

function failure(what: string, path: string, cause: unknown): GatelineError {
  return new GatelineError('ATTEMPT_FILES_FAILED', `cannot ${what} ${path}: ${messageOf(cause)}`, {
    cause,
  });
}
