import { z } from 'zod';
import type { AttemptDirectory } from '../../agent/attempt-files.ts';
import { ATTEMPT_FILES } from './agent-environment.ts';

const treeId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);
const placeSchema = z.strictObject({
  base: treeId,
  tree: treeId,
  from: treeId,
  place: z.enum(['tree', 'in-place']),
  until: z.string().max(64).optional(),
});

/** Where an attempt works, and on which version of the workspace. */
export type AttemptPlace = z.infer<typeof placeSchema>;

/** At most this many bytes are read back. */
const LIMIT = 64 * 1024;

/** Writes the place into the attempt's directory, for a `complete` in another process. */
export async function writePlace(directory: AttemptDirectory, place: AttemptPlace): Promise<void> {
  await directory.write(ATTEMPT_FILES.place, [JSON.stringify(place)]);
}

/** Reads the place back; `undefined` if the file is missing or was altered. */
export async function readPlace(directory: AttemptDirectory): Promise<AttemptPlace | undefined> {
  const read = await directory.read(ATTEMPT_FILES.place, LIMIT);
  if (read.state !== 'present') return undefined;
  try {
    return placeSchema.parse(JSON.parse(new TextDecoder().decode(read.bytes)));
  } catch {
    // Truncated by a crash, or overwritten by an agent.
    return undefined;
  }
}
