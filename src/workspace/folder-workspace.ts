import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceSettings } from '../pipeline/pipeline.ts';
import type { Tree, TreeDifference, TreeFile } from '../run/files/tree.ts';
import { claimInPlace, refuseClaimInPlace } from './folder/claim-in-place.ts';
import { isRelative, neverCounts } from './files/contain.ts';
import { committedFile, lastCommit } from './git/committed.ts';
import type { GitOptions } from './git/git.ts';
import { compileGlobs, withoutPaths, type Globs } from './files/globs.ts';
import { handOn, type HandOnLimits } from './trees/hand-on.ts';
import { InPlace } from './folder/in-place.ts';
import { putFiles } from './folder/put-files.ts';
import { earlierPuts } from './folder/put-lists.ts';
import { readText } from './files/read-text.ts';
import type { Repository } from './git/repository.ts';
import { currentFiles } from './folder/current-files.ts';
import type { TreeSetup } from './slots/furnish-slot.ts';
import { WorkTrees } from './slots/work-trees.ts';
import { noticesOf, type Taking, type LeftOut } from './trees/left-out.ts';
import { objectsBelow, openObjectStore, removeHalfDone, type ObjectStore } from './objects/object-store.ts';
import { discardBlobs, screenTree } from './trees/screened-tree.ts';
import { pruneObjects } from './objects/prune-objects.ts';
import { SnapshotIndex } from './trees/snapshot-index.ts';
import { TreeObjects } from './trees/tree-objects.ts';
import type {
  Changes,
  Checkout,
  CheckoutRequest,
  CopyContent,
  EarlierPut,
  LaidFile,
  PutOptions,
  PutResult,
  Screened,
  Snapshot,
  TreeId,
  WantedFile,
  Workspace,
} from './workspace.ts';

/** Options of a workspace. */
export interface FolderWorkspaceSetting {
  readonly root: string;
  readonly repository: Repository | undefined;
  readonly git: GitOptions;
  readonly store: string;
  readonly trees: string;
  readonly link: WorkspaceSettings['link'];
  readonly declared: readonly (readonly string[])[];
  readonly setup: TreeSetup | undefined;
  readonly kind: 'local' | 'job';
  readonly readOnly: boolean;
  readonly now: () => Date;
  readonly onDurable: (what: string) => void;
  readonly limits: HandOnLimits;
  readonly maxUntracked: number;
  readonly generated: (path: string) => boolean;
}

/** Opened on first use: many commands never look at files. */
interface OpenWorkspace {
  readonly store: ObjectStore;
  readonly trees: TreeObjects;
  readonly index: SnapshotIndex;
}

const BRANCHES = 'refs/heads/';

/** A folder, in a git repository or not, as a {@link Workspace}. */
export class FolderWorkspace implements Workspace {
  readonly root: string;
  readonly git: string;
  readonly #setting: FolderWorkspaceSetting;
  readonly #prefix: string;
  readonly #workTrees: WorkTrees;
  readonly #inPlace: InPlace;
  readonly #globs = new Map<string, Globs>();
  #opened: Promise<OpenWorkspace> | undefined;
  #temporary: string | undefined;

