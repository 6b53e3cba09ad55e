import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { writing } from '../../errors/store-errors.ts';
import { lookBelow } from '../files/look.ts';
import { captureTree, type CapturedTree, type KnownIndex } from './capture-tree.ts';
import { type Taking } from './left-out.ts';
import { copyIndex, indexState, listOfNames, unlookedEntries } from './index-file.ts';
import { snapshotIndexOf, type ObjectStore } from '../objects/object-store.ts';
import { copyUncommitted } from '../objects/own-objects.ts';

const FORMAT = 'gateline-snapshot/1';

const stateSchema = z.object({
  format: z.literal(FORMAT),
  /** State of the user's index when ours was copied from it; `null`: there is none. */
  of: z.string().nullable(),
  /** State of ours when it was last written. */
  own: z.string(),
  extras: z.array(z.string()),
  /** Paths that git is to skip, and those of them that were on disk. */
  skipped: z.array(z.string()),
  present: z.array(z.string()),
  tree: z.string(),
});

type State = z.infer<typeof stateSchema>;

/** The initial state of an index. */
type InitialIndex = KnownIndex & Pick<State, 'skipped' | 'present'>;

/**
 * Our own index for the user's folder. It begins as a copy of the user's index and is kept between calls, so that
 * untracked files too are read only when they changed.
 */
export class SnapshotIndex {
  readonly path: string;
  readonly #store: ObjectStore;
  readonly #from: string | undefined;

  /** @param from folder of another store whose index ours is copied from, for read-only use */
  constructor(store: ObjectStore, from?: string) {
    this.#store = store;
    this.path = snapshotIndexOf(store);
    this.#from = from;
  }

  /** The folder as a tree; see {@link captureTree}. */
  async capture(taking: Taking): Promise<CapturedTree> {
    const { format, repository } = this.#store;
    const of = repository === undefined ? null : ((await indexState(repository.index, format)) ?? null);
    const { known, captured } = await this.#take(taking, of);
    if (!captured.changed && known.tree !== undefined) return captured;
    const { extras, tree } = captured;
    const own = await indexState(this.path, format);
    const { skipped, present } = known;
    if (own !== undefined) await this.#write({ format: FORMAT, of, own, extras: [...extras], skipped, present, tree });
    return captured;
  }

  async #take(taking: Taking, of: string | null): Promise<{ known: InitialIndex; captured: CapturedTree }> {
    const kept = await this.#known(of);
    try {
      if (kept !== undefined) return await this.#captured(taking, kept);
    } catch (error) {
      // Most likely an object that it names is gone: the files on disk are read again.
      if (!(error instanceof GatelineError) || error.code !== 'GIT_FAILED') throw error;
    }
    return this.#captured(taking, await this.#begin(taking));
  }

  async #captured(taking: Taking, known: InitialIndex): Promise<{ known: InitialIndex; captured: CapturedTree }> {
    const where = { index: this.path, folder: this.#store.top };
    const captured = await captureTree(this.#store, where, taking, known);
    const isNew = captured.changed || known.tree === undefined;
    if (isNew && this.#from === undefined) await copyUncommitted(this.#store, captured.tree);
    return { known, captured };
  }

  /** The state left by the last call, if still valid: the user's index and ours are unchanged, and the tree exists. */
  async #known(of: string | null): Promise<InitialIndex | undefined> {
    const { format, top } = this.#store;
    if (this.#from !== undefined) await this.#seed(this.#from);
    const state = await this.#read();
    if (state === undefined || state.of !== of || state.own !== (await indexState(this.path, format))) return undefined;
    const look = lookBelow(top);
    const present = state.skipped.filter((path) => look(path) !== undefined);
    if (present.join('\0') !== state.present.join('\0')) return undefined;
    return (await this.#has(state.tree)) ? state : undefined;
  }

  async #has(tree: string): Promise<boolean> {
    if (await isThere(join(this.#store.objects, tree.slice(0, 2), tree.slice(2)))) return true;
    return (await this.#store.git(['cat-file', '-e', `${tree}^{tree}`], {}, { answers: [0, 1, 128] })).code === 0;
  }

  async #seed(from: string): Promise<void> {
    const theirs = snapshotIndexOf({ path: from });
    let state: Buffer;
    try {
      state = await readFile(`${theirs}.json`);
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error;
      return;
    }
    await writing(this.path, async () => {
      await writeFile(`${this.path}.json`, state, { mode: 0o600 });
      await copyIndex(theirs, this.path);
    });
  }

  /** Starts again, as a copy of the user's index. Entries that git is to skip are checked if they are on disk. */
  async #begin({ prefix }: Taking): Promise<InitialIndex> {
    const { repository, top } = this.#store;
    const where = { index: this.path, folder: top };
    await writing(this.path, () => copyIndex(repository?.index ?? `${this.path}.none`, this.path));
    if (!(await isThere(this.path))) {
      await this.#store.git(['read-tree', '--empty'], where);
      return { extras: [], skipped: [], present: [] };
    }
    const { paths, assumed, skipped } = await unlookedEntries(this.#store, where);
    const look = lookBelow(top);
    const present = skipped.filter((path) => look(path) !== undefined);
    const own = `${prefix}.state`;
    const never = paths.filter((path) => path === own || path.startsWith(`${own}/`));
    for (const [option, paths] of [
      ['--no-assume-unchanged', assumed] as const,
      ['--no-skip-worktree', present] as const,
      ['--force-remove', never] as const,
    ]) {
      if (paths.length === 0) continue;
      await this.#store.git(['update-index', option, '-z', '--stdin'], where, { input: listOfNames(paths) });
    }
    // Files that changed within the second in which the user's index was written would be read at each call, until git
    // rewrites it.
    const refresh = ['update-index', '-q', '--refresh', '--force-write-index'];
    await this.#store.git(refresh, where, { answers: [0, 1] });
    return { extras: [], skipped, present };
  }

  async #read(): Promise<State | undefined> {
    try {
      return stateSchema.parse(JSON.parse(await readFile(`${this.path}.json`, 'utf8')));
    } catch (error) {
      // Absent, damaged, or of another version: then it is recreated.
      if (isSystemError(error, 'EACCES')) throw error;
      return undefined;
    }
  }

  async #write(state: State): Promise<void> {
    const file = `${this.path}.json`;
    await writing(file, async () => {
      await writeFile(`${file}.tmp`, JSON.stringify(state), { mode: 0o600 });
      await rename(`${file}.tmp`, file);
    });
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
