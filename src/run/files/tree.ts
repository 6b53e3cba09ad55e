import { firstNames } from '../../errors/first-names.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { FileChange } from '../records/record.ts';

/**
 * A file as git stores it. `blob` is the id of its content after git's filters, so that line endings and LFS agree
 * across systems.
 */
export interface TreeFile {
  /** For a symbolic link, its target's text is the content. For a submodule, this is the commit. */
  readonly blob: string;
  /** As in git: `100644`, `100755`, `120000`, `160000`. */
  readonly mode: string;
}

/** Files of a workspace: path (`/`-separated, relative to the workspace) → file. */
export type Tree = ReadonlyMap<string, TreeFile>;

/** One path at which two trees differ. `null`: no file. */
export interface TreeDifference {
  readonly path: string;
  readonly before: TreeFile | null;
  readonly after: TreeFile | null;
}

/**
 * Applies changes to a tree. A file that replaces a folder removes the folder's files, and the other way round.
 * @param changes one per path, none of them below another one that is a file
 */
export function overlay(tree: Tree, changes: readonly Pick<FileChange, 'path' | 'after'>[]): Map<string, TreeFile> {
  const result = new Map(tree);
  if (changes.length === 0) return result;
  const folders = new Set<string>();
  const files = new Set<string>();
  for (const { path, after } of changes) {
    result.delete(path);
    if (after === null) continue;
    files.add(path);
    for (const folder of foldersAbove(path)) folders.add(folder);
  }
  for (const folder of folders) result.delete(folder);
  for (const path of result.keys()) if (foldersAbove(path).some((folder) => files.has(folder))) result.delete(path);
  for (const { path, after } of changes) if (after !== null) result.set(path, { blob: after.blob, mode: after.mode });
  return result;
}

/** Pairs of paths of which one is a file and the other needs a folder of that name: `['a', 'a/b']`. */
export function fileAndFolder(paths: Iterable<string>): [string, string][] {
  const all = new Set(paths);
  return [...all].flatMap((path) =>
    foldersAbove(path)
      .filter((folder) => all.has(folder))
      .map((folder): [string, string] => [folder, path]),
  );
}

function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** True if both have the same content and mode, or both are absent. */
export function sameFile(a: TreeFile | null, b: TreeFile | null): boolean {
  return a === null || b === null ? a === b : a.blob === b.blob && a.mode === b.mode;
}

/**
 * Refuses a folder that does not have the files that earlier gates handed on.
 * @param unit whose attempt it is, and how it works in a work tree instead
 * @throws GatelineError `GATE_NOT_APPLIED`
 */
export function refuseLacking(
  folder: Tree,
  handedOn: readonly Pick<TreeDifference, 'path' | 'after'>[],
  unit?: { readonly key: UnitKey; readonly inTree: string },
): void {
  const lacking = handedOn.filter(({ path, after }) => !sameFile(folder.get(path) ?? null, after));
  if (lacking.length === 0) return;
  const names = lacking.map(({ path }) => path);
  const message = `${unit === undefined ? '' : `gate ${unit.key}: `}files that earlier gates handed on are missing from the folder: ${firstNames(names, 10)}`;
  const apply = 'Run `gateline apply`, which puts these files into the folder; gates that read them then run again.';
  throw new GatelineError('GATE_NOT_APPLIED', message, unit && { hint: `${apply} Or ${unit.inTree}.` });
}
