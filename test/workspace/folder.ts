import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Digest } from '../../src/json/digest.ts';
import type { Content } from '../../src/run/records/record.ts';
import { openWorkspace, type WorkspaceOptions } from '../../src/workspace/open-workspace.ts';
import type { CopyContent, KeepContent, Workspace } from '../../src/workspace/workspace.ts';

/** A folder of its own for one test, with a home folder that holds no settings; removed when it goes out of scope. */
export class Folder implements AsyncDisposable {
  readonly #base: string;
  readonly #isWhole: boolean;
  readonly root: string;
  readonly environment: Record<string, string>;

  private constructor(base: string, name = 'work', isWhole = true) {
    this.#base = base;
    this.#isWhole = isWhole;
    this.root = join(base, name);
    mkdirSync(this.root, { recursive: true });
    mkdirSync(join(base, 'home'), { recursive: true });
    this.environment = {
      PATH: process.env['PATH'] ?? '',
      HOME: join(base, 'home'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CEILING_DIRECTORIES: base,
    };
  }

  static async plain(): Promise<Folder> {
    return new Folder(realpathSync(await mkdtemp(join(tmpdir(), 'gateline-workspace-'))));
  }

  static async repository(...init: string[]): Promise<Folder> {
    const folder = await Folder.plain();
    folder.git('init', '-q', '-b', 'main', ...init);
    return folder;
  }

  /** Another folder that was made beside one, or in it. It goes with that one. */
  static at(folder: Folder, name: string): Folder {
    return new Folder(folder.#base, name, false);
  }

  /** A path beside the workspace, outside of it. */
  beside(name: string): string {
    return join(this.#base, name);
  }

  /** Folder for work trees: outside of the workspace, as always. */
  get trees(): string {
    return this.beside('trees');
  }

  async open(options: Partial<WorkspaceOptions> = {}, below = ''): Promise<Workspace> {
    const root = join(this.root, below);
    const { environment, trees } = this;
    // As the store makes it: git ignores what is ours.
    if (options.readOnly !== true) this.write(join(below, '.state/.gitignore'), '*\n');
    return openWorkspace(root, { environment, trees, store: join(root, '.state/git'), ...options });
  }

  git(...args: string[]): string {
    return this.gitIn('.', ...args);
  }

  gitIn(place: string, ...args: string[]): string {
    const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
    return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
      cwd: resolve(this.root, place),
      env: { ...this.environment, ...who },
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  }

  /** What of the repository must stay as it is: contents of everything in `.git`, whatever their times. */
  repositoryContents(): Record<string, string> {
    // `--path-format` came after the oldest git that is promised.
    return contentsBelow(resolve(this.root, this.git('rev-parse', '--git-common-dir')));
  }

  commitAll(message = 'work'): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
  }

  write(path: string, content: string | Uint8Array, mode = 0o644): void {
    const place = join(this.root, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
    chmodSync(place, mode);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isWhole) await rm(this.#base, { recursive: true, force: true });
  }
}

/** Content in memory: the `keep` and `copy` that a store gives. */
export class Kept {
  readonly contents = new Map<string, Buffer>();

  readonly keep: KeepContent = async (chunks) => {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const bytes = Buffer.concat(parts);
    return this.add(bytes);
  };

  readonly copy: CopyContent = async (digest, path, mode) => {
    const bytes = this.contents.get(digest);
    if (bytes === undefined) return { state: 'absent' };
    await writeFile(path, bytes, { flag: 'wx', mode });
    return { state: 'present', value: { digest, bytes: bytes.length } };
  };

  add(content: string | Uint8Array): Content {
    const bytes = Buffer.from(content);
    const digest: Digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    this.contents.set(digest, bytes);
    return { digest, bytes: bytes.length };
  }
}

/** Every file below, with a digest of its content: of git's own folder. */
function contentsBelow(place: string): Record<string, string> {
  const all = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = all.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(
    paths.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('base64url')]),
  );
}

/** Every file below, with its mode, links by target: what two workspaces are compared by. */
export function filesBelow(root: string, folder = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, folder)).toSorted()) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (name === '.state' || name === '.git') continue;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) Object.assign(found, filesBelow(root, path));
    else if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
    else found[path] = `${(stats.mode & 0o100) === 0 ? '' : 'x '}${readFileSync(join(root, path), 'utf8')}`;
  }
  return found;
}

/** The blob id that git gives this text. */
export function blob(text: string, format = 'sha1'): string {
  const bytes = Buffer.from(text);
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
