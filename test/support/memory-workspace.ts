import picomatch from 'picomatch';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { digestOf, hexOf } from '../../src/json/digest.ts';
import type { FileChange, FileState } from '../../src/run/records/record.ts';
import type { Tree, TreeDifference, TreeFile } from '../../src/run/files/tree.ts';
import type {
  CapturedWork,
  Changes,
  Checkout,
  CheckoutRequest,
  CopyContent,
  EarlierPut,
  KeepContent,
  LaidFile,
  Put,
  PutOptions,
  PutResult,
  Screened,
  Snapshot,
  TreeId,
  WantedFile,
  Workspace,
} from '../../src/workspace/workspace.ts';

/** Files of a folder: path → text. */
export type FolderFiles = Map<string, string>;

/** The root of the user's folder, or of a CI job's checkout. */
export const FOLDER_ROOT = '/workspace';

interface Place {
  readonly attempt: string;
  readonly until: string | undefined;
  readonly files: FolderFiles;
}

/** The id that a file's content has in a tree. */
export function blobOf(text: string): string {
  return hexOf(digestOf(text)).slice(0, 40);
}

/**
 * A workspace in memory. Versions are immutable maps by id, and a work tree is a map of its own that only its agent knows.
 * Every file is plain, and tracked.
 */
export class MemoryWorkspace implements Workspace {
  readonly root = FOLDER_ROOT;
  readonly git = '/usr/bin/git';
  /** The user's folder, or a CI job's checkout. */
  readonly folder: FolderFiles;
  /** Files of the commit. */
  readonly commit: FolderFiles;
  /** What a store copied here, by the path that it was asked to write. */
  readonly incoming = new Map<string, string>();
  /** Roots of work trees in the order in which they were given back, and whether another attempt may have them. */
  readonly released: { readonly root: string; readonly isReusable: boolean }[] = [];
  readonly #kind: 'local' | 'job';
  readonly #texts = new Map<string, string>();
  readonly #trees = new Map<TreeId, Tree>();
  readonly #places = new Map<string, Place>();
  readonly #earlier: EarlierPut[] = [];
  #made = 0;

  constructor(files: Readonly<Record<string, string>>, kind: 'local' | 'job') {
    this.folder = new Map(Object.entries(files));
    this.commit = new Map(this.folder);
    this.#kind = kind;
  }

