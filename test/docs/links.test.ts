import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../repository/repository-files.ts';
import { anchorsOf, linksOf, pages, readPage } from './page.ts';

/** What is wrong with a page's links: each leads to a file that is there, and to a heading that it has. */
function brokenLinks(page: string, markdown: string): string[] {
  return linksOf(markdown).flatMap((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : posix.join(dirname(page), decodeURIComponent(path));
    if (!existsSync(join(ROOT, file))) return [`${page}: ${target}: there is no ${file}`];
    if (anchor === undefined || !file.endsWith('.md')) return [];
    const anchors = anchorsOf(file === page ? markdown : readPage(file));
    return anchors.has(anchor) ? [] : [`${page}: ${target}: ${file} has no heading #${anchor}`];
  });
}

it('every relative link of every page leads to a file and to a heading', () => {
  expect(pages().length).toBeGreaterThan(15);
  expect(pages().flatMap((page) => brokenLinks(page, readPage(page)))).toEqual([]);
});

it('a link that leads nowhere is seen', () => {
  const markdown =
    '# One `two`: three\n\n[a](no.md) [b](#one-two-three) [c](#four) ![d](docs/images/no.svg) `[e](x.md)`\n';
  expect(brokenLinks('README.md', markdown)).toEqual([
    'README.md: no.md: there is no no.md',
    'README.md: #four: README.md has no heading #four',
    'README.md: docs/images/no.svg: there is no docs/images/no.svg',
  ]);
});

it('every page below docs/ can be reached from docs/README.md', () => {
  const index = new Set(linksOf(readPage('docs/README.md')).map((target) => posix.join('docs', target.split('#')[0]!)));
  const below = pages().filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(below.filter((page) => !index.has(page))).toEqual([]);
});
