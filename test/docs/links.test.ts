import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { listPages, proseOf, ROOT, type Page } from './pages.ts';

const PAGES = listPages();
const LINK = /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)|<(?:img|a) [^>]*(?:src|href)="([^"]+)"/g;

it.each(PAGES.map((page) => [page.path, page] as const))('links of %s lead to files and headings', (path, page) => {
  const problems = proseOf(page).flatMap((line, index) =>
    [...line.replaceAll(/`[^`]*`/g, '').matchAll(LINK)]
      .map((match) => match[1] ?? match[2] ?? match[3]!)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target))
      .map((target) => `${path}:${index + 1}: ${target}`),
  );
  expect(problems.join('\n')).toBe('');
});

function leadsSomewhere(path: string, link: string): boolean {
  const [target = '', heading] = link.split('#');
  const file = target === '' ? join(ROOT, path) : join(ROOT, dirname(path), decodeURI(target));
  if (!existsSync(file) || relative(ROOT, file).startsWith('..')) return false;
  if (heading === undefined || heading === '') return heading === undefined;
  const page = PAGES.find((other) => other.path === relative(ROOT, file));
  return page === undefined ? /^L\d+$/.test(heading) : headingsOf(page).has(heading);
}

/** As GitHub names them: https://github.com/gjtorikian/html-pipeline/blob/main/lib/html_pipeline/node_filter/table_of_contents_filter.rb */
function headingsOf(page: Page): Set<string> {
  const names = new Set<string>();
  for (const line of proseOf(page)) {
    const [, text] = /^#{1,6} (.+?)\s*$/.exec(line) ?? [];
    if (text === undefined) continue;
    const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = plain.replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '').replaceAll(' ', '-');
    let unique = name;
    for (let number = 1; names.has(unique); number += 1) unique = `${name}-${number}`;
    names.add(unique);
  }
  return names;
}
