import { readFile, realpath } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import type { Environment } from '../../environment.ts';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { unlessAbsent } from '../../errors/store-errors.ts';
import type { FileFormat, WrittenFile } from '../../formats/exchange.ts';
import { FORMATS } from '../../formats/formats.ts';
import { atomicWrite, type OnDurable } from '../../store/filesystem/atomic-write.ts';
import { isRelative } from '../../workspace/files/contain.ts';
import { kindOf, linksAbove, lookAt } from '../../workspace/files/look.ts';
import { findRepository, type Repository } from '../../workspace/git/repository.ts';

/** A folder for the files of another system. */
export interface ExportFolder {
  /** Absolute: what must not be left through a link. */
  readonly root: string;
  /** Relative to the root; '' for the root itself. */
  readonly folder: string;
  /** Where temporary files are written. Default: next to the file. */
  readonly temporaryFolder?: string;
  readonly onDurable?: OnDurable | undefined;
}

/**
 * Writes files whose content is another one, each by renaming a temporary file.
 * @returns the paths that were written, relative to the folder
 * @throws GatelineError `EXPORT_REFUSED` if a link or something else is in the way, before anything is written
 */
export async function writeExported(place: ExportFolder, files: readonly WrittenFile[]): Promise<string[]> {
  const { root, folder, temporaryFolder, onDurable } = place;
  refuseObstacles(place, files);
  const written: string[] = [];
  for (const { path, text } of files) {
    const target = join(root, folder, path);
    if ((await textAt(target)) === text) continue;
    await atomicWrite(target, text, { onDurable, temporaryFolder });
    written.push(path);
  }
  return written;
}

/** @throws GatelineError `EXPORT_REFUSED` if a file cannot be written where it belongs */
function refuseObstacles(
  { root, folder }: Pick<ExportFolder, 'root' | 'folder'>,
  files: readonly Pick<WrittenFile, 'path'>[],
): void {
  const isLinked = linksAbove(root);
  for (const path of files.map((file) => posix.join(folder, file.path))) {
    const stats = isRelative(path) && !isLinked(path) ? lookAt(root, path) : undefined;
    const why = !isRelative(path)
      ? 'it is outside the folder'
      : isLinked(path)
        ? 'a folder in its path is a symbolic link'
        : stats !== undefined && !stats.isFile()
          ? `it is ${kindOf(stats)}`
          : undefined;
    if (why !== undefined) throw refused(path, why);
  }
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await unlessAbsent(readFile(path, 'utf8'));
  } catch (error) {
    if (isSystemError(error, 'EACCES')) return undefined;
    throw error;
  }
}

/**
 * Makes sure that git ignores files of the workspace, so that they are no inputs and no gate hands them on: adds the
 * system's line to `.git/info/exclude` unless they are ignored already.
 * @returns the line that was added; `undefined`: none was needed
 * @throws GatelineError `EXPORT_REFUSED` if git tracks one of them, or there is no repository
 */
export async function ignoreExported(
  root: string,
  format: Pick<FileFormat, 'folder' | 'ignore'>,
  files: readonly Pick<WrittenFile, 'path'>[],
  environment: Environment,
): Promise<string | undefined> {
  refuseObstacles({ root, folder: format.folder }, files);
  const repository = await findRepository(root, { binary: 'git', environment });
  // Without a repository, the folders in which systems keep their files are ignored anyway.
  if (repository === undefined && Object.values(FORMATS).includes(format as FileFormat)) return undefined;
  if (repository === undefined) throw refused(format.folder, 'there is no git repository that could ignore it');
  const paths = files.map(({ path }) => posix.join(format.folder, path));
  const tracked = await repository.git(['ls-files', '-z', '--', ...paths.map((path) => `:(literal)${path}`)]);
  const [first = ''] = tracked.out.toString('utf8').split('\0');
  if (first !== '') throw refused(first, 'git tracks it, so it is an input of gates');
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''));
  const answer = await repository.git(['check-ignore', '--stdin', '-z'], { answers: [0, 1], input });
  if (new Set(answer.out.toString('utf8').split('\0').filter(Boolean)).size === paths.length) return undefined;
  return addExclude(repository, format.ignore);
}

async function addExclude({ commonDir, prefix }: Repository, ignore: string): Promise<string> {
  const line = `/${prefix}${ignore}`;
  const path = join(await realpath(commonDir), 'info', 'exclude');
  const before = (await textAt(path)) ?? '';
  if (!before.split('\n').includes(line))
    await atomicWrite(path, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`);
  return line;
}

function refused(path: string, why: string): GatelineError {
  return new GatelineError('EXPORT_REFUSED', `${path} cannot be written: ${why}`, { place: { file: path } });
}

/** A folder of the workspace, relative to it; `undefined`: it is elsewhere. Both are absolute. */
export function belowWorkspace(root: string, folder: string): string | undefined {
  const inside = relative(root, folder).split(sep).join('/');
  return inside === '..' || inside.startsWith('../') || inside.startsWith('/') || /^[a-z]:/i.test(inside)
    ? undefined
    : inside;
}
