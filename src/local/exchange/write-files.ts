import { statSync } from 'node:fs';
import { appendFile, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { writing } from '../../errors/store-errors.ts';
import type { FileFormat, WrittenFile } from '../../formats/exchange.ts';
import { FORMATS } from '../../formats/formats.ts';
import { atomicWrite, type AtomicWriteOptions, type OnDurable } from '../../store/filesystem/atomic-write.ts';
import { sweepTemporary } from '../../store/filesystem/durable.ts';
import { readWhole } from '../../store/filesystem/read-file.ts';
import { foldersOf, isRelative, neverCounts, whyNotContained } from '../../workspace/files/contain.ts';
import { kindOf, linksAbove, lookAt } from '../../workspace/files/look.ts';
import { findRepository, type Repository } from '../../workspace/git/repository.ts';
import { keepReplaced, type Replacement } from './keep-replaced.ts';

/** Larger files are not replaced. Bytes. */
const LARGEST = 1_024 ** 3;

/** A folder for the files of another system. */
export interface ExportFolder {
  /** Absolute: what must not be left through a link. */
  readonly root: string;
  /** Relative to the root; '' for the root itself. */
  readonly folder: string;
  /** Where temporary files are written, if it is on the same file system. */
  readonly temporaryFolder: string;
  /** The folder `.state` in which copies of files are kept that others wrote. Default: they are replaced. */
  readonly state?: string;
  readonly onDurable?: OnDurable | undefined;
}

/** What was written. */
export interface WrittenFiles {
  /** Relative to the folder. */
  readonly paths: readonly string[];
  /** About copies of files that others wrote, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Writes files whose content is another one, each by renaming a temporary file.
 * @throws GatelineError `EXPORT_REFUSED` if a link or something else is in the way, before anything is written
 */
export async function writeExported(place: ExportFolder, files: readonly WrittenFile[]): Promise<WrittenFiles> {
  const { root, folder, temporaryFolder, state, onDurable } = place;
  refuseObstacles(place, files);
  const changes: (Replacement & { readonly name: string })[] = [];
  for (const { path: name, text: after } of files) {
    const path = posix.join(folder, name);
    const target = join(root, path);
    const before = await bytesAt(target, path);
    if (before?.equals(Buffer.from(after)) !== true) changes.push({ name, path, target, before, after });
  }
  const notices = state === undefined ? [] : await keepReplaced(state, changes, onDurable);
  // On another file system, those of a process that was killed are next to the files.
  for (const one of new Set(changes.map(({ target }) => dirname(target)))) await sweepTemporary(one, neverCounts);
  for (const { target, after } of changes) await atomicWrite(target, after, { onDurable, temporaryFolder });
  return { paths: changes.map(({ name }) => name), notices };
}

/** @throws GatelineError `EXPORT_REFUSED` if a file cannot be written where it belongs */
function refuseObstacles(
  { root, folder }: Pick<ExportFolder, 'root' | 'folder'>,
  files: readonly Pick<WrittenFile, 'path'>[],
): void {
  const isLinked = linksAbove(root);
  const blocked = whatIsNoFolder(root);
  if (blocked !== undefined) throw refused(blocked, 'it is not a folder');
  for (const path of files.map((file) => posix.join(folder, file.path))) {
    const stats = isRelative(path) && !isLinked(path) ? lookAt(root, path) : undefined;
    const file = foldersOf(path).find((one) => lookAt(root, one)?.isDirectory() === false);
    const why = !isRelative(path)
      ? 'it is outside the folder'
      : isLinked(path)
        ? 'a folder in its path is a symbolic link'
        : file !== undefined
          ? `${file} is not a folder`
          : stats !== undefined && !stats.isFile()
            ? `it is ${kindOf(stats)}`
            : undefined;
    if (why !== undefined) throw refused(path, why);
  }
}

/** What is in the place of a folder or of one above it; links are followed. */
function whatIsNoFolder(folder: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats !== undefined) return stats.isDirectory() ? undefined : place;
    if (dirname(place) === place) return undefined;
  }
}

/** @throws GatelineError `EXPORT_REFUSED` if it cannot be read: what cannot be kept must not be replaced */
async function bytesAt(target: string, path: string): Promise<Buffer | undefined> {
  const file = await readWhole(target, LARGEST);
  if (file.state === 'unreadable') throw refused(path, file.message);
  return file.state === 'read' ? file.bytes : undefined;
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
  options: AtomicWriteOptions = {},
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
  if ((await notIgnored(repository, paths)) === undefined) return undefined;
  return addExclude(repository, format.ignore, paths, options);
}

