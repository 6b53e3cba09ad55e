import { z } from 'zod';

/**
 * One version of a file in a snapshot: git's mode and blob id (`100644 8f3a…`), or, for a file that is not stored
 * (too large, ignored, unreadable), a text that changes whenever the file does. `null`: there is no file.
 */
export type FileVersion = string;
const version = z.string().min(1).max(400);

/** A change of one path. `ignored`: it left the snapshot because git ignores it now; the file is still there. */
export const fileChangeSchema = z.strictObject({
  path: z.string().min(1).max(4_096),
  before: version.nullable(),
  after: version.nullable(),
  ignored: z.literal(true).optional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** A file that a unit made: before it first touched it, the versions that its attempts found, and what it left. */
const gateFileSchema = z.strictObject({
  base: version.nullable(),
  found: z.array(version.nullable()),
  after: version.nullable(),
});
export const gateFilesSchema = z.record(z.string(), gateFileSchema);
/** The files of a unit, by path: all its attempts together, as far as they are as it left them. */
export type GateFiles = z.infer<typeof gateFilesSchema>;

/** A version of a path in a snapshot; `null`: no file. */
export type VersionOf = (path: string) => FileVersion | null;

/** The files of a unit after one more attempt: what it made before and is still there, and what it changed now. */
export function composeFiles(earlier: GateFiles, versionBefore: VersionOf, changes: readonly FileChange[]): GateFiles {
  // A map: a file may be named `constructor` or `__proto__`.
  const files = new Map(Object.entries(earlier).filter(([path, file]) => versionBefore(path) === file.after));
  for (const { path, before, after, ignored } of changes) {
    const file = files.get(path);
    // A file that git ignores now left the snapshot, but nobody deleted it.
    if (ignored) files.delete(path);
    else
      files.set(path, {
        base: file ? file.base : before,
        found: without([...(file?.found ?? []), before], after),
        after,
      });
  }
  // No entry can hold this key when it is read again.
  files.delete('__proto__');
  return Object.fromEntries(files);
}

/** The files of a unit after another unit changed some of them: its version becomes the one to put back. */
export function adjustFiles(files: GateFiles, changes: readonly FileChange[]): GateFiles {
  if (!changes.some(({ path }) => Object.hasOwn(files, path))) return files;
  const adjusted = { ...files };
  for (const { path, before, after, ignored } of changes) {
    const file = adjusted[path];
    // The same change again, after a kill between checkpoints and log, adjusts nothing.
    if (file === undefined || (file.after === after && !ignored)) continue;
    if (file.after === before && !ignored)
      adjusted[path] = { ...file, found: without([...file.found, file.after], after), after };
    // Somebody else changed it in between: it is no longer a file of this unit.
    else delete adjusted[path];
  }
  return adjusted;
}

/** The files of an output that was remembered before rollbacks took changes of other units back. */
export function takeBack(files: GateFiles, changes: Iterable<FileChange>): GateFiles {
  const isPart = ({ path, before }: FileChange) => Object.hasOwn(files, path) && files[path]!.after === before;
  return adjustFiles(files, [...changes].filter(isPart));
}

function without(versions: readonly (FileVersion | null)[], after: FileVersion | null): (FileVersion | null)[] {
  return [...new Set(versions)].filter((version) => version !== after);
}

/** The files of an output. */
export interface OutputFiles {
  readonly files: GateFiles;
  /** The files of its unit as the newest attempt left them. */
  readonly newest: GateFiles;
  /** Whether the output is the one of the newest attempt: then a version of the user stays. */
  readonly isNewest: boolean;
}

/** What using an output would write, or why it cannot be used. */
export type PutPlan =
  | {
      readonly choice: 'put';
      readonly changes: readonly FileChange[];
      /** Paths where the user's version stays. */ readonly left: readonly string[];
    }
  | { readonly choice: 'run'; /** A version that nobody would have afterwards. */ readonly conflict: string };

/**
 * Which files must be written so that the files of an output are in the folder. A version is replaced only if the unit
 * found it, or if its newest attempt left it.
 * @param isInput whether the unit reads a path: what it reads is not taken back
 */
export function planPut(
  { files, newest, isNewest }: OutputFiles,
  current: VersionOf,
  isInput: (path: string) => boolean,
): PutPlan {
  const changes: FileChange[] = [];
  const left: string[] = [];
  for (const [path, { found, after }] of Object.entries(files)) {
    const before = current(path);
    if (before === after) continue;
    if (found.includes(before) || (!isNewest && newest[path]?.after === before)) changes.push({ path, before, after });
    else if (isNewest) left.push(path);
    else return { choice: 'run', conflict: path };
  }
  if (!isNewest)
    for (const [path, { base, after }] of Object.entries(newest))
      if (!Object.hasOwn(files, path) && current(path) === after && base !== after && !isInput(path))
        changes.push({ path, before: after, after: base });
  return { choice: 'put', changes, left };
}
