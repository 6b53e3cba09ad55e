import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../../errors/gateline-error.ts';
import { neverCounts } from '../contain.ts';
import { lookAt } from '../look.ts';
import { splitNames } from '../path-bytes.ts';
import { captureTree, type CapturedTree, type KnownIndex, type Taking } from './capture-tree.ts';
import { copyIndex, indexState, listOfNames, unlookedEntries } from './index-file.ts';
import type { ObjectStore } from './object-store.ts';

const FORMAT = 'gateline-snapshot/1';

const stateSchema = z.object({
  format: z.literal(FORMAT),
  /** State of the user's index when ours was copied from it; `null`: there is none. */
  of: z.string().nullable(),
  /** State of ours when it was last written. */
  own: z.string(),
  extras: z.array(z.string()),
  tree: z.string(),
});

/**
 * An index of our own for the user's folder. It begins as a copy of the user's and is kept from call to call, so that
 * untracked files too are read only when they changed.
 */
export class SnapshotIndex {
  readonly path: string;
  readonly #store: ObjectStore;
  readonly #from: string | undefined;

  /** @param from folder of another store whose index ours begins as, for those who only look */
  constructor(store: ObjectStore, from?: string) {
    this.#store = store;
    this.path = join(store.path, 'snapshot.index');
    this.#from = from;
  }

  /** The folder as a tree; see {@link captureTree}. */
  async capture(taking: Taking): Promise<CapturedTree> {
    const { format, repository, top } = this.#store;
    const where = { index: this.path, folder: top };
    const of = repository === undefined ? null : ((await indexState(repository.index, format)) ?? null);
    const known = (await this.#known(of)) ?? (await this.#begin(taking));
    const captured = await captureTree(this.#store, where, taking, known);
    const own = await indexState(this.path, format);
    if (own !== undefined && (captured.changed || known.tree === undefined)) {
      await this.#write({ format: FORMAT, of, own, extras: [...captured.extras], tree: captured.tree });
    }
    return captured;
  }

  /** What the last call left, where it still fits: the user's index and ours are as they were, and the tree is there. */
  async #known(of: string | null): Promise<KnownIndex | undefined> {
    const { format } = this.#store;
    if (this.#from !== undefined) await this.#seed(this.#from);
    const state = await this.#read();
    if (state === undefined || state.of !== of || state.own !== (await indexState(this.path, format))) return undefined;
    const there = await this.#store.git(['cat-file', '-e', `${state.tree}^{tree}`], {}, { answers: [0, 1, 128] });
    return there.code === 0 ? { extras: state.extras, tree: state.tree } : undefined;
  }

  async #seed(from: string): Promise<void> {
    try {
      await writeFile(`${this.path}.json`, await readFile(join(from, 'snapshot.index.json')), { mode: 0o600 });
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error;
      return;
    }
    await copyIndex(join(from, 'snapshot.index'), this.path);
  }

  /** Begins anew, as a copy of the user's index. What git was told not to look at is looked at. */
  async #begin({ prefix }: Taking): Promise<KnownIndex> {
    const { repository, top } = this.#store;
    const where = { index: this.path, folder: top };
    await copyIndex(repository?.index ?? `${this.path}.none`, this.path);
    if (!(await isThere(this.path))) {
      await this.#store.git(['read-tree', '--empty'], where);
      return { extras: [] };
    }
    const { assumed, skipped } = await unlookedEntries(this.#store, where);
    const present = skipped.filter((path) => lookAt(top, path) !== undefined);
    for (const [option, paths] of [
      ['--no-assume-unchanged', assumed] as const,
      ['--no-skip-worktree', present] as const,
    ]) {
      if (paths.length === 0) continue;
      await this.#store.git(['update-index', option, '-z', '--stdin'], where, { input: listOfNames(paths) });
    }
    const own = await this.#store.git(['--literal-pathspecs', 'ls-files', '-z', '--', `${prefix}.state`], where);
    const never = splitNames(own.out).filter((path) => neverCounts(path.slice(prefix.length)));
    if (never.length > 0) {
      await this.#store.git(['update-index', '-z', '--force-remove', '--stdin'], where, { input: listOfNames(never) });
    }
    return { extras: [] };
  }

  async #read(): Promise<z.infer<typeof stateSchema> | undefined> {
    try {
      return stateSchema.parse(JSON.parse(await readFile(`${this.path}.json`, 'utf8')));
    } catch (error) {
      // Absent, torn, or of another version: then it is made anew.
      if (isSystemError(error, 'EACCES')) throw error;
      return undefined;
    }
  }

  async #write(state: z.infer<typeof stateSchema>): Promise<void> {
    const temporary = `${this.path}.json.tmp`;
    await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
    await rename(temporary, `${this.path}.json`);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
