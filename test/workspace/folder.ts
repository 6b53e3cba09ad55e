import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openWorkspace, type GitWorkspace, type WorkspaceOptions } from '../../src/workspace/git-workspace.ts';

/** Variables for git in tests: an identity, no settings of the machine. */
export const GIT_ENV = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

/** Path → content; `→target` is a link, `null` no file. */
export type Files = Readonly<Record<string, string | Buffer | null>>;

/** `a=1 b/c=x,y l→a -d`: `a` holds 1, `b/c` two lines, `l` is a link, `d` is not there. */
export function parseFiles(text: string): Record<string, string | null> {
  const words = text.split(' ').filter((word) => word !== '');
  const entries = words.map((word): [string, string | null] => {
    if (word.startsWith('-')) return [word.slice(1), null];
    const [, path, sign, content] = /^(.+?)([=→])(.*)$/s.exec(word)!;
    return [path!, (sign === '→' ? '→' : '') + content!.replaceAll(',', '\n')];
  });
  return Object.fromEntries(entries);
}

const SHELL = `
write() {
  for f; do
    path=\${f%%=*}; rm -rf "\${path#-}"
    case $f in -*) continue;; */*) mkdir -p "\${path%/*}";; esac
    printf %s "\${f#*=}" | tr , '\\n' > "$path"
  done
}
commit() {
  git init -q -b main; write "$@"
  git add -Af . ':!.state'; git commit -q --allow-empty -m files
}
`;

/** A folder of a test, removed at its end. */
export class TestFolder {
  readonly root: string;

  constructor(root?: string, parent = tmpdir()) {
    this.root = root ?? realpathSync(mkdtempSync(join(parent, 'gateline-test-')));
    if (root === undefined) onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 3 }));
  }

  path(path: string): string {
    return join(this.root, path);
  }

  at(path: string): TestFolder {
    return new TestFolder(this.path(path));
  }

  write(files: string | Files): this {
    for (const [path, content] of Object.entries(typeof files === 'string' ? parseFiles(files) : files)) {
      const place = this.path(path);
      rmSync(place, { recursive: true, force: true });
      if (content === null) continue;
      mkdirSync(dirname(place), { recursive: true });
      if (typeof content === 'string' && content.startsWith('→')) symlinkSync(content.slice(1), place);
      else writeFileSync(place, content);
    }
    return this;
  }

  /** The text of a file, `→target` of a link, `null` if there is no file. */
  read(path: string): string | null {
    const stat = lstatSync(this.path(path), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true) return `→${readlinkSync(this.path(path))}`;
    return stat?.isFile() === true ? readFileSync(this.path(path), 'utf8') : null;
  }

  /** These files as {@link parseFiles} reads them. */
  show(paths: string): string {
    const files = paths.split(' ').map((path) => [path, this.read(path)] as const);
    return files
      .map(([path, text]) => (text === null ? `-${path}` : path + (text[0] === '→' ? text : `=${text}`)))
      .join(' ');
  }

  /** Runs a shell script: `write a=1 b/c=x,y -d`, `commit a=1`, and all programs. */
  run(script: string): this {
    execFileSync('sh', ['-ec', SHELL + script], { cwd: this.root, env: GIT_ENV, stdio: ['ignore', 'ignore', 'pipe'] });
    return this;
  }

  git(...args: string[]): string {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return execFileSync('git', args, { cwd: this.root, env: GIT_ENV, encoding: 'utf8', stdio: [...stdio] }).trim();
  }

  /** Makes the folder a repository, and commits these files and all others. */
  commit(files: string | Files = {}): this {
    this.write(files);
    this.git('init', '-q', '-b', 'main');
    this.git('add', '-A', '-f', '--', '.', ':!.state');
    this.git('commit', '-q', '--allow-empty', '-m', 'files');
    return this;
  }

  open(options: Partial<WorkspaceOptions> = {}): Promise<GitWorkspace> {
    this.write({ '.state/.gitignore': '*\n' });
    const defaults = { root: this.root, state: this.path('.state'), stored: [], hashed: [], ignore: [], env: GIT_ENV };
    return openWorkspace({ ...defaults, ...options });
  }
}
