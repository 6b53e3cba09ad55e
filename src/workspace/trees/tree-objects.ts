import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Tree, TreeDifference, TreeFile } from '../../run/files/tree.ts';
import { whyNotContained } from '../files/contain.ts';
import { bytesOfName, splitNames } from '../files/path-bytes.ts';
import type { CopyContent, LaidFile } from '../workspace.ts';
import { writeTree } from './capture-tree.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { copyObjects, differingObjects } from '../objects/own-objects.ts';
import { storeContents } from '../objects/stored-contents.ts';

/** Tree objects of one workspace: read, made from others, and compared. Paths are relative to the workspace. */
export class TreeObjects {
  readonly #store: ObjectStore;
  readonly #prefix: string;
  readonly #files = new Map<string, Promise<Tree>>();
  readonly #differences = new Map<string, Promise<readonly TreeDifference[]>>();
  readonly #built = new Map<string, Promise<string>>();
  readonly #kept = new Map<string, Promise<void>>();

  constructor(store: ObjectStore, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** Files of a tree. Paths outside the workspace, in the same repository, begin with `../`. */
  files(tree: string): Promise<Tree> {
    const known = this.#files.get(tree) ?? this.#read(tree);
    this.#files.set(tree, known);
    return known;
  }

  async #read(tree: string): Promise<Tree> {
    const { out } = await this.#store.git(['ls-tree', '-r', '-z', '--full-tree', tree]);
    const files = splitNames(out).map((line): [string, TreeFile] => {
      const tab = line.indexOf('\t');
      const [mode = '', , blob = ''] = line.slice(0, tab).split(' ');
      return [this.#inside(line.slice(tab + 1)), { mode, blob }];
    });
    return new Map(this.#prefix === '' ? files : files.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Paths of all files, from the top of the repository. */
  async pathsFromTop(tree: string): Promise<string[]> {
    const paths = [...(await this.files(tree)).keys()];
    return this.#prefix === '' ? paths : paths.map((path) => this.#outside(path));
  }

  /** Paths of submodules, from the top of the repository, with the commit of each. */
  async submodules(tree: string): Promise<Map<string, string>> {
    const all = [...(await this.files(tree))].filter(([, { mode }]) => mode === '160000');
    return new Map(all.map(([path, { blob }]) => [this.#outside(path), blob]));
  }

  /** Differences between two trees, sorted by path. */
  differences(from: string, to: string): Promise<readonly TreeDifference[]> {
    if (from === to) return Promise.resolve([]);
    const key = `${from} ${to}`;
    const known = this.#differences.get(key) ?? this.#compare(from, to);
    this.#differences.set(key, known);
    known.catch(() => this.#differences.delete(key));
    return known;
  }

  async #compare(from: string, to: string): Promise<readonly TreeDifference[]> {
    const { out } = await this.#store.git([
      'diff-tree',
      '-r',
      '-z',
      '--raw',
      '--no-renames',
      '--no-ext-diff',
      from,
      to,
    ]);
    const fields = splitNames(out);
    const found: TreeDifference[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [before = '', after = '', old = '', now = ''] = fields[at]!.slice(1).split(' ');
      found.push({ path: this.#inside(fields[at + 1]!), before: stateOf(before, old), after: stateOf(after, now) });
    }
    return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /**
   * A tree with changes applied. Content that no object store has is read through `copy`.
   * @throws GatelineError `CONTENT_MISSING`; `PATH_ESCAPES` for a path that is never handed on
   */
  build(base: string, changes: readonly LaidFile[], copy: CopyContent): Promise<string> {
    if (changes.length === 0) return Promise.resolve(base);
    for (const { path } of changes) refuseUncontained(path);
    const key = JSON.stringify([base, changes.map(({ path, after }) => [path, after?.mode, after?.blob])]);
    const known = this.#built.get(key) ?? this.#build(base, changes, copy);
    this.#built.set(key, known);
    known.catch(() => this.#built.delete(key));
    return known;
  }

  async #build(base: string, changes: readonly LaidFile[], copy: CopyContent): Promise<string> {
    const { changes: stored, missing } = await storeContents(this.#store, changes, {
      copy,
      pathOf: (path) => this.#outside(path),
    });
    try {
      return await this.lay(base, stored);
    } catch (error) {
      throw missing ?? error;
    }
  }

  async #withIndex<T>(tree: string, work: (index: string) => Promise<T>): Promise<T> {
    const index = join(this.#store.path, `build.${randomBytes(8).toString('hex')}.index`);
    try {
      await this.#store.git(['read-tree', tree], { index });
      return await work(index);
    } finally {
      await rm(index, { force: true });
    }
  }

  /** A tree with files applied whose contents are in one of the object stores. */
  lay(base: string, changes: readonly LaidFile[]): Promise<string> {
    return this.#withIndex(base, async (index) => {
      await this.#lay(index, changes);
      return writeTree(this.#store, { index, folder: this.#store.top });
    });
  }

  async #lay(index: string, changes: readonly LaidFile[]): Promise<void> {
    const none = '0'.repeat(this.#store.format === 'sha256' ? 64 : 40);
    const removed = changes.filter(({ after }) => after === null);
    const written = changes.filter(({ after }) => after !== null);
    const lines = [...removed, ...written].flatMap(({ path, after }) => [
      Buffer.from(after === null ? `0 ${none}\t` : `${after.mode} ${after.blob}\t`),
      bytesOfName(this.#outside(path)),
      Buffer.from([0]),
    ]);
    await this.#store.git(
      ['update-index', '-z', '--replace', '--index-info'],
      { index },
      { input: Buffer.concat(lines) },
    );
  }

  /** The patch between two trees, for people: paths are relative to the workspace. */
  async patch(from: string, to: string, paths: readonly string[] = []): Promise<string> {
    const where = this.#prefix === '' ? [] : [`--relative=${this.#prefix}`];
    return (await this.#diff(where, from, to, paths)).toString('utf8');
  }

  /**
   * The patch between two trees with all contents, for `git apply`, which reads paths from the top of the repository
   * wherever it is called.
   */
  wholePatch(from: string, to: string, paths: readonly string[]): Promise<Uint8Array> {
    return this.#diff(['--binary'], from, to, paths);
  }

  async #diff(more: readonly string[], from: string, to: string, paths: readonly string[]): Promise<Buffer> {
    const how = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--submodule=short'];
    // Overrides the user's settings: `git apply` reads the patch.
    const form = ['-c', 'diff.noprefix=false', '-c', 'diff.mnemonicPrefix=false'];
    const only = paths.length === 0 ? [] : ['--', ...paths.map((path) => this.#outside(path))];
    const { out } = await this.#store.git([...form, '--literal-pathspecs', 'diff', ...how, ...more, from, to, ...only]);
    return out;
  }

  /**
   * Copies the objects that two trees do not share into our own store: the user's `git gc` may remove objects that only
   * the user's repository has.
   */
  keep(a: string, b: string): Promise<void> {
    const key = `${a} ${b}`;
    const known = this.#kept.get(key) ?? this.#keep(a, b);
    this.#kept.set(key, known);
    known.catch(() => this.#kept.delete(key));
    return known;
  }

  async #keep(a: string, b: string): Promise<void> {
    const { before, after } = await differingObjects(this.#store, a, b);
    await copyObjects(this.#store, [a, b, ...before, ...after]);
  }

  /** Forgets which objects are stored: some were removed. */
  forget(): void {
    for (const known of [this.#files, this.#built, this.#kept]) known.clear();
  }

  #inside(path: string): string {
    if (this.#prefix === '') return path;
    return path.startsWith(this.#prefix) ? path.slice(this.#prefix.length) : posix.relative(this.#prefix, path);
  }

  #outside(path: string): string {
    return path.startsWith('../') ? posix.join(this.#prefix, path) : this.#prefix + path;
  }
}

function stateOf(mode: string, blob: string): TreeFile | null {
  return mode === '000000' ? null : { mode, blob };
}

/** Records may be forged, and git silently leaves out a path that it refuses. */
function refuseUncontained(path: string): void {
  const why = whyNotContained(path);
  if (why === undefined) return;
  const name = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
  throw new GatelineError('PATH_ESCAPES', `a file cannot be handed on as ${name}: ${why}`, {
    fault: 'platform',
    hint: 'Gateline does not record such paths, so a record may have been replaced. Run the earlier gates again.',
  });
}
