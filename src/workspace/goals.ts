import { createHash } from 'node:crypto';
import type { FileChange, FileState } from '../run/record.ts';
import type { Tree, TreeFile } from '../run/tree.ts';
import { openToRead } from './blob.ts';
import { assertContained, foldersOf } from './contain.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { onDisk } from './path-bytes.ts';
import type { FileView } from './snapshot.ts';

/** The files that changes are applied to. */
export interface Place {
  readonly root: string;
  readonly view: FileView;
}

/** How one path should stand after all changes, and every state in which one of the gates knew it. */
export interface Goal {
  readonly path: string;
  readonly after: FileChange['after'];
  readonly known: readonly NonNullable<FileChange['after']>[];
}

/**
 * One goal a path, in order of first mention: the last change decides. A path that two gates changed is written
 * once, and what the first of them left is known, not foreign.
 *
 * @throws GatelineError `PATH_ESCAPES` for a path that may not be written; `PATH_BLOCKED` when one file would have to be
 *   the folder of another.
 */
export function goalsOf(changes: readonly FileChange[]): Map<string, Goal> {
  for (const { path } of changes) assertContained(path);
  const goals = new Map<string, Goal>();
  for (const { path, before, after } of changes) {
    const states = [before, after].filter((state) => state !== null);
    goals.set(path, { path, after, known: [...(goals.get(path)?.known ?? []), ...states] });
  }
  for (const { path, after } of goals.values()) {
    const folder = after === null ? undefined : foldersOf(path).find((one) => (goals.get(one)?.after ?? null) !== null);
    if (folder === undefined) continue;
    throw new GatelineError('agent', 'PATH_BLOCKED', `${path} and ${folder} cannot both be files.`, {
      hint: 'Two gates left them; let both hand on the same layout.',
    });
  }
  return goals;
}

/** What stands at the goals' paths now. */
export async function presentAt({ view }: Place, goals: ReadonlyMap<string, Goal>): Promise<Tree> {
  return (await view.snapshot()).resolve(goals.keys());
}

/** Whether a file is as a state says. Where line endings or LFS are set up otherwise than where it was taken, its bytes tell. */
export async function isAs(
  { root, view }: Place,
  path: string,
  file: TreeFile | undefined,
  state: FileState | null,
): Promise<boolean> {
  if (file === undefined || state === null) return file === undefined && state === null;
  if (file.mode !== '100644' && file.mode !== '100755') return false;
  if (view.modesCount && file.mode !== state.mode) return false;
  return file.blob === state.blob || hasBytes(root, path, state);
}

async function hasBytes(root: string, path: string, { content }: NonNullable<FileChange['after']>): Promise<boolean> {
  if (content === undefined) return false;
  await using file = await openToRead(onDisk(root, path));
  if ((await file.stat()).size !== content.bytes) return false;
  const hash = createHash('sha256');
  if (content.bytes > 0) {
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) hash.update(chunk);
  }
  return `sha256:${hash.digest('hex')}` === content.digest;
}