  constructor(setting: FolderWorkspaceSetting) {
    this.root = setting.root;
    this.git = setting.git.binary;
    this.#setting = setting;
    this.#prefix = setting.repository?.prefix ?? '';
    const { trees: root, repository, git, maxUntracked, onDurable, link, declared, setup } = setting;
    this.#workTrees = new WorkTrees({
      root,
      repository,
      git,
      maxUntracked,
      onDurable,
      link,
      setup,
      declared: () => declared.map((globs) => this.#compiled(globs)),
      top: repository?.top ?? setting.root,
      prefix: this.#prefix,
      open: () => this.#open(),
      named: (files) => this.#named(files),
      within: (leftOut) => this.#within(leftOut),
    });
    this.#inPlace = new InPlace({
      root: this.root,
      prefix: this.#prefix,
      kind: setting.kind,
      store: setting.store,
      open: () => this.#open(),
      taking: (files) =>
        this.#taking(this.#named(files), setting.kind === 'local' || files === 'changed' ? 'all' : 'named'),
      within: (leftOut) => this.#within(leftOut),
      now: () => this.#now(),
    });
  }

  async snapshot(named: readonly (readonly string[])[]): Promise<Snapshot> {
    const { index } = await this.#open();
    // While an agent is changing the folder, its content is not a version.
    const claim = this.#setting.kind === 'local' ? await claimInPlace(this.#setting.store, this.#now()) : undefined;
    if (claim !== undefined) return { tree: claim.base, notices: [] };
    const taking = this.#taking(
      named.flatMap((globs) => this.#named(globs)),
      this.#setting.kind === 'local' ? 'all' : 'named',
    );
    const dirtySubmodules = this.#setting.kind === 'local' ? 'error' : 'leave-out';
    const { tree, leftOut } = await index.capture({ ...taking, oversize: 'error', dirtySubmodules });
    return { tree, notices: noticesOf(this.#within(leftOut)) };
  }

  async files(tree: TreeId): Promise<Tree> {
    return (await this.#open()).trees.files(tree);
  }

  async currentFiles(tree: TreeId, paths: readonly string[]): Promise<Tree> {
    return currentFiles({ ...(await this.#open()), root: this.root, prefix: this.#prefix, tree }, paths);
  }

  matches(globs: readonly string[] | undefined, path: string, mode?: string): boolean {
    if (globs === undefined) return true;
    if (!isRelative(path) || neverCounts(path)) return false;
    const compiled = this.#compiled(globs);
    return mode === '160000' ? compiled.matchesRepository(path) : compiled.matches(path);
  }

  async build(base: TreeId, changes: readonly LaidFile[], copy: CopyContent): Promise<TreeId> {
    return (await this.#open()).trees.build(base, changes, copy);
  }

  async differences(from: TreeId, to: TreeId): Promise<readonly TreeDifference[]> {
    return (await this.#open()).trees.differences(from, to);
  }

  async screen(...[from, tree, known, isRefused]: Parameters<Workspace['screen']>): Promise<Screened> {
    const { store, trees } = await this.#open();
    return screenTree(store, trees, { from, tree, known, isRefused });
  }

  async discard(blobs: Iterable<string>, users: TreeId): Promise<void> {
    const { store, trees } = await this.#open();
    await discardBlobs(store, trees, blobs, users);
  }

  async keep(from: TreeId, to: TreeId): Promise<void> {
    await (await this.#open()).trees.keep(from, to);
  }

  async prune(...[old, kept]: Parameters<Workspace['prune']>): Promise<void> {
    const { store, trees } = await this.#open();
    if (await pruneObjects(store, { old, kept, onDurable: this.#setting.onDurable })) trees.forget();
  }

  async patch(from: TreeId, to: TreeId, paths?: readonly string[]): Promise<string> {
    return (await this.#open()).trees.patch(from, to, paths);
  }

  async wholePatch(from: TreeId, to: TreeId, paths: readonly string[]): Promise<Uint8Array> {
    return (await this.#open()).trees.wholePatch(from, to, paths);
  }

  async checkOut(request: CheckoutRequest): Promise<Checkout> {
    return request.place === 'in-place' || this.#setting.kind === 'job'
      ? this.#inPlace.checkOut(request)
      : this.#workTrees.checkOut(request, this.#now());
  }

  async reopen(request: CheckoutRequest & { readonly from: TreeId }): Promise<Checkout | undefined> {
    return request.place === 'in-place' || this.#setting.kind === 'job'
      ? this.#inPlace.reopen(request)
      : this.#workTrees.reopen(request, request.from);
  }

  async forget(attempt: string): Promise<void> {
    await this.#inPlace.forget(attempt);
    await this.#workTrees.forget(attempt);
  }

  async requireFolder(): Promise<void> {
    if (this.#setting.kind === 'local') await refuseClaimInPlace(this.#setting.store, this.#now());
  }

  async sweep(now: string): Promise<void> {
    if (this.#setting.kind !== 'local') return;
    await Promise.all([this.#workTrees.sweep(now), removeHalfDone(this.#setting.store)]);
  }

  async changes(...[from, { tree, leftOut }, files, keep, at]: Parameters<Workspace['changes']>): Promise<Changes> {
    const { store, trees } = await this.#open();
    const globs = files === 'changed' ? undefined : this.#compiled(files);
    return handOn({
      store,
      folder: at.root.slice(0, at.root.length - this.#prefix.length).replace(/[/\\]$/, ''),
      prefix: this.#prefix,
      differences: await trees.differences(from, tree),
      leftOut,
      globs,
      keep,
      limits: this.#setting.limits,
    });
  }

  async put(wanted: readonly WantedFile[], tree: TreeId, options: PutOptions): Promise<PutResult> {
    const { store, trees } = await this.#open();
    await this.requireFolder();
    const { onDurable } = this.#setting;
    return putFiles({ store, trees, root: this.root, prefix: this.#prefix, tree, wanted, onDurable, ...options });
  }

  earlierPuts(parent: string): Promise<EarlierPut[]> {
    return earlierPuts(parent);
  }

  #now(): string {
    return this.#setting.now().toISOString();
  }

  readText(path: string): Promise<string | undefined> {
    return readText(this.root, path);
  }

  committed(path: string): Promise<TreeFile | null | undefined> {
    return committedFile(this.#setting.repository, this.#prefix + path);
  }

  lastCommit(path: string): Promise<string | undefined> {
    return lastCommit(this.#setting.repository, this.#prefix + path);
  }

  async branch(): Promise<string | undefined> {
    const answer = await this.#setting.repository?.git(['symbolic-ref', '-q', 'HEAD'], { answers: [0, 1] });
    const name = answer?.out.toString('utf8').trim() ?? '';
    return answer?.code === 0 && name.startsWith(BRANCHES) ? name.slice(BRANCHES.length) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }

  #open(): Promise<OpenWorkspace> {
    this.#opened ??= this.#openStore();
    return this.#opened;
  }

  async #openStore(): Promise<OpenWorkspace> {
    const { root, repository, git, readOnly, store: path } = this.#setting;
    if (readOnly) this.#temporary = await mkdtemp(join(tmpdir(), 'gateline-'));
    const store = await openObjectStore({
      path: this.#temporary ?? path,
      repository,
      root,
      git,
      ...(readOnly && { alternates: [objectsBelow(path, repository?.format ?? 'sha1')] }),
    });
    const index = new SnapshotIndex(store, readOnly ? path : undefined);
    return { store, trees: new TreeObjects(store, this.#prefix), index };
  }

  #taking(named: readonly Globs[], untracked: Taking['untracked']): Taking {
    const strictness = { oversize: 'leave-out', dirtySubmodules: 'leave-out', isOurs: false } as const;
    return { prefix: this.#prefix, untracked, named, maxUntracked: this.#setting.maxUntracked, ...strictness };
  }

  /** There are few lists of globs, and they are used often: each is compiled once. */
  #compiled(globs: readonly string[]): Globs {
    const key = JSON.stringify(globs);
    const found = this.#globs.get(key) ?? compileGlobs(globs);
    this.#globs.set(key, found);
    return found;
  }

  #named(files: CheckoutRequest['files']): Globs[] {
    if (files === 'changed' || files.length === 0) return [];
    return [withoutPaths(this.#compiled(files), this.#setting.generated)];
  }

  #within(leftOut: readonly LeftOut[]): LeftOut[] {
    return leftOut
      .filter(({ path }) => path.startsWith(this.#prefix))
      .map(({ path, why }) => ({ path: path.slice(this.#prefix.length), why }));
  }
}
