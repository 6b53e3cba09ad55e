import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  exclusionOf,
  findDependencyFolders,
  linkDependencies,
  type LinkOptions,
} from '../../src/workspace/dependencies/link-dependencies.ts';
import { compileGlobs } from '../../src/workspace/files/globs.ts';
import { Folder } from './folder.ts';

/** The Node of the development dependencies comes first, as in npm scripts. */
const PROGRAMS = `${realpathSync('node_modules/.bin')}:${process.env['PATH'] ?? ''}`;

/** A user's repository, and a work tree of it in another folder. */
export class UserAndTree implements AsyncDisposable {
  readonly folder: Folder;
  readonly from: string;
  readonly to: string;

  private constructor(folder: Folder) {
    this.folder = folder;
    this.from = folder.root;
    this.to = folder.beside('tree');
    mkdirSync(this.to);
  }

  static async create(): Promise<UserAndTree> {
    return new UserAndTree(await Folder.plain());
  }

  /** A file of the user that git ignores. */
  ignored(path: string, content = path): void {
    this.folder.write(path, content);
  }

  /** A file that the user and the work tree have. */
  tracked(path: string, content = path): void {
    this.files.push(path);
    this.ignored(path, content);
    this.inTree(path, content);
  }

  inTree(path: string, content = path): void {
    mkdirSync(dirname(join(this.to, path)), { recursive: true });
    writeFileSync(join(this.to, path), content);
  }

  /** A link of the user. */
  link(path: string, target: string): void {
    mkdirSync(dirname(join(this.from, path)), { recursive: true });
    symlinkSync(target, join(this.from, path));
  }

  readonly files: string[] = [];

  async linkAll(options: Partial<Omit<LinkOptions, 'excluded'>> & { readonly globs?: readonly string[][] } = {}) {
    const { globs = [], ...rest } = options;
    return linkDependencies({
      from: this.from,
      to: this.to,
      link: 'dependencies',
      excluded: exclusionOf(this.files, globs.map(compileGlobs)),
      folders: await findDependencyFolders(this.from, this.files),
      ...rest,
    });
  }

  /** What stands at a path of the work tree: `folder`, `-> target`, the text of a file, or nothing. */
  at(path: string): string | undefined {
    const place = join(this.to, path);
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) return `-> ${readlinkSync(place)}`;
    return stats.isDirectory() ? 'folder' : readFileSync(place, 'utf8');
  }

  /** Text of a file of the work tree, through links. */
  read(path: string): string {
    return readFileSync(join(this.to, path), 'utf8');
  }

  /** What a shell command prints in the work tree. */
  run(command: string, place = this.to): string {
    const env = { ...this.folder.environment, PATH: PROGRAMS, ...QUIET_NPM };
    return execFileSync('sh', ['-c', command], { cwd: place, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }
}

const QUIET_NPM = {
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};
