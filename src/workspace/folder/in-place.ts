import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writing } from '../../errors/store-errors.ts';
import { refuseLacking, type TreeDifference } from '../../run/files/tree.ts';
import { forgetClaimInPlace, noteClaimInPlace, refuseClaimInPlace } from './claim-in-place.ts';
import { currentFiles } from './current-files.ts';
import { captureTree, type CapturedTree } from '../trees/capture-tree.ts';
import { NOT_NAMED, type Taking, type LeftOut } from '../trees/left-out.ts';
import { copyIndex, indexState, unskipPresent } from '../trees/index-file.ts';
import type { IndexedFolder, ObjectStore } from '../objects/object-store.ts';
import type { TreeObjects } from '../trees/tree-objects.ts';
import { environmentOfTree } from '../git/tree-environment.ts';
import type { Checkout, CheckoutRequest } from '../workspace.ts';

/** The user's folder, or a CI job's checkout, as a place for attempts. */
export interface InPlaceSetting {
  readonly root: string;
  readonly prefix: string;
  readonly kind: 'local' | 'job';
  /** Folder of the object store. */
  readonly store: string;
  readonly open: () => Promise<OpenFolder>;
  readonly taking: (files: CheckoutRequest['files']) => Taking;
  /** Filters a list to the paths inside the workspace, relative to it. */
  readonly within: (leftOut: readonly LeftOut[]) => LeftOut[];
  /** ISO 8601. */
  readonly now: () => string;
}

interface OpenFolder {
  readonly store: ObjectStore;
  readonly trees: TreeObjects;
  /** Index from an earlier look at the folder, with git's cached file data. */
  readonly index: { readonly path: string };
}

type InPlaceRequest = Pick<CheckoutRequest, 'base' | 'tree' | 'attempt' | 'files' | 'until' | 'of'>;

interface FolderLook {
  readonly store: ObjectStore;
  readonly where: IndexedFolder;
  readonly taking: Taking;
}

const leftOutSchema = z.array(z.object({ path: z.string(), why: z.string() }));

/** Attempts that work in the user's folder, or in a CI job's checkout. */
export class InPlace {
  readonly #setting: InPlaceSetting;

  constructor(setting: InPlaceSetting) {
    this.#setting = setting;
  }

  /** @throws GatelineError `CLAIM_IN_PLACE`, `GATE_NOT_APPLIED` */
  async checkOut(request: InPlaceRequest): Promise<Checkout> {
    const { base, tree, attempt, until, of } = request;
    const { kind, store, now, open } = this.#setting;
    const { trees, index } = await open();
    const differences = await trees.differences(base, tree);
    if (kind === 'local') {
      await refuseClaimInPlace(store, now(), attempt);
      await this.#refuseLacking(base, differences);
    }
    const look = await this.#lookFor(request);
    await writing(look.where.index, () => copyIndex(index.path, look.where.index));
    const before = await captureTree(look.store, look.where, look.taking, { extras: [] });
    const leftOut = `${look.where.index}.json`;
    await writing(leftOut, () => writeFile(leftOut, JSON.stringify(before.leftOut), { mode: 0o600 }));
    if (kind === 'local' && until !== undefined) await noteClaimInPlace(store, { attempt, base, until, of });
    return this.#checkoutOf(
      attempt,
      look,
      kind === 'local' ? before.tree : await this.#bringIn(look, before.tree, differences),
    );
  }

  /** `undefined`: there was no such attempt, or its place was released. */
  async reopen(request: InPlaceRequest & { readonly from: string }): Promise<Checkout | undefined> {
    const look = await this.#lookFor(request);
    const { index } = look.where;
    const isBegun = (await indexState(index, look.store.format)) !== undefined && existsSync(`${index}.json`);
    return isBegun ? this.#checkoutOf(request.attempt, look, request.from) : undefined;
  }

  /** The attempt no longer works there. */
  async forget(attempt: string): Promise<void> {
    const { store, now } = this.#setting;
    const index = this.#indexOf(attempt);
    await Promise.all([rm(index, { force: true }), rm(`${index}.json`, { force: true })]);
    await forgetClaimInPlace(store, attempt, now());
  }

  /** A separate index for each attempt: other processes may look at the folder meanwhile. */
  #indexOf(attempt: string): string {
    const name = createHash('sha256').update(attempt).digest('hex').slice(0, 16);
    return join(this.#setting.store, `in-place.${name}.index`);
  }

  async #lookFor({ attempt, files }: Pick<InPlaceRequest, 'attempt' | 'files'>): Promise<FolderLook> {
    const { store } = await this.#setting.open();
    const where = { index: this.#indexOf(attempt), folder: store.top };
    return { store, where, taking: this.#setting.taking(files) };
  }

  async #refuseLacking(base: string, differences: readonly TreeDifference[]): Promise<void> {
    const { root, prefix, open } = this.#setting;
    const paths = differences.map(({ path }) => path);
    const folder = await currentFiles({ ...(await open()), root, prefix, tree: base }, paths);
    refuseLacking(folder, differences);
  }

  /** Writes the files handed on by earlier gates into a CI job's checkout, which only the job uses. */
  async #bringIn(
    { store, where }: FolderLook,
    before: string,
    differences: readonly TreeDifference[],
  ): Promise<string> {
    if (differences.length === 0) return before;
    const tree = await (await this.#setting.open()).trees.lay(before, differences);
    // Files left at these paths by setup steps may be overwritten.
    if (tree !== before) await store.git(['read-tree', '--reset', '-u', tree], where);
    return tree;
  }

  #checkoutOf(attempt: string, look: FolderLook, from: string): Checkout {
    const { root, kind, within } = this.#setting;
    return {
      root,
      from,
      notices: [],
      environment: (inherited) => (kind === 'job' ? inherited : environmentOfTree(inherited, root, root)),
      capture: async () => {
        const { tree, leftOut } = await captureAfter(look);
        return { tree, leftOut: within(leftOut.filter(({ why }) => why !== NOT_NAMED)) };
      },
      release: () => this.forget(attempt),
    };
  }
}

/** Looks at the folder after the agent. Files that were already unreadable before are not attributed to the agent. */
async function captureAfter({ store, where, taking }: FolderLook): Promise<CapturedTree> {
  await rm(`${where.index}.lock`, { force: true });
  await unskipPresent(store, where);
  const after = await captureTree(store, where, taking, { extras: [] });
  const known = new Set(leftOutSchema.parse(JSON.parse(await readFile(`${where.index}.json`, 'utf8'))).map(keyOf));
  return { ...after, leftOut: after.leftOut.filter((one) => !known.has(keyOf(one))) };
}

function keyOf({ path, why }: LeftOut): string {
  return `${why}\0${path}`;
}
