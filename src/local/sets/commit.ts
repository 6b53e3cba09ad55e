import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Order } from '../../engine/ports.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Entry } from '../../run/entry.ts';
import { fileGlobs } from '../../run/units.ts';
import { listNames } from '../../verdict/texts.ts';
import { createMatcher } from '../../workspace/globs.ts';
import type { Folder } from '../folder/folder.ts';

/** Files of gates in a folder that differ from its commit. */
interface UncommittedFiles {
  /** Files that are as attempts left them, by the subject of the attempts. */
  readonly bySubject: ReadonlyMap<string, readonly string[]>;
  /** Files that somebody else changed. */
  readonly others: readonly string[];
}

/** @throws GatelineError `usage` if the folder has no commit yet */
async function findUncommittedFiles(folder: Folder, { pipeline, definitionFile }: Order): Promise<UncommittedFiles> {
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

/** @throws GatelineError `usage` naming files of gates that the user changed: commits of tasks would contain them */
export async function requireNoOtherChanges(folder: Folder, order: Order): Promise<void> {
  const { others } = await findUncommittedFiles(folder, order);
  if (others.length === 0) return;
  throw new GatelineError('usage', `files of gates have changes that are not committed: ${listNames(others)}`, {
    hint: 'Commit or stash them: the loop commits the files of each task.',
  });
}

/**
 * Commits the files that attempts of a subject left, and no others, with the user's git, settings and hooks.
 * @returns the commit; undefined: there is nothing to commit
 * @throws GatelineError `failed` if git or a hook refuses
 */
export async function commitFiles(folder: Folder, order: Order, message: string): Promise<string | undefined> {
  const { subject } = order;
  const paths = (await findUncommittedFiles(folder, order)).bySubject.get(subject) ?? [];
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
  // A hook that formats adds to an index of its own.
  await git(['reset', '--quiet', ...from], input);
  return (await git(['rev-parse', 'HEAD'])).trim();
}

function isFileOf({ gates }: Pipeline): (path: string) => boolean {
  if (gates.some(({ files }) => files === 'changed')) return () => true;
  const matchers = gates.map((gate) => createMatcher(fileGlobs(gate)));
  return (path) => matchers.some((matches) => matches(path));
}

/** By path, the version that the last attempt left, and the subject of that attempt. */
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