  /** Roots of the work trees that are there now. */
  get trees(): string[] {
    return [...this.#places.keys()];
  }

  /** The files in the folder, or in a work tree. */
  at(root: string): FolderFiles {
    const files = root === this.root ? this.folder : this.#places.get(root)?.files;
    if (files === undefined) throw new Error(`there is no ${root}`);
    return files;
  }

  snapshot(_named: readonly (readonly string[])[]): Promise<Snapshot> {
    return Promise.resolve({ tree: this.#treeOf(this.folder), notices: [] });
  }

  files(tree: TreeId): Promise<Tree> {
    return Promise.resolve(this.#tree(tree));
  }

  currentFiles(tree: TreeId): Promise<Tree> {
    return this.files(tree);
  }

  matches(globs: readonly string[] | undefined, path: string): boolean {
    if (globs === undefined) return true;
    const last = globs.findLast((glob) => picomatch(glob.replace(/^!/, ''), { dot: true })(path));
    return last !== undefined && !last.startsWith('!');
  }

  async build(base: TreeId, changes: readonly LaidFile[], copy: CopyContent): Promise<TreeId> {
    const files = new Map(this.#tree(base));
    for (const { path } of changes) files.delete(path);
    for (const { path, after } of changes) {
      if (after === null) continue;
      for (const other of files.keys())
        if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
      files.set(path, { blob: after.blob, mode: after.mode });
      if (!this.#texts.has(after.blob)) await this.#receive(path, after, copy);
    }
    return this.#keepTree(files);
  }

  differences(from: TreeId, to: TreeId): Promise<TreeDifference[]> {
    return Promise.resolve(this.#differences(from, to));
  }

  async screen(_from: TreeId, tree: TreeId): Promise<Screened> {
    return { tree, refused: [], bytes: 0 };
  }

  async discard(): Promise<void> {}

  async keep(from: TreeId, to: TreeId): Promise<void> {
    for (const tree of [from, to]) this.#tree(tree);
  }

  async wholePatch(from: TreeId, to: TreeId): Promise<Uint8Array> {
    return Buffer.from(await this.patch(from, to));
  }

  async patch(from: TreeId, to: TreeId): Promise<string> {
    return this.#differences(from, to)
      .map(({ path, before, after }) => `${path}: ${before?.blob ?? 'none'} → ${after?.blob ?? 'none'}\n`)
      .join('');
  }

  async checkOut(request: CheckoutRequest): Promise<Checkout> {
    const { base, tree, attempt, place, until } = request;
    if (place === 'in-place' || this.#kind === 'job') {
      const missing = this.#differences(base, tree);
      if (this.#kind === 'local' && missing.length > 0) {
        const names = missing.map(({ path }) => path).join(', ');
        throw new GatelineError('GATE_NOT_APPLIED', `the folder does not have ${names}`);
      }
      for (const { path, after } of missing) {
        if (after === null) this.folder.delete(path);
        else this.folder.set(path, this.#text(after));
      }
      return this.#checkout(this.root, this.#treeOf(this.folder));
    }
    this.#made += 1;
    const root = `/trees/${this.#made}`;
    const files = new Map([...this.#tree(tree)].map(([path, file]) => [path, this.#text(file)]));
    this.#places.set(root, { attempt, until, files });
    return this.#checkout(root, tree);
  }

  async reopen(request: CheckoutRequest & { readonly from: TreeId }): Promise<Checkout | undefined> {
    if (request.place === 'in-place' || this.#kind === 'job') return this.#checkout(this.root, request.from);
    const [root] = [...this.#places].find(([, { attempt }]) => attempt === request.attempt) ?? [];
    return root === undefined ? undefined : this.#checkout(root, request.from);
  }

  async forget(attempt: string): Promise<void> {
    for (const [root, place] of this.#places) if (place.attempt === attempt) this.#places.delete(root);
  }

  async requireFolder(): Promise<void> {}

  async sweep(now: string): Promise<void> {
    for (const [root, { until }] of this.#places) if (until === undefined || until <= now) this.#places.delete(root);
  }

  async changes(
    from: TreeId,
    { tree }: CapturedWork,
    globs: 'changed' | readonly string[],
    keep: KeepContent,
  ): Promise<Changes> {
    const files: FileChange[] = [];
    const touched: FileChange[] = [];
    const refused: { path: string; why: string }[] = [];
    for (const { path, before, after } of this.#differences(from, tree)) {
      const state = { path, before: before && plain(before), after: after && plain(after) };
      if (globs !== 'changed' && !this.matches(globs, path)) touched.push(state);
      else if (after === null) files.push(state);
      else {
        const content = await keep(chunksOf(this.#text(after)), path);
        if ('refused' in content) refused.push({ path, why: content.refused });
        else files.push({ ...state, after: { ...plain(after), content } });
      }
    }
    return { files, touched, links: [], refused };
  }

  async prune(): Promise<void> {}

  async earlierPuts(): Promise<EarlierPut[]> {
    return this.#earlier;
  }

  async put(wanted: readonly WantedFile[], tree: TreeId, { dryRun, reason, before }: PutOptions): Promise<PutResult> {
    if (!dryRun) await before?.(() => undefined);
    const now = this.#tree(tree);
    const puts = wanted.map(({ path, after, over }): Put => {
      const blob = now.get(path)?.blob;
      if (blob === after?.blob) return { path, action: 'unchanged' };
      if (!over.some((state) => state?.blob === blob))
        return { path, action: 'conflict', why: 'it was changed since then' };
      if (!dryRun && after === null) this.folder.delete(path);
      if (!dryRun && after !== null) this.folder.set(path, this.#text(after));
      return { path, action: after === null ? 'deleted' : 'written' };
    });
    const made = wanted.filter(({ listUnchanged = false }, at) =>
      [...(listUnchanged ? ['unchanged'] : []), 'written', 'deleted'].includes(puts[at]!.action),
    );
    const changes = made.map(({ path, after }) => ({ path, before: now.get(path) ?? null, after }));
    if (!dryRun && changes.length > 0) this.#earlier.push({ ...reason, state: 'done', changes });
    return { puts };
  }

  async readText(path: string): Promise<string | undefined> {
    return this.folder.get(path);
  }

  async committed(path: string): Promise<TreeFile | null> {
    const text = this.commit.get(path);
    return text === undefined ? null : { blob: blobOf(text), mode: '100644' };
  }

  async lastCommit(): Promise<undefined> {}

  async branch(): Promise<string> {
    return 'main';
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #checkout(root: string, from: TreeId): Checkout {
    return {
      root,
      from,
      environment: (inherited) => inherited,
      notices: [],
      capture: async () => ({ tree: this.#treeOf(this.at(root)), leftOut: [] }),
      release: async (isReusable) => {
        if (root === this.root) return;
        if (!this.#places.delete(root)) throw new Error(`${root} was given back already`);
        this.released.push({ root, isReusable });
      },
    };
  }

  #treeOf(files: ReadonlyMap<string, string>): TreeId {
    const tree = new Map<string, TreeFile>();
    for (const [path, text] of files) {
      const blob = blobOf(text);
      this.#texts.set(blob, text);
      tree.set(path, { blob, mode: '100644' });
    }
    return this.#keepTree(tree);
  }

  #keepTree(files: ReadonlyMap<string, TreeFile>): TreeId {
    const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const paths = new Set(files.keys());
    for (const path of paths) {
      const above = foldersAbove(path).find((folder) => paths.has(folder));
      if (above !== undefined) throw new Error(`${above} is a file and a folder`);
    }
    const id = blobOf(JSON.stringify(sorted));
    this.#trees.set(id, new Map(sorted));
    return id;
  }

  #tree(id: TreeId): Tree {
    const tree = this.#trees.get(id);
    if (tree === undefined) throw new Error(`there is no tree ${id}`);
    return tree;
  }

  #text({ blob }: TreeFile): string {
    const text = this.#texts.get(blob);
    if (text === undefined) throw new Error(`there is no blob ${blob}`);
    return text;
  }

  #differences(from: TreeId, to: TreeId): TreeDifference[] {
    const [old, now] = [this.#tree(from), this.#tree(to)];
    const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted();
    return paths
      .map((path) => ({ path, before: old.get(path) ?? null, after: now.get(path) ?? null }))
      .filter(({ before, after }) => before?.blob !== after?.blob || before?.mode !== after?.mode);
  }

  async #receive(path: string, { blob, content }: NonNullable<LaidFile['after']>, copy: CopyContent): Promise<void> {
    const target = `incoming/${this.incoming.size}`;
    const read = content && (await copy(content.digest, target, 0o600));
    const text = this.incoming.get(target);
    if (read?.state !== 'present' || text === undefined)
      throw new GatelineError('CONTENT_MISSING', `the content of ${path} is not there`);
    this.#texts.set(blob, text);
  }
}

/** A workspace some of whose methods are others. */
export function withMethods(workspace: Workspace, methods: Partial<Workspace>): Workspace {
  return new Proxy(workspace, {
    get: (target, name) => {
      const other: unknown = Reflect.get(methods, name);
      if (other !== undefined) return other;
      const own: unknown = Reflect.get(target, name);
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
}

function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function plain({ blob }: TreeFile): FileState {
  return { blob, mode: '100644' };
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
