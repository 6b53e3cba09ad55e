import { z } from 'zod';

/**
 * The version of a file in a snapshot: git's mode and blob id (`100644 8f3a…`), or, for a file that is not stored (too
 * large, ignored, unreadable), a text that changes with the file. `null` in its place: there is no file.
 */
export type FileVersion = string;
const version = z.string().min(1).max(400);

/** A change of one path. `ignored`: it left the snapshot because git ignores it now, but the file is still there. */
export const fileChangeSchema = z.strictObject({
  path: z.string().min(1).max(4_096),
  before: version.nullable(),
  after: version.nullable(),
  ignored: z.literal(true).optional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** A file of a unit: its version before the unit first changed it, those that attempts found, and the last one. */
const gateFileSchema = z.strictObject({
  base: version.nullable(),
  found: z.array(version.nullable()),
  after: version.nullable(),
});
export const gateFilesSchema = z.record(z.string(), gateFileSchema);
/** The files that all attempts of a unit made, by path, as long as they are as the unit left them. */
export type GateFiles = z.infer<typeof gateFilesSchema>;

/** Looks up the version of a path in a snapshot; `null`: no file. */
export type VersionOf = (path: string) => FileVersion | null;

/** The files of a unit after one more attempt: earlier ones that are still as it left them, and those changed now. */
export function composeFiles(earlier: GateFiles, versionBefore: VersionOf, changes: readonly FileChange[]): GateFiles {
  // A map, since a file may be named `constructor` or `__proto__`.
  const files = new Map(Object.entries(earlier).filter(([path, file]) => versionBefore(path) === file.after));
  for (const { path, before, after, ignored } of changes) {
    const file = files.get(path);
    // A file that git ignores now is no longer in the snapshot, but nobody deleted it.
    if (ignored) files.delete(path);
    else
      files.set(path, {
        base: file ? file.base : before,
        found: withoutVersion([...(file?.found ?? []), before], after),
        after,
      });
  }
  // Parsing an entry drops this key.
  files.delete('__proto__');
  return Object.fromEntries(files);
}

/** The files of a unit after another unit changed some of them: from then on, that version is put back. */
export function adjustFiles(files: GateFiles, changes: readonly FileChange[]): GateFiles {
  if (!changes.some(({ path }) => Object.hasOwn(files, path))) return files;
  const adjusted = { ...files };
  for (const { path, before, after, ignored } of changes) {
    const file = adjusted[path];
    // A change that was applied already, before a kill between checkpoints and log, is not applied again.
    if (file === undefined || (file.after === after && !ignored)) continue;
    if (file.after === before && !ignored)
      adjusted[path] = { ...file, found: withoutVersion([...file.found, file.after], after), after };
    // Somebody else changed it in between, so it is no longer a file of this unit.
    else delete adjusted[path];
  }
  return adjusted;
}

/** The files of an output after rollbacks reverted changes of other units. @param reverts changes that rollbacks made */
export function applyReverts(files: GateFiles, reverts: Iterable<FileChange>): GateFiles {
  const concerns = ({ path, before }: FileChange) => Object.hasOwn(files, path) && files[path]!.after === before;
  return adjustFiles(files, [...reverts].filter(concerns));
}

function withoutVersion(versions: readonly (FileVersion | null)[], after: FileVersion | null): (FileVersion | null)[] {
  return [...new Set(versions)].filter((version) => version !== after);
}

/** The files of an output. */
export interface OutputFiles {
  readonly files: GateFiles;
  /** The files of its unit as the newest attempt left them. */
  readonly newest: GateFiles;
  /** The output is the newest one: then a version of the user stays. */
  readonly isNewest: boolean;
  /** A later attempt failed: what it left is no version of the user. */
  readonly hasFailed: boolean;
}

/** The changes that using an output makes, or the path for which it cannot be used. */
export type PutPlan =
  | {
      readonly choice: 'put';
      readonly changes: readonly FileChange[];
      /** Paths where the user's version stays. */
      readonly left: readonly string[];
    }
  | {
      readonly choice: 'run';
      /** A path whose current version would be lost. */
      readonly conflict: string;
    };

/**
 * The changes that put the files of an output into the folder. A version is replaced only if an attempt of the unit found
 * it, or if the newest attempt left it.
 * @param isInput whether the unit reads a path: a file that it reads is not reverted
 */
export function planPut(
  { files, newest, isNewest, hasFailed }: OutputFiles,
  current: VersionOf,
  isInput: (path: string) => boolean,
): PutPlan {
  const changes: FileChange[] = [];
  const left: string[] = [];
  const isOlder = !isNewest || hasFailed;
  for (const [path, { found, after }] of Object.entries(files)) {
    const before = current(path);
    if (before === after) continue;
    if (found.includes(before) || (isOlder && newest[path]?.after === before)) changes.push({ path, before, after });
    else if (isNewest) left.push(path);
    else return { choice: 'run', conflict: path };
  }
  if (isOlder)
    for (const [path, { base, after }] of Object.entries(newest))
      if (!Object.hasOwn(files, path) && current(path) === after && base !== after && !isInput(path))
        changes.push({ path, before: after, after: base });
  return { choice: 'put', changes, left };
}
