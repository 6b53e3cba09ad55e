import { createHash } from 'node:crypto';
import { digestOfJson } from '../../../src/json/digest.ts';
import type { FileChange, FileVersion } from '../../../src/run/files.ts';
import type { Snapshot, Workspace } from '../../../src/workspace/workspace.ts';
import type { Call, TestFolder, Tree } from '../world.ts';

type PutHooks = Pick<Call['hooks'], 'point' | 'onPut'>;

/** A folder in memory, shared by all calls that work in it. */
export class MemoryFolder implements TestFolder {
  readonly files: Map<string, string>;
  readonly writers: Map<string, string>;
  readonly trees: Map<string, Tree>;
  readonly refs: Map<string, Tree>;

  /** @param source a folder whose files it has, and whose snapshots it shares */
  constructor(source?: MemoryFolder) {
    this.files = new Map(source?.files);
    this.writers = new Map(source?.writers);
    this.trees = source?.trees ?? new Map();
    this.refs = source?.refs ?? new Map();
  }

  read(path: string): string | null {
    return this.files.get(path) ?? null;
  }

  listKept(): readonly Tree[] {
    return [...this.refs.values()];
  }

  contentOf(version: FileVersion | null): string | null {
    return contentOf(version);
  }

  write(path: string, content: string | null, writer?: string): void {
    if (content === null) this.files.delete(path);
    else this.files.set(path, content);
    if (writer !== undefined) this.writers.set(path, writer);
  }

  /** Stores a tree. @returns its id */
  store(files: Iterable<readonly [string, string]>): string {
    const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
    const id = createHash('sha1').update(JSON.stringify(sorted)).digest('hex');
    if (!this.trees.has(id)) this.trees.set(id, new Map(sorted));
    return id;
  }

  tree(id: string): Tree {
    const tree = this.trees.get(id);
    if (tree === undefined) throw new Error(`no tree has the id ${id}`);
    return tree;
  }
}

/** The folder as one call of the engine sees it. */
export class MemoryWorkspace implements Workspace {
  readonly root = '/folder';
  readonly #folder: MemoryFolder;
  readonly #hooks: PutHooks;

  constructor(folder: MemoryFolder, hooks: PutHooks) {
    this.#folder = folder;
    this.#hooks = hooks;
  }

  async takeSnapshot(): Promise<Snapshot> {
    const tree = this.#folder.store(this.#folder.files);
    return { tree, unstored: {} };
  }

  async listFiles({ tree }: Snapshot): Promise<ReadonlyMap<string, FileVersion>> {
    return new Map([...this.#folder.tree(tree)].map(([path, content]) => [path, versionOf(content)!]));
  }

  async digestFiles({ tree }: Snapshot, globs: readonly string[] | null, except: readonly string[]): Promise<string> {
    const paths = [...this.#folder.tree(tree)];
    return digestOfJson(paths.filter(([path]) => (globs === null ? !except.includes(path) : globs.includes(path))));
  }

  async diff(before: Snapshot, after: Snapshot): Promise<readonly FileChange[]> {
    const [a, b] = [this.#folder.tree(before.tree), this.#folder.tree(after.tree)];
    return [...new Set([...a.keys(), ...b.keys()])]
      .filter((path) => a.get(path) !== b.get(path))
      .sort()
      .map((path) => ({ path, before: versionOf(a.get(path)), after: versionOf(b.get(path)) }));
  }

  async applyTo({ tree }: Snapshot, changes: readonly FileChange[]): Promise<Snapshot> {
    const before = this.#folder.tree(tree);
    const files = new Map(before);
    for (const { path, after } of changes)
      if (after === null) files.delete(path);
      else files.set(path, contentOf(after)!);
    return { tree: this.#folder.store(files), unstored: {} };
  }

  async keep(name: string, { tree }: Snapshot): Promise<void> {
    this.#folder.refs.set(name, this.#folder.tree(tree));
  }

  async drop(names: readonly string[]): Promise<void> {
    for (const name of names) this.#folder.refs.delete(name);
  }

  async readHead(): Promise<{ readonly head: null; readonly stash: null }> {
    return { head: null, stash: null };
  }

  storeVersions(): Promise<void> {
    return Promise.resolve();
  }

  async findLost(): Promise<undefined> {
    return undefined;
  }

  async put(changes: readonly FileChange[]): Promise<readonly string[]> {
    const refused: string[] = [];
    for (const { path, ...change } of [...changes].sort(
      (a, b) => Number(b.after === null) - Number(a.after === null),
    )) {
      await this.#hooks.point('put');
      const [before, after] = [contentOf(change.before), contentOf(change.after)];
      const current = this.#folder.read(path);
      if (current === after) continue;
      if (current === before) {
        this.#hooks.onPut(path, before, after);
        this.#folder.write(path, after, 'put');
      } else refused.push(path);
    }
    return refused;
  }

  /** It has no folders. */
  findBlocker(): undefined {
    return undefined;
  }

  async readVersion(version: FileVersion): Promise<Uint8Array | undefined> {
    return new TextEncoder().encode(contentOf(version)!);
  }
}

const MODE = '100644 ';

function versionOf(content: string | undefined): FileVersion | null {
  return content === undefined ? null : MODE + content;
}

function contentOf(version: FileVersion | null): string | null {
  return version === null ? null : version.slice(MODE.length);
}
