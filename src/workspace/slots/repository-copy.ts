import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CACHE_FOLDER_VARIABLES, CONFIG_FOLDER_VARIABLE, type Environment } from '../../environment.ts';
import { isSystemError } from '../../errors/gateline-error.ts';
import { bytesOfName, splitNames } from '../files/path-bytes.ts';
import type { Repository } from '../git/repository.ts';

/** The parts of the user's repository that an agent finds in its slot's repository. */
export interface RepositoryCopy {
  readonly repository: Repository;
  /** Commit checked out; `undefined`: none yet. */
  readonly head: string | undefined;
  /** The tree of that commit. */
  readonly headTree: string | undefined;
  /** Name of the branch, if the repository has no commit. */
  readonly branch: string | undefined;
  readonly packedRefs: Buffer;
  readonly config: Buffer;
  /** Attributes outside the tree, and settings for line endings and filters, as one text. */
  readonly conversion: string;
  /** Whether only some of the files are checked out. */
  readonly isSparse: boolean;
}

/**
 * Settings that belong to the user's own folder, or that would make git do more than requested. Also `core.hooksPath`:
 * as on GitHub, the user's hooks do not run for an agent.
 */
const NOT_COPIED =
  /^(?:core\.(?:bare|worktree|repositoryformatversion|fsmonitor|splitindex|untrackedcache|ignorestat|sparsecheckout.*|hookspath)|extensions\..*|include(?:if)?\..*|gc\..*|maintenance\..*|index\.sparse|submodule\.recurse|lfs\.storage)$/i;

/** Refs of a single work tree: the user's stashes and bisects are not shared. */
const NOT_SHARED = /^[0-9a-f]+ refs\/(?:stash|bisect|rewritten|worktree)(?:\/|$)/;

/** Settings that decide which bytes git writes for a blob. */
const OF_CONVERSION = /^(?:core\.(?:autocrlf|eol|safecrlf|attributesfile|symlinks|filemode)|filter\..*|lfs\..*)$/i;

interface Setting {
  readonly scope: string;
  readonly key: string;
  /** `undefined`: a key without `=`. */
  readonly value: string | undefined;
}

/**
 * Reads the data that is the same for every slot of a call.
 * @param environment with which git runs
 */
export async function readRepository(repository: Repository, environment: Environment): Promise<RepositoryCopy> {
  const { git } = repository;
  const [head, branch, refs, config] = await Promise.all([
    git(['cat-file', '--batch-check=%(objectname)'], { input: Buffer.from('HEAD^{commit}\nHEAD^{tree}\n') }),
    git(['symbolic-ref', '-q', 'HEAD'], { answers: [0, 1, 128] }),
    git(['for-each-ref', '--format=%(objectname) %(refname)']),
    git(['config', '--list', '--show-scope', '-z']),
  ]);
  const settings = settingsIn(splitNames(config.out));
  const ids = head.out.toString('latin1').split('\n');
  // `HEAD^{commit} missing`, if there is none.
  const [commit, tree] = ids.map((id) => (/^[0-9a-f]+$/.test(id) ? id : undefined));
  const lines = refs.out.toString('latin1').split('\n');
  return {
    repository,
    head: commit,
    headTree: tree,
    branch: branch.code === 0 ? branch.out.toString('utf8').trim() : undefined,
    packedRefs: Buffer.from(lines.filter((line) => !NOT_SHARED.test(line)).join('\n'), 'latin1'),
    config: bytesOfName(configText(settings, repository)),
    conversion: await conversionText(settings, repository, environment),
    isSparse: settings.findLast(({ key }) => key === 'core.sparsecheckout')?.value === 'true',
  };
}

async function conversionText(
  settings: readonly Setting[],
  repository: Repository,
  environment: Environment,
): Promise<string> {
  const lines = settings.flatMap(({ key, value }) => (OF_CONVERSION.test(key) ? [[key, value]] : []));
  const files = [
    join(repository.commonDir, 'info', 'attributes'),
    await usersAttributes(settings, repository, environment),
  ];
  return JSON.stringify([lines, ...(await Promise.all(files.map(textOf)))]);
}

/** The attributes of the user, for all repositories: https://git-scm.com/docs/gitattributes */
async function usersAttributes(
  settings: readonly Setting[],
  { git, top }: Repository,
  environment: Environment,
): Promise<string> {
  if (settings.some(({ key }) => key === 'core.attributesfile')) {
    // git knows whose home `~` is.
    const { out } = await git(['config', '--type=path', '--get', 'core.attributesFile'], { answers: [0, 1, 128] });
    return resolve(top, out.toString('utf8').replace(/\n$/, ''));
  }
  const { [CONFIG_FOLDER_VARIABLE]: folder, [CACHE_FOLDER_VARIABLES.home]: home = homedir() } = environment;
  return join(folder === undefined || folder === '' ? join(home, '.config') : folder, 'git', 'attributes');
}

/** Text of a file; '' if it is absent, as for git. */
export async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].some((code) => isSystemError(error, code))) return '';
    throw error;
  }
}

/** Parses the output of `git config --show-scope -z`: the scope, then `<key>\n<value>`. */
function settingsIn(fields: readonly string[]): Setting[] {
  const found: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const entry = fields[at + 1]!;
    const end = entry.indexOf('\n');
    found.push({
      scope: fields[at]!,
      key: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? undefined : entry.slice(end + 1),
    });
  }
  return found;
}

/**
 * The repository's own settings. Of the user's settings only the identity, which may depend on the repository's path
 * (`includeIf`).
 */
function configText(settings: readonly Setting[], { format, top, commonDir }: Repository): string {
  const lines = ['[core]', `\trepositoryformatversion = ${format === 'sha256' ? 1 : 0}`, '\tbare = false'];
  if (format === 'sha256') lines.push('[extensions]', '\tobjectFormat = sha256');
  const own = new Set(settings.filter(isOwn).map(({ key }) => key));
  // Several files may set the user's identity: the last one applies, as in git, and `git config` can replace a single
  // value.
  const last = new Map(settings.filter((one) => !isOwn(one)).map((one) => [one.key, one]));
  const identity = [...last.values()].filter(({ key }) => key.startsWith('user.') && !own.has(key));
  for (const { key, value } of [...identity, ...settings.filter(isOwn)]) {
    if (NOT_COPIED.test(key)) continue;
    const [first, end] = [key.indexOf('.'), key.lastIndexOf('.')];
    const section = key.slice(0, first);
    const name = first === end ? '' : ` ${quoted(key.slice(first + 1, end))}`;
    const written = value === undefined ? '' : ` = ${quoted(settled(key, value, top))}`;
    lines.push(`[${section}${name}]`, `\t${key.slice(end + 1)}${written}`);
  }
  lines.push('[lfs]', `\tstorage = ${quoted(join(commonDir, 'lfs'))}`);
  return `${lines.join('\n')}\n`;
}

function isOwn({ scope }: Setting): boolean {
  return scope === 'local' || scope === 'worktree';
}

/** A remote's address may be relative to the user's folder. */
function settled(key: string, value: string, top: string): string {
  return /^remote\..*\.(?:push)?url$/.test(key) && /^\.\.?(?:\/|$)/.test(value) ? resolve(top, value) : value;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\b', '\\b')}"`;
}
