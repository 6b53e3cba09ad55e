import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Entry } from '../../run/entry.ts';
import { listNames } from '../../verdict/texts.ts';
import { createMatcher } from '../../workspace/globs.ts';
import type { Folder } from '../folder/folder.ts';

/** The files of gates in a folder that differ from its commit, as what they are to a loop. */
export interface OpenFiles {
  /** As the attempts of a subject left them, by subject. */
  readonly bySubject: ReadonlyMap<string, readonly string[]>;
  /** Changed by somebody else. */
  readonly others: readonly string[];
}

/** @throws GatelineError `usage` if there is no commit that could get another one on top */
export async function findOpenFiles(folder: Folder, { pipeline, definitionFile }: Owner): Promise<OpenFiles> {
  const { root, environment } = folder.options;
  const git = gitIn(root, environment);
  await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch((cause: unknown) => {
    throw new GatelineError('usage', `${root} has no commit, and a loop makes one for each task`, {
      hint: '`git init`, then commit what is there.',
      cause,
    });
  });
  const prefix = (await git(['rev-parse', '--show-prefix'])).trimEnd();
  const status = await git(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--', '.']);
  const names = status.split('\0').map((line) => line.slice(3 + prefix.length));
  const isIgnored = createMatcher(folder.git.options.ignore);
  const isOfGate = isFileOf(pipeline);
  const paths = names.filter((path) => path !== '' && path !== definitionFile && isOfGate(path) && !isIgnored(path));
  const versions = await folder.git.listFiles(await folder.git.takeSnapshot());
  const changes = lastChanges(await folder.log.read());
  const isAsLeft = (path: string) => changes.get(path)?.after === (versions.get(path) ?? null);
  const left = paths.filter(isAsLeft);
  return {
    bySubject: Map.groupBy(left, (path) => changes.get(path)!.subject),
    others: paths.filter((path) => !left.includes(path)),
  };
}

/** @throws GatelineError `usage` naming files that a commit of a task would take from the user */
export async function requireNoOtherChanges(folder: Folder, owner: Owner): Promise<void> {
  const { others } = await findOpenFiles(folder, owner);
  if (others.length === 0) return;
  throw new GatelineError('usage', `files of gates have changes that are not committed: ${listNames(others)}`, {
    hint: 'Commit or stash them: the loop commits the files of each task.',
  });
}

/**
 * Commits what the attempts of a subject left, and nothing else, with the user's git, settings and hooks.
 * @returns the commit; undefined: there is nothing to commit
 * @throws GatelineError `failed` if git or a hook refuses
 */
export async function commitFiles(
  folder: Folder,
  owner: Owner,
  subject: string,
  message: string,
): Promise<string | undefined> {
  const paths = (await findOpenFiles(folder, owner)).bySubject.get(subject) ?? [];
  if (paths.length === 0) return undefined;
  const { root, environment } = folder.options;
  const git = gitIn(root, { ...environment, GIT_LITERAL_PATHSPECS: '1' });
  const input = paths.map((path) => `${path}\0`).join('');
  const from = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  try {
    await git(['add', '-A', ...from], input);
    await git(['commit', '--quiet', '--only', '--cleanup=whitespace', '-m', message, ...from], input);
  } catch (cause) {
    const { stderr = '', stdout = '' } = cause as { stderr?: string; stdout?: string };
    throw new GatelineError(
      'failed',
      `git refused the commit of ${subject}: ${(stderr + stdout).trim().slice(-1_000) || messageOf(cause)}`,
      {
        hint: 'Correct that, then loop again: it begins with this commit.',
        cause,
      },
    );
  }
  return (await git(['rev-parse', 'HEAD'])).trim();
}

interface Owner {
  readonly pipeline: Pipeline;
  readonly definitionFile: string;
}

function isFileOf({ gates }: Pipeline): (path: string) => boolean {
  if (gates.some(({ files }) => files === 'changed')) return () => true;
  const matchers = gates.flatMap(({ files }) => (Array.isArray(files) ? [createMatcher(files as string[])] : []));
  return (path) => matchers.some((matches) => matches(path));
}

/** By path, the version that attempts left, and the subject of the last one. */
function lastChanges(entries: readonly Entry[]) {
  const last = new Map<string, { readonly subject: string; readonly after: string | null }>();
  for (const entry of entries)
    for (const { path, after } of 'changes' in entry ? entry.changes : [])
      last.set(path, { subject: entry.subject, after });
  return last;
}

function gitIn(cwd: string, environment: Environment) {
  return async (args: readonly string[], input = ''): Promise<string> => {
    const running = promisify(execFile)('git', args, { cwd, env: { ...environment }, maxBuffer: 1024 ** 3 });
    // git may end before it has read everything; its exit code says why.
    running.child.stdin?.on('error', () => undefined).end(input);
    return (await running).stdout;
  };
}
