import { createHash } from 'node:crypto';
import { GatelineError } from '../../errors/gateline-error.ts';
import { BYTES_OF_ID, type ObjectFormat } from '../files/blob.ts';
import type { Git } from './git.ts';

/** One entry of a tree. */
export interface TreeEntry {
  /** `100644`, `100755`, `120000`, `160000`, `40000`. */
  readonly mode: string;
  readonly id: string;
}

const LINE_BREAK = 0x0a;

type ObjectType = 'commit' | 'tree' | 'blob';

/**
 * Objects of a repository, each verified against its id: git trusts the content under an object's name, and any process
 * that can write to `.git` can put something else there. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
 */
export class GitObjects {
  readonly #git: Git;
  readonly #format: ObjectFormat;
  readonly #trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();
  /** Content by `<type> <id>`: what {@link load} found. */
  readonly #loaded = new Map<string, Buffer>();

  constructor(git: Git, format: ObjectFormat) {
    this.#git = git;
    this.#format = format;
  }

  /**
   * Reads a commit, its tree and the folders of some paths in it by one git command, for the calls after it.
   * @returns whether the commit is available
   */
  async load(commit: string, paths: readonly string[]): Promise<boolean> {
    const folders = paths.flatMap((path) => {
      const parts = /\n|(?:^|\/)\.{0,2}(?:\/|$)/.test(path) ? [] : path.split('/').slice(0, -1);
      return parts.map((_, index) => `${commit}:${parts.slice(0, index + 1).join('/')}`);
    });
    const names = [...new Set([commit, `${commit}^{tree}`, ...folders])];
    for (const { type, content } of await readObjects(this.#git, names))
      this.#loaded.set(`${type} ${this.#idOf(type, content)}`, content);
    return this.#loaded.has(`commit ${commit}`);
  }

  #idOf(type: string, content: Buffer): string {
    return createHash(this.#format).update(`${type} ${content.length}\0`).update(content).digest('hex');
  }

  /** Id of a commit's tree. @throws GatelineError `OBJECT_ALTERED` */
  async treeOf(commit: string): Promise<string> {
    const text = (await this.read('commit', commit)).toString('latin1');
    const [, tree] = /^tree ([0-9a-f]+)\n/.exec(text) ?? [];
    if (tree === undefined) throw altered('commit', commit);
    return tree;
  }

  /**
   * The entry at a path of a tree, links not followed; `undefined`: there is none. @throws GatelineError
   * `OBJECT_ALTERED`
   */
  async entryAt(tree: string, path: string): Promise<TreeEntry | undefined> {
    let here: TreeEntry = { mode: '40000', id: tree };
    for (const name of path.split('/')) {
      if (here.mode !== '40000') return undefined;
      const entry = (await this.#entriesOf(here.id)).get(name);
      if (entry === undefined) return undefined;
      here = entry;
    }
    return here;
  }

  /** @throws GatelineError `OBJECT_ALTERED` */
  async read(type: ObjectType, id: string): Promise<Buffer> {
    const loaded = this.#loaded.get(`${type} ${id}`);
    if (loaded !== undefined) return loaded;
    const { out } = await this.#git(['cat-file', type, id]);
    if (this.#idOf(type, out) !== id) throw altered(type, id);
    return out;
  }

  #entriesOf(tree: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const known =
      this.#trees.get(tree) ?? this.read('tree', tree).then((bytes) => entriesIn(bytes, BYTES_OF_ID[this.#format]));
    this.#trees.set(tree, known);
    return known;
  }
}

/**
 * The objects with these names, by one git command, in this order; those that are not there are left out. Their content
 * may be anything that somebody wrote to `.git`.
 */
export async function readObjects(git: Git, names: readonly string[]): Promise<FoundObject[]> {
  const input = Buffer.from(`${names.join('\n')}\n`);
  // 128: one of them is damaged.
  const { out } = await git(['cat-file', '--batch'], { input, answers: [0, 128] });
  return [...objectsIn(out)];
}

/** Id of the object that a revision names, such as `HEAD^{tree}`; `undefined`: there is none. */
export async function objectNamed(git: Git, revision: string): Promise<string | undefined> {
  const answer = await git(['rev-parse', '-q', '--verify', revision], { answers: [0, 1, 128] });
  return answer.code === 0 ? answer.out.toString('latin1').trim() : undefined;
}

interface FoundObject {
  readonly type: string;
  readonly content: Buffer;
}

/** Output of `git cat-file --batch`: `<id> <type> <bytes>`, a line break, the content, a line break. */
function* objectsIn(out: Buffer): Generator<FoundObject> {
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(LINE_BREAK, at);
    if (end < 0) return;
    const [, type, bytes] = /^[0-9a-f]+ (commit|tree|blob|tag) (\d+)$/.exec(out.toString('latin1', at, end)) ?? [];
    at = end + 1;
    // A name that git does not find is repeated, with `missing` after it.
    if (type === undefined) continue;
    const content = out.subarray(at, at + Number(bytes));
    yield { type, content };
    at += content.length + 1;
  }
}

/** `<mode> <name>\0<id>`, repeated. */
function entriesIn(bytes: Buffer, idBytes: number): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const name = bytes.toString('utf8', space + 1, end);
    const id = bytes.toString('hex', end + 1, end + 1 + idBytes);
    entries.set(name, { mode: bytes.toString('latin1', at, space), id });
    at = end + 1 + idBytes;
  }
  return entries;
}

function altered(type: ObjectType, id: string): GatelineError {
  return new GatelineError('OBJECT_ALTERED', `.git has different content for ${type} ${id}`);
}
