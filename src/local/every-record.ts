import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../errors/gateline-error.ts';
import { readFailure, unlessAbsent } from '../errors/store-errors.ts';
import type { RecordListing } from '../run/records/reading.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import { QUARANTINE } from '../store/filesystem/quarantine.ts';

/**
 * The records of all pipelines of a workspace: those of definitions without a default name are in folders of their own.
 * Moves nothing.
 * @param state absolute path of `.state`
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function everyRecord(workspace: string, state: string): Promise<RecordListing> {
  const roots = await foldersWithRuns(state);
  const found = await Promise.all(
    roots.map(async (root) => (await openFilesystemStore({ root, workspace, readOnly: true })).everything()),
  );
  return { records: found.flatMap(({ records }) => records), problems: found.flatMap(({ problems }) => problems) };
}

/**
 * Absolute paths of the folders that have records: `.state`, and those below it of definitions without a default name.
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function foldersWithRuns(state: string): Promise<string[]> {
  const names = await unlessAbsent(readdir(state)).catch((error: unknown) => {
    throw readFailure(state, error);
  });
  const roots: string[] = [];
  const others = (names ?? []).filter((name) => name !== QUARANTINE);
  for (const root of [state, ...others.map((name) => join(state, name))]) if (await hasRuns(root)) roots.push(root);
  return roots;
}

/** A folder that cannot be looked at may have records. */
async function hasRuns(root: string): Promise<boolean> {
  const path = join(root, 'runs');
  try {
    return (await unlessAbsent(stat(path))) !== undefined;
  } catch (error) {
    if (isSystemError(error, 'ENOTDIR')) return false;
    throw readFailure(path, error);
  }
}
