import { createHash } from 'node:crypto';
import { readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import type { Tree, TreeFile } from '../run/tree.ts';
import { blobOf, linkBlob } from './blob.ts';
import { neverCounts } from './contain.ts';
import type { Git } from './git.ts';
import { hashFiles } from './git-hash.ts';
import { readIndex, type IndexEntry, type IndexState } from './git-index.ts';
import { bytesOfName, onDisk, splitNames } from './path-bytes.ts';
import { modeOf, walkOrFile } from './plain-tree.ts';
import { findRepository, type Repository } from './repository.ts';
import { SPECIAL_MODE, type FileView, type Snapshot } from './snapshot.ts';
import { kindOf, lookBelow, type Look } from './standing.ts';

/** Where git is and how it is called. */
export interface GitOptions {
  readonly binary: string;
  readonly environment: Environment;
}

/** Files that keep an otherwise ignored folder in git; they do not make it a folder of sources. */
const KEEPERS = new Set(['.gitignore', '.gitkeep', '.keep']);
const BRANCHES = 'refs/heads/';

/** A work tree as git sees it. Content is that of the work tree, never that of the index. */
export function openGitView(root: string, repository: Repository, options: GitOptions): FileView {
  return {
    modesCount: repository.modesCount,
    snapshot: async () => gitSnapshot(root, repository, options),
    committed: () => committedTree(repository.git),
    async branch() {
      const { code, out } = await repository.git(['symbolic-ref', '-q', 'HEAD'], { answers: [0, 1] });
      const name = out.toString('utf8').trim();
      return code === 0 && name.startsWith(BRANCHES) ? name.slice(BRANCHES.length) : undefined;
    },
  };
}

async function gitSnapshot(root: string, repository: Repository, options: GitOptions): Promise<Snapshot> {
  const index = await readIndex(repository.git);
  const submodules = [...index.entries].filter(([, { mode }]) => mode === '160000').map(([path]) => path);
  const repositories = new Set([...submodules, ...index.clones]);
  const resolver = new Resolver(root, repository, options, index);
  return {
    tracked: [...index.entries.keys()],
    untracked: index.untracked,
    repositories,
    generated: (prefixes) => generatedBelow(root, repository, index, prefixes, repositories),
    resolve: (paths) => resolver.resolve(paths),
  };
}

async function committedTree(git: Git): Promise<Tree | undefined> {
  const head = await git(['rev-parse', '-q', '--verify', 'HEAD^{tree}'], { answers: [0, 1] });
  if (head.code !== 0) return undefined;
  const { out } = await git(['ls-tree', '-r', '-z', 'HEAD']);
  const files = splitNames(out).map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , blob = ''] = line.slice(0, tab).split(' ');
    return [line.slice(tab + 1), vouched({ mode, blob })] as const;
  });
  return new Map(files);
}

/** Says what stands at paths: from the index where git vouches for the file, else by looking. */
class Resolver {
  readonly #root: string;
  readonly #repository: Repository;
  readonly #options: GitOptions;
  readonly #index: IndexState;

  constructor(root: string, repository: Repository, options: GitOptions, index: IndexState) {
    this.#root = root;
    this.#repository = repository;
    this.#options = options;
    this.#index = index;
  }

