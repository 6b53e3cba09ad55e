import { readdir, type FileHandle } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { isSystemError, messageOf } from '../../errors/gateline-error.ts';
import type { FileFormat, FileProblem, NotMoved, SourceFile } from '../../formats/exchange.ts';
import { MAX_IMPORT_BYTES } from '../../formats/findings.ts';
import { subjectSlug } from '../../run/records/subject.ts';
import { openToRead } from '../../workspace/files/blob.ts';
import { isRelative } from '../../workspace/files/contain.ts';
import { kindOf, linksAbove, lookAt } from '../../workspace/files/look.ts';
import { readBounded } from '../../workspace/files/read-named.ts';

/** Most files that are read in one import. */
const MOST_FILES = 2_000;

/** Most bytes of all of them. */
const MOST_BYTES = 8 * MAX_IMPORT_BYTES;

/** Files that were read, and why others were not. */
export interface Sources {
  readonly files: readonly SourceFile[];
  readonly problems: readonly FileProblem[];
  /** Folders next to them that are left where they are. */
  readonly left: readonly NotMoved[];
  /** Slugs of subjects whose files in the folder were not read. */
  readonly others: readonly string[];
}

/**
 * Reads plain files of a folder, and follows no link below it.
 * @param folder absolute
 * @param named paths in the folder; none: every file that the system is known to write
 * @param subject of several in the folder, whose files are read if none are named. Default: those of all
 */
export async function readSources(
  folder: string,
  format: FileFormat,
  named: readonly string[],
  subject?: string,
): Promise<Sources> {
  const files: SourceFile[] = [];
  const problems: FileProblem[] = [];
  const isLinked = linksAbove(folder);
  const { paths, others } =
    named.length > 0
      ? { paths: named.map(normalized), others: [] }
      : filesOf(subject, await knownFiles(folder, format), format);
  let total = 0;
  for (const path of new Set(paths)) {
    const refuse = (message: string): number => problems.push({ file: path, pointer: '', message });
    if (files.length === MOST_FILES || total > MOST_BYTES) {
      refuse(`more than ${MOST_FILES} files, or more than 512 MiB, are not read at once`);
      break;
    }
    try {
      const stats = isRelative(path) ? lookAt(folder, path) : undefined;
      if (!isRelative(path)) refuse('it is outside the folder; `--from DIR` names another one');
      else if (isLinked(path)) refuse('a folder in its path is a symbolic link');
      else if (stats === undefined) refuse('it does not exist');
      else if (!stats.isFile()) refuse(`it is ${kindOf(stats)}, not a file`);
      else if (stats.size > MAX_IMPORT_BYTES) refuse('it has more than 64 MiB');
      else {
        await using file = await openToRead(join(folder, path));
        const bytes = await readBounded(file, MAX_IMPORT_BYTES);
        if (!(await isFileAt(folder, path, file))) refuse('it was replaced while it was read');
        else if (typeof bytes === 'string')
          refuse(bytes === 'too-large' ? 'it has more than 64 MiB' : 'it is not a file');
        else files.push({ path, bytes, modified: stats.mtimeMs });
        total += bytes.length;
      }
    } catch (error) {
      refuse(`it cannot be read: ${messageOf(error)}`);
    }
  }
  return { files, problems, left: leftBeside(folder, format, named.length > 0 ? paths : ['']), others };
}

/** The files of a subject, if any is named after it, and the slugs of the others. */
function filesOf(
  subject: string | undefined,
  paths: readonly string[],
  { slugOf = () => undefined }: FileFormat,
): { readonly paths: readonly string[]; readonly others: readonly string[] } {
  const bySlug = Map.groupBy(paths, slugOf);
  const slug = subject === undefined ? undefined : subjectSlug(subject);
  const own = slug === undefined ? undefined : bySlug.get(slug);
  if (own === undefined) return { paths, others: [] };
  return { paths: own, others: [...bySlug.keys()].filter((one) => one !== undefined && one !== slug) as string[] };
}

/** @param paths of files in the folder */
function leftBeside(folder: string, { left = {} }: FileFormat, paths: readonly string[]): NotMoved[] {
  const folders = new Set(paths.filter((path) => path === '' || isRelative(path)).map((path) => posix.dirname(path)));
  return [...folders].flatMap((one) =>
    Object.entries(left).flatMap(([name, reason]) => {
      const path = posix.join(one, name);
      return lookAt(folder, path) === undefined ? [] : [{ file: `${path}/`, pointer: '', reason }];
    }),
  );
}

/** Whether an open file is the one at a path: a folder in it may have become a link. */
async function isFileAt(folder: string, path: string, file: FileHandle): Promise<boolean> {
  const { dev, ino } = await file.stat();
  const now = linksAbove(folder)(path) ? undefined : lookAt(folder, path);
  return now?.dev === dev && now.ino === ino;
}

function normalized(path: string): string {
  return posix.normalize(path.split(sep).join('/'));
}

/** The files of the folder and of the folders in it. */
async function knownFiles(folder: string, format: FileFormat): Promise<string[]> {
  const names = await namesIn(folder);
  const inside = await Promise.all(
    names.map(async (name) => (await namesIn(join(folder, name))).map((inner) => `${name}/${inner}`)),
  );
  return [...names, ...inside.flat()].filter((path) => format.isKnown(path)).toSorted();
}

/** Of a link, or of what cannot be listed, there are none: only plain folders are looked into. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    if (lookAt(folder, '.')?.isDirectory() !== true) return [];
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].some((code) => isSystemError(error, code))) return [];
    throw error;
  }
}
