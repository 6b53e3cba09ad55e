import type { Nodes } from 'mdast';
import { expect } from 'vitest';
import { parseCommentRevision } from '../../../src/report/github/comment-marker.ts';
import { CONTROLS } from '../hostile.ts';
import { LIVE, seen } from '../../untrusted/markdown.ts';

/** What no report has: every one of these would be an agent's doing. */
const FORBIDDEN = [
  'image',
  'imageReference',
  'linkReference',
  'definition',
  'footnoteReference',
  'footnoteDefinition',
  'blockquote',
  'thematicBreak',
  'delete',
];
const FOLD = /^<details><summary>[A-Za-z0-9 ,.:()]+<\/summary>$/;
const MARKER = /^<!-- gateline-comment\/1 [0-9a-f]{16} \d+\.\d+\.\d+ -->$/;
const MERMAID = [
  /^flowchart (?:LR|TB)$/,
  /^ {2,4}n\d+\["(?:[\p{L}\p{M}\p{N} .,_-]|#\d+;|<br\/>|✅|❌|💥|🟡|⏸|🔄|⛔|⏳|⏭|➖|\u{fe0f})+"\]:::(?:good|bad|warning|strong|quiet)$/u,
  /^ {2}subgraph s\d+\["(?:[\p{L}\p{M}\p{N} .,_-]|#\d+;)+"\]$/u,
  /^ {2}end$/,
  /^ {2}n\d+ --> n\d+$/,
  /^ {2}classDef (?:good|bad|warning|strong|quiet) [a-z0-9:#,]+$/,
  /^ {2}style [ns]\d+ [a-z0-9:#, -]+$/,
];
const HEADINGS =
  /^(?:(?:❌|✅|🔄|⏳|⏸️|⏪|🟡|💥|⛔|⏭️|➖) .*|Gates|Jobs without a record|Problems|Reused|Cost reported by the agents|History|Invalid records|Issues \(\d+\)|Findings in files|Next step|Notes)$/s;

/** A report is what we wrote and nothing else: no agent's text of it is live, ours is complete, and links go where they should. */
export function expectSafe(markdown: string, linksTo = 'https://github.com/acme/shop/'): void {
  const { root, prose } = seen(markdown);
  const nodes = flat(root);
  const ofType = <T extends Nodes['type']>(type: T): Array<Extract<Nodes, { type: T }>> =>
    nodes.filter((node): node is Extract<Nodes, { type: T }> => node.type === type);
  expect(nodes.filter(({ type }) => FORBIDDEN.includes(type))).toEqual([]);
  for (const { url } of ofType('link')) expect(url.startsWith(linksTo), url).toBe(true);
  for (const { value, lang } of ofType('code')) {
    expect(['mermaid', 'text']).toContain(lang);
    if (lang === 'mermaid')
      for (const line of value.split('\n'))
        expect(
          MERMAID.some((form) => form.test(line)),
          line,
        ).toBe(true);
  }
  for (const heading of ofType('heading')) expect(textOf(heading)).toMatch(HEADINGS);
  expectOwnHtml(
    ofType('html').map(({ value }) => value),
    markdown,
  );
  expect(prose).not.toMatch(LIVE);
  expect(markdown).not.toMatch(CONTROLS);
  expect(markdown).not.toMatch(/^\s*::|##\[/m);
  expect(markdown.isWellFormed()).toBe(true);
  expect(markdown === '' || markdown.endsWith('\n')).toBe(true);
  for (const table of ofType('table')) {
    const columns = table.children[0]!.children.length;
    for (const row of table.children) expect(row.children).toHaveLength(columns);
  }
}

/** Only folds, each opened and closed in turn, and the mark in the first line of a comment. */
function expectOwnHtml(html: readonly string[], markdown: string): void {
  let open = 0;
  for (const [at, value] of html.entries()) {
    if (at === 0 && MARKER.test(value)) expect(markdown.startsWith(`${value}\n`)).toBe(true);
    else if (FOLD.test(value)) expect((open += 1)).toBe(1);
    else if (value === '</details>') expect((open -= 1)).toBe(0);
    else expect.fail(`HTML that is not ours: ${value.slice(0, 200)}`);
  }
  expect(open).toBe(0);
  const body = parseCommentRevision(markdown) === undefined ? markdown : markdown.slice(markdown.indexOf('\n'));
  expect(body).not.toContain('<!--');
}

function flat(node: Nodes): Nodes[] {
  return [node, ...('children' in node ? node.children.flatMap(flat) : [])];
}

function textOf(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}
