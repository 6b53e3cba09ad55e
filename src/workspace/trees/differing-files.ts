import { GatelineError } from '../../errors/gateline-error.ts';
import { kindOf, lookBelow } from '../files/look.ts';
import { onDisk, splitNames } from '../files/path-bytes.ts';
import { OWN_REPOSITORY, type LeftOut } from './left-out.ts';
import type { IndexedFolder, ObjectStore } from '../objects/object-store.ts';

/** Differences of a folder from its index. Paths from the top. */
export interface Differing {
  readonly modified: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  /** Submodules with uncommitted changes. */
  readonly dirty: readonly string[];
  /** Entries in the place of a file that are not files. */
  readonly leftOut: readonly LeftOut[];
}

const SUBMODULE = '160000';

/**
 * Asks git for differences from an index, and checks each such path.
 * @throws GatelineError `WORKSPACE_UNREADABLE` when a folder with files of the index is not readable
 */
export async function differingFiles(store: ObjectStore, where: IndexedFolder): Promise<Differing> {
  const { out, err } = await store.git(['diff-files', '-z', '--ignore-submodules=none'], where);
  refuseDenied(where.folder, err);
  const look = lookBelow(where.folder);
  const modified = new Set<string>();
  const deleted = new Set<string>();
  const dirty: string[] = [];
  const leftOut: LeftOut[] = [];
  // `:<mode> <mode> <id> <id> <status>`, then the path.
  const fields = splitNames(out);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1]!;
    const [before = '', , , after = ''] = fields[at]!.slice(1).split(' ');
    const stats = look(path);
    if (stats?.isFile() === true || stats?.isSymbolicLink() === true) modified.add(path);
    else if (stats?.isDirectory() === true && before === SUBMODULE) {
      // git reports the submodule's commit if it matches the index; then the submodule's content differs.
      const isMoved = /^0+$/.test(after);
      if (isMoved) modified.add(path);
      if (!isMoved || (await isDirty(store, where.folder, path))) dirty.push(path);
    } else {
      deleted.add(path);
      if (stats?.isDirectory() === true && look(`${path}/.git`) !== undefined)
        leftOut.push({ path, why: OWN_REPOSITORY });
      else if (stats?.isDirectory() === false) leftOut.push({ path, why: `it is ${kindOf(stats)}` });
    }
  }
  return { modified, deleted, dirty, leftOut };
}

/**
 * git skips unreadable paths, and reports them on stderr. Messages about its own settings outside the folder are
 * ignored.
 */
function refuseDenied(folder: string, said: string): void {
  const isInside = (line: string): boolean =>
    (/unable to access '(\/.*)'/.exec(line)?.[1] ?? folder).startsWith(folder);
  const lines = said.split('\n').filter((line) => line.endsWith('Permission denied') && isInside(line));
  if (lines.length === 0) return;
  throw new GatelineError(
    'WORKSPACE_UNREADABLE',
    `git cannot read files in ${folder}: ${lines.slice(0, 5).join('; ')}`,
    {
      hint: 'Check who owns these folders, and that you can access them.',
    },
  );
}

async function isDirty(store: ObjectStore, folder: string, path: string): Promise<boolean> {
  const git = store.at(String(onDisk(folder, path)));
  const { out } = await git(['status', '--porcelain', '-z', '--ignore-submodules=none']);
  return out.length > 0;
}