/**
 * Makes sure that git ignores what is already in the places of a system's files, before a gate begins: what a snapshot
 * has seen, later ones compare, whatever git ignores by then.
 * @returns the line that was added; `undefined`: none was needed, or none helps, which is said when files are written
 */
export async function ignoreEarlier(
  root: string,
  format: Pick<FileFormat, 'folder' | 'ignore' | 'isKnown' | 'isKept'>,
  environment: Environment,
): Promise<string | undefined> {
  if (format.isKept === true) return undefined;
  const repository = await findRepository(root, { binary: 'git', environment });
  const others = ['ls-files', '-z', '--others', '--exclude-standard', '--', `:(literal)${format.folder}`];
  const there = await repository?.git(others);
  const paths = (there?.out.toString('utf8') ?? '')
    .split('\0')
    .filter((path) => path.startsWith(`${format.folder}/`) && format.isKnown(path.slice(format.folder.length + 1)));
  if (repository === undefined || paths.length === 0) return undefined;
  try {
    return await addExclude(repository, format.ignore, paths, {});
  } catch (error) {
    if (error instanceof GatelineError && error.fault !== 'gateline') return undefined;
    throw error;
  }
}

/** The first of the paths that git does not ignore. */
async function notIgnored({ git }: Repository, paths: readonly string[]): Promise<string | undefined> {
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''));
  const answer = await git(['check-ignore', '--stdin', '-z'], { answers: [0, 1, 128], input });
  if (answer.code === 128) throw refused(paths[0]!, 'git cannot ignore it, as in a submodule');
  const ignored = new Set(answer.out.toString('utf8').split('\0'));
  return paths.find((path) => !ignored.has(path));
}

/** @throws GatelineError `EXPORT_REFUSED` if git does not ignore the paths then either; the line is not there then */
async function addExclude(
  repository: Repository,
  ignore: string,
  paths: readonly string[],
  options: AtomicWriteOptions,
): Promise<string> {
  const { commonDir, prefix } = repository;
  const line = `/${literalPattern(prefix)}${ignore}`;
  const path = join(await realpath(commonDir), 'info', 'exclude');
  const before = await textAt(path);
  const isThere = before.split('\n').includes(line);
  // Appended: a command in another work tree may add its own line just now.
  const added = `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`;
  if (!isThere) {
    await writing(path, () => appendLine(path, added));
    options.onDurable?.(`file ${path}`);
  }
  const open = await notIgnored(repository, paths);
  if (open === undefined) return line;
  if (!isThere) await atomicWrite(path, (await textAt(path)).replace(added, ''), options);
  throw refused(
    open,
    'git does not ignore it, whatever `.git/info/exclude` says, so that it would be an input of gates',
  );
}

async function textAt(path: string): Promise<string> {
  return (await bytesAt(path, path))?.toString('utf8') ?? '';
}

async function appendLine(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, line, { flush: true });
}

/** A path as a pattern of git that only it matches. */
function literalPattern(path: string): string {
  return path
    .replaceAll(/[\\*?[\]]/g, String.raw`\$&`)
    .replace(/ +$/, (spaces) => String.raw`\ `.repeat(spaces.length));
}

/**
 * Where a folder of the workspace that somebody named is ignored as a whole.
 * @param inside relative to the workspace
 * @throws GatelineError `EXPORT_REFUSED` if it has files of others
 */
export async function namedFolder(
  root: string,
  inside: string,
  environment: Environment,
): Promise<Pick<FileFormat, 'folder' | 'ignore'>> {
  const why = inside === '' ? 'it is the workspace itself' : whyNotContained(inside);
  if (why !== undefined) throw refused(inside === '' ? root : inside, why);
  if (inside.split('/')[0] === '.gateline') throw refused(inside, 'it has the documents of Gateline');
  const repository = await findRepository(root, { binary: 'git', environment });
  const tracked = await repository?.git(['ls-files', '-z', '--', `:(literal)${inside}`]);
  if (tracked !== undefined && tracked.out.length > 0) throw refused(inside, 'git tracks files there');
  return { folder: inside, ignore: `${literalPattern(inside)}/` };
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
