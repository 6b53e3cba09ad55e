import { delimiter, resolve } from 'node:path';
import { GIT_CEILING } from '../../environment.ts';
import type { GitOptions } from '../git/git.ts';
import type { Globs } from '../files/globs.ts';
import type { Repository } from '../git/repository.ts';
import type { KnownIndex } from '../trees/capture-tree.ts';
import type { Taking, LeftOut } from '../trees/left-out.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { TreeObjects } from '../trees/tree-objects.ts';
import type { CapturedWork, Checkout, CheckoutRequest } from '../workspace.ts';
import { environmentOfTree } from '../git/tree-environment.ts';
import { isRefusedBelow, isRefusedWrite, treesUnusable } from './trees-folder.ts';
import { furnish, type Furnishing } from './furnish-slot.ts';
import { readRepository, type RepositoryCopy } from './repository-copy.ts';
import { captureSlot } from './slot-capture.ts';
import { isOfWhatLiesThere, prepareSlot, type PreparedSlot } from './slot-checkout.ts';
import { memoryOf } from './slot-state.ts';
import { refuseReplaced, Slots, type Slot } from './slots.ts';

/** Options for creating work trees. */
export interface WorkTreesSetting {
  /** Absolute path of the folder that contains them. */
  readonly root: string;
  /** Path of the workspace below the top of the repository, '' or ending in `/`. */
  readonly prefix: string;
  readonly repository: Repository | undefined;
  readonly git: GitOptions;
  readonly maxUntracked: number;
  /** Top of the user's folder, absolute. */
  readonly top: string;
  readonly link: Furnishing['link'];
  readonly setup: Furnishing['setup'];
  /** Globs of all gates. */
  readonly declared: () => Furnishing['declared'];
  readonly onDurable: (what: string) => void;
  /** Opened on first use. */
  readonly open: () => Promise<{ readonly store: ObjectStore; readonly trees: TreeObjects }>;
  /** Globs that also match ignored files. */
  readonly named: (files: CheckoutRequest['files']) => readonly Globs[];
  /** Converts paths relative to the top into paths relative to the workspace, without those outside of it. */
  readonly within: (leftOut: readonly LeftOut[]) => CapturedWork['leftOut'];
}

type WorkTreeRequest = Pick<CheckoutRequest, 'attempt' | 'files' | 'until' | 'base' | 'tree' | 'setup'>;

/** Work trees of attempts: slots, with versions of the workspace in them. */
export class WorkTrees {
  readonly #setting: WorkTreesSetting;
  readonly #slots: Slots;
  #copy: Promise<RepositoryCopy> | undefined;

  constructor(setting: WorkTreesSetting) {
    this.#setting = setting;
    this.#slots = new Slots({ root: setting.root, keepsPaths: setting.setup !== undefined });
  }

  /** Checks out a version in a slot. A slot in which that fails is never used again. */
  checkOut(request: WorkTreeRequest, now: string): Promise<Checkout> {
    return this.#placing(this.#checkOut(request, now));
  }