  async resolve(paths: Iterable<string>): Promise<Map<string, TreeFile>> {
    const found = new Map<string, TreeFile>();
    const look = lookBelow(this.#root);
    const plain: string[] = [];
    const modes = new Map<string, string>();
    for (const path of paths) {
      const entry = this.#index.entries.get(path);
      if (this.#index.deleted.has(path) && entry?.unsure !== true) continue;
      if (entry !== undefined && !entry.unsure && !this.#index.modified.has(path)) {
        found.set(path, vouched(entry));
        continue;
      }
      const stats = look(path);
      if (stats === undefined) continue;
      if (stats.isFile() && !this.#standsForLink(entry)) {
        plain.push(path);
        modes.set(path, this.#modeOf(stats, entry));
      } else {
        const other = await this.#other(path, stats, entry);
        if (other !== undefined) found.set(path, other);
      }
    }
    const place = { ...this.#repository };
    for (const [path, blob] of await hashFiles(place, plain, () => lookBelow(this.#root))) {
      found.set(path, { blob, mode: modes.get(path)! });
    }
    return found;
  }

  #standsForLink(entry: IndexEntry | undefined): boolean {
    return entry?.mode === '120000' && !this.#repository.links;
  }

  #modeOf(stats: Stats, entry: IndexEntry | undefined): string {
    if (this.#repository.modesCount) return modeOf(stats, true);
    return entry?.mode === '100755' ? '100755' : '100644';
  }

  async #other(path: string, stats: Stats, entry: IndexEntry | undefined): Promise<TreeFile | undefined> {
    const { format } = this.#repository;
    if (stats.isFile())
      return { blob: `link:${blobOf(readFileSync(onDisk(this.#root, path)), format)}`, mode: '120000' };
    if (stats.isSymbolicLink()) return { blob: linkBlob(this.#root, path, format), mode: '120000' };
    if (!stats.isDirectory()) return { blob: kindOf(stats), mode: SPECIAL_MODE };
    const blob = await describeRepository(join(this.#root, path), this.#options);
    if (blob !== undefined) return { blob, mode: '160000' };
    return entry?.mode === '160000' ? vouched(entry) : undefined;
  }
}

function vouched({ blob, mode }: TreeFile): TreeFile {
  if (mode === '160000') return { blob: `commit:${blob}`, mode };
  return { blob: mode === '120000' ? `link:${blob}` : blob, mode };
}

/**
 * A repository inside the workspace: `commit:<id>` of what is checked out (`commit:none` before the first commit),
 * and where its work tree is not that commit `+dirty.` and a digest of the work tree, so that no two states
 * look the same. `undefined` when the folder is no repository of its own.
 */
async function describeRepository(place: string, options: GitOptions): Promise<string | undefined> {
  const repository = await findRepository(place, options.binary, options.environment);
  if (repository === undefined || repository.prefix !== '') return undefined;
  const { git } = repository;
  const head = await git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { answers: [0, 1] });
  const commit = `commit:${head.code === 0 ? head.out.toString('utf8').trim() : 'none'}`;
  const status = await git(['status', '--porcelain', '-z', '--untracked-files=all', '--ignore-submodules=none']);
  if (status.out.length === 0) return commit;
  const snapshot = await gitSnapshot(place, repository, options);
  const tree = [...(await snapshot.resolve(snapshot.tracked.concat(snapshot.untracked).toSorted()))];
  return `${commit}+dirty.${createHash('sha256').update(JSON.stringify(tree)).digest('hex').slice(0, 16)}`;
}

/**
 * Files that git ignores, below prefixes that name something generated: the prefix is ignored itself or lies in an
 * ignored folder, or git sees nothing below it but what keeps the folder.
 */
async function generatedBelow(
  root: string,
  { git, top, prefix: down }: Repository,
  index: IndexState,
  prefixes: readonly string[],
  repositories: ReadonlySet<string>,
): Promise<string[]> {
  const look = lookBelow(root);
  const inRepository = (path: string): boolean =>
    [...repositories].some((one) => path === one || path.startsWith(`${one}/`));
  const there = prefixes.filter((path) => !neverCounts(path) && !inRepository(path) && look(path) !== undefined);
  if (there.length === 0) return [];
  const input = Buffer.concat(there.flatMap((path) => [bytesOfName(`./${down}${path}\0`)]));
  const asked = await git(['check-ignore', '-z', '--stdin', '--no-index'], { cwd: top, input, answers: [0, 1] });
  const ignored = new Set(splitNames(asked.out));
  const walked = there.filter((path) => ignored.has(`./${down}${path}`) || holdsKeepersOnly(path, look, index));
  const files = (await Promise.all(walked.map((path) => walkOrFile(root, path)))).flat();
  return [...new Set(files)];
}

function holdsKeepersOnly(folder: string, look: Look, { entries, untracked, deleted }: IndexState): boolean {
  if (look(folder)?.isDirectory() !== true) return false;
  const keeps = (path: string): boolean =>
    !path.startsWith(`${folder}/`) || deleted.has(path) || KEEPERS.has(path.slice(path.lastIndexOf('/') + 1));
  return [...entries.keys()].every(keeps) && untracked.every(keeps);
}
