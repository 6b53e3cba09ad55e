import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TreeDifference, TreeFile } from '../../src/run/files/tree.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { drawn } from '../support/test-size.ts';
import { blob, Folder, Kept } from './folder.ts';
import { asAgent, checkOut, put } from './round.ts';

type Edit =
  | { readonly do: 'write'; readonly path: string; readonly text: string; readonly executable: boolean }
  | { readonly do: 'link'; readonly path: string; readonly text: string }
  | { readonly do: 'delete'; readonly path: string };

/** What somebody does with git in between: of no consequence to what lies on disk. */
type Git = 'none' | 'commit' | 'stage' | 'unstage' | 'stash and pop' | 'gc';

interface Attempt {
  readonly edits: readonly Edit[];
  readonly git: Git;
  /** How many versions back the one is that it works on. */
  readonly back: number;
  readonly isHandedOn: boolean;
  readonly isReusable: boolean;
}

interface Step {
  readonly edits: readonly Edit[];
  readonly git: Git;
  readonly attempts: readonly Attempt[];
}

const path = fc.constantFrom(
  'a',
  'b',
  'A',
  'd',
  'd/x',
  'd/e',
  'd/e/y',
  'ü',
  'x y/[z]',
  '\n',
  'b.ign',
  'd/c.ign',
  'e/f.txt',
);
const text = fc.constantFrom('', 'one', 'two', 'six', 'one\r\ntwo\n', 'three\n');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), path, text, executable: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('link' as const), path, text: fc.constantFrom('a', 'd', '/nowhere') }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), path }) },
);
const git = fc.constantFrom<Git>('none', 'none', 'commit', 'stage', 'unstage', 'stash and pop', 'gc');
const step: fc.Arbitrary<Step> = fc.record({
  edits: fc.array(edit, { maxLength: 6 }),
  git,
  attempts: fc.array(
    fc.record({
      edits: fc.array(edit, { maxLength: 6 }),
      git,
      back: fc.nat({ max: 3 }),
      isHandedOn: fc.boolean(),
      isReusable: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
});

/** Files by path, as git would have them. */
type Model = Map<string, TreeFile>;

const IGNORED = '*.ign\n';

function fileOf(edit: Exclude<Edit, { do: 'delete' }>): TreeFile {
  if (edit.do === 'link') return { blob: blob(edit.text), mode: '120000' };
  return { blob: blob(edit.text), mode: edit.executable ? '100755' : '100644' };
}

/** Does it on disk, clearing away what is in its way, and in the model. */
function apply(root: string, model: Model, edits: readonly Edit[]): void {
  for (const one of edits) {
    const place = join(root, one.path);
    const inTheWay = firstThatIsNoFolder(root, one.path);
    if (inTheWay !== undefined) {
      if (one.do === 'delete') continue;
      rmSync(join(root, inTheWay));
      model.delete(inTheWay);
    }
    rmSync(place, { recursive: true, force: true });
    for (const known of model.keys()) if (known === one.path || known.startsWith(`${one.path}/`)) model.delete(known);
    if (one.do === 'delete') continue;
    if (one.do === 'write') put(root, one.path, one.text, one.executable ? 0o755 : 0o644);
    else {
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(one.text, place);
    }
    if (!one.path.endsWith('.ign')) model.set(one.path, fileOf(one));
  }
}

/** The outermost thing above a path that is a file or a link. */
function firstThatIsNoFolder(root: string, path: string): string | undefined {
  const names = path.split('/').slice(0, -1);
  const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
  for (const folder of above) {
    const stats = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (!stats.isDirectory()) return folder;
  }
  return undefined;
}

function work(command: Git, run: (...args: string[]) => string): void {
  if (command === 'commit' || command === 'stage' || command === 'stash and pop') run('add', '-A');
  if (command === 'commit') run('commit', '-q', '--allow-empty', '-m', 'x');
  if (command === 'unstage') run('reset', '-q');
  if (command === 'gc') run('gc', '-q', '--prune=now');
  if (command !== 'stash and pop') return;
  run('stash', 'push', '-q', '-u');
  if (run('stash', 'list') !== '') run('stash', 'pop', '-q', '--index');
}

const asList = (model: ReadonlyMap<string, TreeFile>): [string, TreeFile][] =>
  [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));

function differences(before: Model, after: Model): TreeDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))
    .filter((one) => one.before?.blob !== one.after?.blob || one.before?.mode !== one.after?.mode);
}

interface Version {
  readonly tree: string;
  readonly model: Model;
}

class World {
  readonly #folder: Folder;
  readonly #kept = new Kept();
  readonly #model: Model = new Map([['.gitignore', { blob: blob(IGNORED), mode: '100644' }]]);
  readonly #versions: Version[] = [];
  #attempts = 0;

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  async take({ edits, git, attempts }: Step): Promise<void> {
    apply(this.#folder.root, this.#model, edits);
    work(git, (...args) => this.#folder.git(...args));
    await using workspace = await this.#folder.open();
    const { tree } = await workspace.snapshot([]);
    expect([...(await workspace.files(tree))]).toEqual(asList(this.#model));
    this.#versions.push({ tree, model: new Map(this.#model) });
    const before = this.#folder.repositoryContents();
    for (const attempt of attempts) await this.#attempt(workspace, attempt);
    expect(this.#folder.repositoryContents()).toEqual(before);
  }

  async #attempt(workspace: Workspace, { edits, git, back, isHandedOn, isReusable }: Attempt): Promise<void> {
    const from = this.#versions.at(-1 - back) ?? this.#versions[0]!;
    this.#attempts += 1;
    const checkout = await checkOut(workspace, { tree: from.tree, attempt: `attempt ${this.#attempts}` });
    expect((await checkout.capture()).tree).toBe(from.tree);
    const model = new Map(from.model);
    apply(checkout.root, model, edits);
    work(git, asAgent(this.#folder, checkout));
    const done = await checkout.capture();
    expect(await workspace.differences(from.tree, done.tree)).toEqual(differences(from.model, model));
    const { files } = await workspace.changes(from.tree, done, 'changed', this.#kept.keep, checkout);
    const isPlain = (file: TreeFile | null): boolean => file?.mode !== '120000';
    const plain = differences(from.model, model).filter(({ before, after }) => isPlain(before) && isPlain(after));
    expect(files).toMatchObject(plain);
    await workspace.keep(from.tree, done.tree);
    await checkout.release(isReusable);
    await workspace.sweep(new Date().toISOString());
    if (!isHandedOn || plain.length !== differences(from.model, model).length) return;
    const built = await workspace.build(from.tree, files, this.#kept.copy);
    expect(built).toBe(done.tree);
    this.#versions.push({ tree: built, model });
  }
}

it('versions, work trees and differences are as a simple model has them, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      await using folder = await Folder.repository();
      folder.write('.gitignore', IGNORED);
      folder.commitAll();
      const world = new World(folder);
      for (const one of steps) await world.take(one);
    }),
    drawn(25),
  );
}, 3_600_000);
