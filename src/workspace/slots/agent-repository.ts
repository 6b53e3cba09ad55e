import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { splitNames } from '../path-bytes.ts';
import type { Repository } from '../repository.ts';
import { copyIndex } from '../trees/index-file.ts';
import type { ObjectStore } from '../trees/object-store.ts';

/** What of the user's repository an agent finds in the one of its slot. */
export interface RepositoryCopy {
  /** Commit that is checked out; `undefined`: there is none yet. */
  readonly head: string | undefined;
  /** Name of the branch, for a repository without a commit. */
  readonly branch: string | undefined;
  readonly packedRefs: string;
  readonly config: string;
}

/**
 * Settings that belong to the user's own folder, or that would make git do more than what it is asked for. `core.hooksPath`
 * too: the user's hooks do not run for an agent, as they do not on GitHub.
 */
const NOT_COPIED =
  /^(?:core\.(?:bare|worktree|repositoryformatversion|fsmonitor|splitindex|untrackedcache|sparsecheckout.*|hookspath)|extensions\..*|include(?:if)?\..*|gc\..*|maintenance\..*|index\.sparse)$/i;

/** Reads what is the same for every slot of a call. */
export async function readRepository({ git, commonDir, format }: Repository): Promise<RepositoryCopy> {
  const [head, branch, refs, config] = await Promise.all([
    git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { answers: [0, 1, 128] }),
    git(['symbolic-ref', '-q', 'HEAD'], { answers: [0, 1, 128] }),
    git(['for-each-ref', '--format=%(objectname) %(refname)']),
    git(['config', '--list', '--local', '--includes', '-z']),
  ]);
  return {
    head: head.code === 0 ? head.out.toString('latin1').trim() : undefined,
    branch: branch.code === 0 ? branch.out.toString('utf8').trim() : undefined,
    packedRefs: refs.out.toString('utf8'),
    config: configText(splitNames(config.out), format, join(commonDir, 'lfs')),
  };
}

/**
 * Makes the slot a repository of its own: the user's commit as detached HEAD, a copy of branches, tags and settings, and
 * the objects of both by reference. What an agent commits, stashes or configures there stays there.
 * @param links paths that its `git status` passes over, from the top
 */
export async function makeAgentRepository(
  slot: { readonly folder: string; readonly index: string },
  store: ObjectStore,
  copy: RepositoryCopy,
  links: readonly string[],
): Promise<void> {
  const repository = store.repository!;
  const path = join(slot.folder, '.git');
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    await mkdir(join(path, folder), { recursive: true });
  }
  const alternates = `${repository.objects}\n${join(store.path, 'objects')}\n`;
  await Promise.all([
    writeFile(join(path, 'HEAD'), `${copy.head ?? `ref: ${copy.branch ?? 'refs/heads/main'}`}\n`),
    writeFile(join(path, 'objects', 'info', 'alternates'), alternates),
    writeFile(join(path, 'packed-refs'), copy.packedRefs),
    writeFile(join(path, 'config'), copy.config),
    writeExclude(repository, path, links),
    copyWhereThere(join(repository.commonDir, 'info', 'attributes'), join(path, 'info', 'attributes')),
    copyWhereThere(join(repository.commonDir, 'shallow'), join(path, 'shallow')),
  ]);
  if (copy.head === undefined) return rm(join(path, 'index'), { force: true });
  await copyIndex(slot.index, join(path, 'index'));
  // Its own git folder: what is asked for here must be what the agent's git answers from then on.
  await store.git(['--git-dir', path, 'read-tree', '-m', copy.head], {
    index: join(path, 'index'),
    folder: slot.folder,
  });
}

async function writeExclude({ commonDir }: Repository, path: string, links: readonly string[]): Promise<void> {
  const own = await textOf(join(commonDir, 'info', 'exclude'));
  const lines = links.map((link) => `/${link.replaceAll(/[\\*?[\]! ]/g, '\\$&')}\n`).join('');
  await writeFile(join(path, 'info', 'exclude'), `${own}${own === '' || own.endsWith('\n') ? '' : '\n'}${lines}`);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return '';
    throw error;
  }
}

async function copyWhereThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

/** Entries as `git config -z` lists them: `<key>\n<value>`, or the key alone for one that is just there. */
function configText(entries: readonly string[], format: string, lfs: string): string {
  const lines = ['[core]', `\trepositoryformatversion = ${format === 'sha256' ? 1 : 0}`, '\tbare = false'];
  if (format === 'sha256') lines.push('[extensions]', '\tobjectFormat = sha256');
  for (const entry of entries) {
    const [key = '', ...rest] = entry.split('\n');
    if (NOT_COPIED.test(key) || /^lfs\.storage$/i.test(key)) continue;
    const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
    const section = key.slice(0, first);
    const name = first === last ? '' : ` ${quoted(key.slice(first + 1, last))}`;
    const value = entry.includes('\n')
      ? ` = ${quoted(rest.join('\n')).replaceAll('\n', '\\n').replaceAll('\t', '\\t')}`
      : '';
    lines.push(`[${section}${name}]`, `\t${key.slice(last + 1)}${value}`);
  }
  lines.push('[lfs]', `\tstorage = ${quoted(lfs)}`);
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
