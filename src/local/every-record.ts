import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFailure, unlessAbsent } from '../errors/store-errors.ts';
import type { RecordListing } from '../run/records/reading.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';

/**
 * The records of all pipelines of a workspace: those of definitions without a default name are in folders of their own.
 * Moves nothing.
 * @param state absolute path of `.state`
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function everyRecord(workspace: string, state: string): Promise<RecordListing> {
  const names = await unlessAbsent(readdir(state)).catch((error: unknown) => {
    throw readFailure(state, error);
  });
  const roots = [state, ...(names ?? []).map((name) => join(state, name))].filter((root) =>
    existsSync(join(root, 'runs')),
  );
  const found = await Promise.all(
    roots.map(async (root) => (await openFilesystemStore({ root, workspace, readOnly: true })).everything()),
  );
  return { records: found.flatMap(({ records }) => records), problems: found.flatMap(({ problems }) => problems) };
}
