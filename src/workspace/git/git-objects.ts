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

type ObjectType = 'commit' | 'tree' | 'blob';

/**
 * Objects of a repository, each verified against its id: git trusts the content under an object's name, and any process
 * that can write to `.git` can put something else there. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
 */
export class GitObjects {
  readonly #git: Git;
  readonly #format: ObjectFormat;
  readonly #trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();

  constructor(git: Git, format: ObjectFormat) {
    this.#git = git;
    this.#format = format;
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
    const { out } = await this.#git(['cat-file', type, id]);
    const actual = createHash(this.#format).update(`${type} ${out.length}\0`).update(out).digest('hex');
    if (actual !== id) throw altered(type, id);
    return out;
  }

  #entriesOf(tree: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const known =
      this.#trees.get(tree) ?? this.read('tree', tree).then((bytes) => entriesIn(bytes, BYTES_OF_ID[this.#format]));
    this.#trees.set(tree, known);
    return known;
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
