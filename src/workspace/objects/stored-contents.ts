import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writing } from '../../errors/store-errors.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { onDisk, quotedForGit } from '../files/path-bytes.ts';
import type { CopyContent, LaidFile } from '../workspace.ts';
import { snapshotIndexOf, type ObjectStore } from './object-store.ts';
import { lackedBy } from './own-objects.ts';

/** Source of contents, and the prefix of paths from the top of the repository. */
export interface ContentsFrom {
  readonly copy: CopyContent;
  readonly pathOf: (path: string) => string;
}

/** Changes whose contents are stored as objects, as far as available. */
export interface StoredChanges {
  readonly changes: readonly LaidFile[];
  /** Why a content is not available: an error, unless the user's repository has it. */
  readonly missing?: GatelineError;
}

/** Whether a version can be stored from what is known besides its blob: stored content, or a copy of the file. */
function hasSource({ after, copyFrom }: LaidFile): boolean {
  return after !== null && (after.content !== undefined || (copyFrom !== undefined && after.mode.startsWith('100')));
}

/** Stores the contents of changes that our object store lacks. */
export async function storeContents(
  store: ObjectStore,
  changes: readonly LaidFile[],
  { copy, pathOf }: ContentsFrom,
): Promise<StoredChanges> {
  const lacked = new Set(
    await lackedBy(
      store,
      changes.filter(hasSource).map(({ after }) => after!.blob),
    ),
  );
  if (lacked.size === 0) return { changes };
  const folder = join(store.path, 'incoming', randomBytes(8).toString('hex'));
  await writing(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  try {
    const copied: Copied[] = [];
    let missing: GatelineError | undefined;
    for (const [number, change] of changes.entries()) {
      const { path, after, copyFrom } = change;
      if (after === null || !hasSource(change) || !lacked.has(after.blob)) continue;
      if (after.content === undefined) {
        const file = String(onDisk(copyFrom!, path));
        if (existsSync(file)) copied.push({ file, path: pathOf(path), number, blob: after.blob });
        continue;
      }
      const file = join(folder, String(number));
      const read = await copy(after.content.digest, file, 0o600);
      if (read.state === 'present') copied.push({ file, path: pathOf(path), number, blob: after.blob });
      else missing ??= contentMissing(path, read.state === 'unknown' ? read.problem.message : 'it is missing');
    }
    const blobs = await hash(store, copied);
    const stored = changes.map((change, number) => {
      const blob = blobs.get(number);
      return blob === undefined || change.after === null ? change : { ...change, after: { ...change.after, blob } };
    });
    return { changes: stored, ...(missing && { missing }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Copied {
  readonly file: string;
  readonly path: string;
  /** Index of the change. */
  readonly number: number;
  readonly blob: string;
}

/**
 * Contents are stored as the blob itself, except for files that a filter converts: those are stored as they are on
 * disk.
 */
async function hash(store: ObjectStore, copied: readonly Copied[]): Promise<Map<number, string>> {
  if (copied.length === 0) return new Map();
  const { out } = await store.git(
    ['hash-object', '-w', '--no-filters', '--stdin-paths'],
    {},
    { input: Buffer.concat(copied.flatMap(({ file }) => [quotedForGit(file), Buffer.from('\n')])) },
  );
  const ids = out.toString('latin1').trim().split('\n');
  const found = new Map<number, string>();
  for (const [index, { file, path, number, blob }] of copied.entries()) {
    if (ids[index] === blob) continue;
    const filtered = await store.git(['hash-object', '-w', `--path=${path}`, file], { index: snapshotIndexOf(store) });
    found.set(number, filtered.out.toString('latin1').trim());
  }
  return found;
}

function contentMissing(path: string, why: string): GatelineError {
  return new GatelineError('CONTENT_MISSING', `the content of ${path}, which an earlier gate handed on: ${why}`, {
    hint: 'Run that gate again.',
  });
}