  async #checkOut(request: WorkTreeRequest, now: string): Promise<Checkout> {
    const slot = await this.#take(request, now);
    try {
      return await this.#prepare(slot, request);
    } catch (error) {
      await this.#slots.give(slot, false, {});
      if (!isOfWhatLiesThere(error)) throw error;
      // Also if the user dropped the commit that was checked out when the call began.
      this.#copy = undefined;
    }
    const other = await this.#take(request, now, true);
    try {
      return await this.#prepare(other, request);
    } catch (error) {
      await this.#slots.give(other, false, {});
      throw error;
    }
  }

  /** The place of an attempt that another process checked out. */
  async reopen(request: WorkTreeRequest, from: string): Promise<Checkout | undefined> {
    const slot = await this.#placing(this.#slots.of(request.attempt));
    if (slot === undefined) return undefined;
    const { links = [] } = slot.state;
    const furnished = { links, kept: [], notices: [], ...memoryOf(slot.state) };
    return this.#working(slot, request, from, furnished, { extras: [] });
  }

  /** The attempt no longer works there, but another process may still do so. */
  async forget(attempt: string): Promise<void> {
    const slot = await this.#placing(this.#slots.of(attempt));
    if (slot !== undefined) await this.#placing(this.#slots.give(slot, false, {}));
  }

  /** Deletes the work trees of attempts whose engine is gone. */
  async sweep(now: string): Promise<void> {
    await this.#placing(this.#slots.sweep(now));
  }

  /** @throws GatelineError `TREES_UNUSABLE` if the system refuses an operation below the folder of the slots */
  async #placing<T>(work: Promise<T>): Promise<T> {
    const { root } = this.#setting;
    return work.catch((error: unknown) => {
      throw isRefusedBelow(error, root) || isRefusedWrite(error) ? treesUnusable(root, error) : error;
    });
  }

  async #take({ attempt, until }: WorkTreeRequest, now: string, isFresh = false): Promise<Slot> {
    const slot = await this.#slots.take({ attempt, ...(until !== undefined && { until }) }, now, isFresh);
    this.#setting.onDurable(`take ${slot.path}`);
    return slot;
  }

  async #prepare(slot: Slot, request: WorkTreeRequest): Promise<Checkout> {
    const { git, onDurable, open } = this.#setting;
    const { base, tree } = request;
    const { store, trees } = await open();
    const copy = await this.#repositoryCopy();
    const contents = { tree, files: await trees.files(tree), submodules: await trees.submodules(tree) };
    const furnished = await prepareSlot(slot, contents, {
      store,
      git,
      copy,
      furnish: async () => {
        const files = [...(await trees.pathsFromTop(base)), ...(await trees.pathsFromTop(tree))];
        return furnish(slot, files, this.#furnishing(store), request.setup);
      },
    });
    await this.#slots.furnished(slot, furnished.links, memoryOf(furnished));
    onDurable(`check out ${slot.path}`);
    return this.#working(slot, request, tree, furnished, { extras: [], tree });
  }

  async #repositoryCopy(): Promise<RepositoryCopy | undefined> {
    const { repository, git } = this.#setting;
    return repository && (this.#copy ??= readRepository(repository, git.environment));
  }

  #furnishing(store: ObjectStore): Furnishing {
    const { prefix, link, setup, declared } = this.#setting;
    return { store, prefix, link, setup, declared: declared() };
  }

  #working(slot: Slot, { files }: WorkTreeRequest, from: string, prepared: PreparedSlot, begun: KnownIndex): Checkout {
    const { links, notices } = prepared;
    const { prefix, top, onDurable, within, named, maxUntracked, open } = this.#setting;
    const isLinked = (path: string): boolean => links.some((link) => path === link || path.startsWith(`${link}/`));
    const taking: Taking = {
      prefix,
      untracked: 'all',
      named: named(files),
      maxUntracked,
      oversize: 'leave-out',
      dirtySubmodules: 'leave-out',
      isOurs: true,
      without: isLinked,
    };
    let known = begun;
    return {
      root: resolve(slot.folder, prefix),
      from,
      environment: (inherited) => {
        const others = inherited[GIT_CEILING];
        // Also identifies the processes of this attempt: see `livesBelow`.
        const ceilings = others === undefined ? [slot.path] : [slot.path, others];
        return {
          ...environmentOfTree(inherited, top, slot.folder),
          [GIT_CEILING]: ceilings.join(delimiter),
        };
      },
      notices,
      capture: async () => {
        await refuseReplaced(slot);
        const [{ store }, copy] = await Promise.all([open(), this.#repositoryCopy()]);
        const captured = await captureSlot(slot, from, { store, taking, known, isSparse: copy?.isSparse === true });
        known = captured;
        onDurable(`capture ${slot.path}`);
        return { tree: captured.tree, leftOut: within(captured.leftOut) };
      },
      release: async (isReusable, left) => {
        await this.#placing(this.#slots.give(slot, isReusable, memoryOf(prepared), left));
        onDurable(`give ${slot.path}`);
      },
    };
  }
}
