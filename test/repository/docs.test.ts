import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, isIgnored, repositoryFiles } from './repository-files.ts';

const PAGES = ['AGENTS.md', 'README.md'];

/** Files of a user's own repository, which pages talk about. */
const OF_USERS = /^(?:\.github\/)?gateline\.yml$|^\.github\/workflows\/[\w-]+\.yml$|^my-|-output\.json$/;

const EXTENSION = /[\w-]\.(?:md|ts|mjs|js|json|ya?ml|html|sh)$/;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** A page without its fenced blocks, which show a user's files and shell sessions. */
function proseOf(markdown: string): string {
  return markdown.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2.*$/gm, '');
}

/** What a page names in backticks that looks like a path of this repository. */
function pathsIn(markdown: string, top: ReadonlySet<string>): string[] {
  const quoted = [...proseOf(markdown).matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
  return quoted.filter((text) => {
    if (!/^\.{0,2}[\w@-][\w@./-]*$/.test(text) || text.startsWith('@') || OF_USERS.test(text)) return false;
    const inside = text.includes('/') && (text.endsWith('/') || top.has(text.split('/')[0]!));
    return (inside || EXTENSION.test(text)) && !isIgnored(text.replace(/\/$/, '/x'));
  });
}

/** Relative targets of links. */
function linksIn(markdown: string): string[] {
  const targets = [...proseOf(markdown).matchAll(/\]\(<?([^)\s>]+)>?(?:\s[^)]*)?\)/g)].map((match) => match[1]!);
  return targets.map((target) => target.replace(/#.*$/, '')).filter((target) => target !== '' && !/^\w+:/.test(target));
}

describe.each(PAGES)('%s', (page) => {
  it('names only paths that exist', () => {
    const files = repositoryFiles();
    const top = new Set(files.map((path) => path.split('/')[0]!));
    // A bare file name may be anywhere; a path is relative to the repository.
    const names = new Set(files.map((path) => posix.basename(path)));
    const paths = pathsIn(read(page), top);
    const exists = (path: string) => existsSync(join(ROOT, path)) || (!path.includes('/') && names.has(path));
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(page).matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

it('AGENTS.md says of every folder of src/ what is in it', () => {
  const page = read('AGENTS.md');
  const files = repositoryFiles().filter((path) => /^src\/.+\//.test(path));
  const folders = [...new Set(files.map((path) => posix.dirname(path)))];
  expect(folders.filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([]);
});

it('every relative link of every page leads to a file', () => {
  const pages = repositoryFiles().filter((path) => path.endsWith('.md') && !path.startsWith('dist/'));
  const broken = pages.flatMap((page) =>
    linksIn(read(page))
      .filter((target) => !existsSync(join(ROOT, dirname(page), decodeURIComponent(target))))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

describe('the check of pages', () => {
  const top = new Set(['src', 'docs']);

  it('sees paths in backticks and nothing else', () => {
    const page =
      'See `src/run/`, `docs/x.md`, `AGENTS.md`, `a b/c`, `@scope/name`, `src/*.ts`, `owner/name`, `needs.x`.\n```\n`src/no`\n```\n';
    expect(pathsIn(page, top)).toEqual(['src/run/', 'docs/x.md', 'AGENTS.md']);
  });

  it('sees the relative targets of links', () => {
    expect(linksIn('[a](docs/a.md#b) [c](https://example.org) [d](#e) ![f](<g.png> "t")')).toEqual([
      'docs/a.md',
      'g.png',
    ]);
  });
});
