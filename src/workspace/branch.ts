import { rm } from 'node:fs/promises';
import { GatelineError } from '../errors.ts';
import type { FileChange } from '../run/files.ts';
import { joinLines, splitNames } from './git.ts';
import type { Repository } from './repository.ts';
import { parseVersion } from './tree.ts';

/** The commit to make. */
export interface BranchChanges {
  readonly branch: string;
  readonly changes: readonly FileChange[];
  readonly message: string;
  /** The last commit that Gateline made on the branch: it may be replaced. */
  readonly delivered?: string;
  /** False: the commit that was delivered stays, if the branch has it. */
  readonly isNew: boolean;
}

/**
 * Makes a commit with these changes on a branch of the user's repository, on top of the commit that is checked out. The
 * user's index, files and uncommitted changes stay as they are, and are not part of it.
 * @returns the commit; undefined: the checked-out commit has the changes already
 * @throws GatelineError `usage`: the branch has other commits or is checked out, or a file cannot be committed
 */
export async function commitToBranch(
  repository: Repository,
  { branch, changes, message, delivered, isNew }: BranchChanges,
): Promise<string | undefined> {
  const { user, asUser, inStore, prefix, temporaryPath } = repository;
  const run = async (args: readonly string[], input?: string) =>
    String(await asUser(args, { cwd: user!.top, env: { GIT_INDEX_FILE: index, ...identity }, input })).trimEnd();
  const index = temporaryPath();
  let identity: Readonly<Record<string, string>> = {};
  const blobs = changes.flatMap(({ after }) => parseVersion(after)?.blob ?? []);
  const head = await run(['rev-parse', '--verify', 'HEAD^{commit}']);
  try {
    await run(['read-tree', head]);
    const before = await run(['write-tree']);
    assertCommittable(changes, prefix, await run(['ls-files', '-s', '-z']));
    // The user's repository gets the blobs that only our store has.
    const pack = await inStore(['pack-objects', '-q', '--stdout', '--window=0'], { input: joinLines(blobs, '\n') });
    await asUser(['unpack-objects', '-q'], { input: pack });
    const none = '0'.repeat(head.length);
    const lines = changes.map(({ path, after }) => {
      const { mode, blob } = parseVersion(after) ?? { mode: '0', blob: none };
      return `${mode} ${blob}\t${prefix}${path}`;
    });
    // Deletions come first, so that a folder can take the place of a file.
    const input = joinLines(
      lines.toSorted((a, b) => Number(b.startsWith('0 ')) - Number(a.startsWith('0 '))),
      '\0',
    );
    await run(['update-index', '-z', '--replace', '--index-info'], input);
    const tree = await run(['write-tree']);
    if (tree === before) return undefined;
    const ref = `refs/heads/${branch}`;
    const format = '--format=%(objectname) %(tree) %(parent) %(worktreepath)';
    const [tip = '', tipTree, parent, ...path] = (await run(['for-each-ref', format, ref])).split(' ');
    if ((tipTree === tree && parent === head) || (!isNew && tip !== '' && tip === delivered)) return tip;
    if (path.join(' ') !== '') throw usageError(`${branch} is checked out in ${path.join(' ')}`);
    if (tip !== '' && tip !== delivered) throw usageError(`${branch} has commits of somebody else`);
    const author = await asUser(['var', 'GIT_AUTHOR_IDENT'], { codes: [0, 1, 128] });
    if (author.length === 0) identity = DEFAULT_IDENTITY;
    const commit = await run(['commit-tree', tree, '-p', head, '-m', message]);
    await run(['update-ref', '-m', 'gateline: deliver', ref, commit, tip || none]);
    return commit;
  } finally {
    await rm(index, { force: true });
  }
}

/** The identity of a commit if git has none configured. */
const DEFAULT_IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Gateline'],
    [`GIT_${role}_EMAIL`, 'gateline@localhost'],
  ]),
);

/** @param listing the files of the commit, as `git ls-files -s -z` prints them */
function assertCommittable(changes: readonly FileChange[], prefix: string, listing: string): void {
  const versions = new Map(splitNames(Buffer.from(listing)).map((line) => [line.slice(line.indexOf('\t') + 1), line]));
  const other = changes.filter(({ path, before, after }) => {
    const version = versions.get(prefix + path)?.replace(/ 0\t.*$/s, '') ?? null;
    return version !== before && version !== after;
  });
  if (other.length > 0)
    throw usageError(`${namesOf(other)} had changes that are not committed, and gates changed more there`);
  const unstored = changes.filter(({ after }) => after !== null && parseVersion(after) === undefined);
  if (unstored.length > 0)
    throw usageError(`git does not store ${namesOf(unstored)}: too large, ignored or unreadable`);
}

function namesOf(changes: readonly FileChange[]): string {
  const paths = changes.slice(0, 3).map(({ path }) => path);
  return `${paths.join(', ')}${changes.length > 3 ? ` and ${changes.length - 3} more` : ''}`;
}

function usageError(message: string): GatelineError {
  return new GatelineError('usage', message);
}
