import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { FileVersion } from '../../../src/run/files.ts';
import { snapshotFrom } from '../../../src/workspace/workspace.ts';
import type { Random } from '../random.ts';
import type { TestFolder, Tree } from '../world.ts';

/** What git makes of line ends, and where the folder is. */
export interface FolderKind {
  readonly repository: 'none' | 'here' | 'above';
  readonly autocrlf: boolean;
  /** A path in .gitignore. */
  readonly ignored?: string;
}

/**
 * A folder on the disk. A content is the text of a file without its line end, after `x` the text of an executable one,
 * after `@` the target of a link, after `~` all bytes of a file that does not end as a line.
 */
export class GitFolder implements TestFolder {
  readonly root: string;
  readonly kind: FolderKind;
  readonly writers = new Map<string, string>();
  onWrite = (): void => {};
  readonly #top: string;
  readonly paths: readonly string[];
  readonly #random: Random;
  readonly #texts = new Map<string, string>();
  readonly #trees = new Map<string, Tree>();

  /** @param paths all that the folder can have */
  constructor(top: string, paths: readonly string[], kind: FolderKind, random: Random) {
    this.#top = top;
    this.root = kind.repository === 'above' ? join(top, 'below') : top;
    this.paths = paths;
    this.kind = kind;
    this.#random = random;
    mkdirSync(this.root, { recursive: true });
    this.#note(Buffer.from(''), false);
    if (kind.ignored !== undefined) writeFileSync(join(this.root, '.gitignore'), kind.ignored);
    if (kind.repository === 'none') return;
    this.#git(['init', '-q', top]);
    if (kind.autocrlf) this.#git(['config', 'core.autocrlf', 'true']);
  }

  read(path: string): string | null {
    const place = join(this.root, path);
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (stat.isSymbolicLink()) return `@${this.#note(Buffer.from(readlinkSync(place)), true)}`;
    return (stat.mode & 0o100 ? 'x' : '') + this.#note(readFileSync(place), false);
  }

  /** The user writes as editors, `cp -p`, `git` and people do. */
  write(path: string, content: string | null, writer?: string): void {
    this.onWrite();
    const place = join(this.root, path);
    const stat = lstatSync(place, { throwIfNoEntry: false });
    const text = content === null ? '' : content.replace(/^[x@~]/, '');
    const isPlain = stat?.isFile() === true && content !== null && !content.startsWith('@');
    const isInPlace = isPlain && this.#random.chance(0.5);
    if (!isInPlace) rmSync(place, { force: true });
    const isCrlf = this.kind.autocrlf && path !== this.kind.ignored && this.#random.chance(0.3);
    const lineEnd = content?.startsWith('~') ? '' : isCrlf ? '\r\n' : '\n';
    if (content?.startsWith('@')) symlinkSync(text, place);
    else if (content !== null) {
      const target = isInPlace ? place : join(this.#top, '.git-folder.tmp');
      writeFileSync(target, text + lineEnd);
      chmodSync(target, content.startsWith('x') ? 0o755 : 0o644);
      if (stat && !isInPlace && this.#random.chance(0.2)) utimesSync(target, stat.atime, stat.mtime);
      if (!isInPlace) renameSync(target, place);
    }
    // Notes what its id stands for.
    this.read(path);
    if (writer !== undefined) this.writers.set(path, writer);
    if (this.kind.repository !== 'none' && this.#random.chance(0.1)) this.#commit();
  }

  /** Objects that Gateline borrows may be gone afterwards. */
  #commit(): void {
    this.#git(['-c', 'core.safecrlf=false', 'add', '-A']);
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    this.#git([...author, 'commit', '-q', '--allow-empty', '-m', 'work']);
    if (this.#random.chance(0.3)) this.#git(['gc', '-q', '--prune=now']);
  }

  tree(snapshot: string): Tree {
    const known = this.#trees.get(snapshot);
    if (known) return known;
    const { tree: id, unstored } = snapshotFrom(snapshot);
    const lines = this.#inStore(['ls-tree', '-r', '-z', id]).toString().split('\0').slice(0, -1);
    const stored = lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.replace(/ \w+ (\w+)\t.*$/s, ' $1')]);
    const files = [...stored, ...Object.entries(unstored)] as [string, string][];
    const contents = files.filter(([path]) => this.paths.includes(path));
    const tree = new Map(contents.sort().map(([path, version]) => [path, this.contentOf(version)!]));
    this.#trees.set(snapshot, tree);
    return tree;
  }

  /** `<mode> <blob>`, or `unstored <mode> <SHA-256>` of a file that git ignores. */
  contentOf(version: FileVersion | null): string | null {
    if (version === null) return null;
    const [mode = '', digest = ''] = version.replace('unstored ', '').split(' ');
    const isLink = mode.startsWith('12');
    const text = this.#texts.get(isLink + digest) ?? this.#note(this.#inStore(['cat-file', 'blob', digest]), isLink);
    return (isLink ? '@' : mode.endsWith('755') ? 'x' : '') + text;
  }

  listKept(): readonly Tree[] {
    const ids = this.#inStore(['for-each-ref', '--format=%(objectname)']).toString().split('\n').slice(0, -1);
    return ids.map((id) => this.tree(id));
  }

  /** Notes which text the ids of these bytes stand for. */
  #note(bytes: Buffer, isLink: boolean): string {
    const raw = bytes.toString('latin1');
    const lines = this.kind.autocrlf && !isLink ? raw.replaceAll('\r\n', '\n') : raw;
    const text = isLink ? lines : lines.endsWith('\n') ? lines.slice(0, -1) : `~${lines}`;
    const sha1 = createHash('sha1').update(`blob ${lines.length}\0`).update(lines).digest('hex');
    for (const id of [sha1, createHash('sha256').update(lines).digest('hex')]) this.#texts.set(isLink + id, text);
    return text;
  }

  #git(args: readonly string[]): Buffer {
    return execFileSync('git', args, { cwd: this.#top });
  }

  #inStore(args: readonly string[]): Buffer {
    const lent = this.kind.repository === 'none' ? '' : join(this.#top, '.git/objects');
    const env = { ...process.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: lent };
    return execFileSync('git', ['--git-dir', join(this.root, '.state/git'), ...args], { cwd: this.root, env });
  }
}
