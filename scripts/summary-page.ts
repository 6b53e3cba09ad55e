import type { Nodes, Parents } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Colours, sizes and fonts of GitHub's job summaries, in the light theme. */
const STYLE = `
  body { margin: 0; background: #fff; color: #1f2328; font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", "Noto Color Emoji", sans-serif; }
  main { width: 900px; padding: 24px; }
  h2 { font-size: 21px; margin: 0 0 12px; padding-bottom: 6px; border-bottom: 1px solid #d1d9e0b3; }
  h3 { font-size: 17px; margin: 20px 0 10px; }
  p { margin: 0 0 12px; } a { color: #0969da; text-decoration: none; }
  code { font: 12px ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace; background: #818b981f; padding: 2px 5px; border-radius: 6px; }
  pre code { display: block; padding: 12px; line-height: 1.4; background: #f6f8fa; }
  table { border-collapse: collapse; margin: 0 0 12px; } th, td { border: 1px solid #d1d9e0; padding: 5px 11px; }
  tr:nth-child(2n) td { background: #f6f8fa; }
  details { margin: 0 0 10px; } summary { cursor: pointer; }
  i { display: inline-block; width: 15px; height: 15px; margin: 0 1px; border-radius: 3px; color: #fff; font: bold 12px/15px "DejaVu Sans"; text-align: center; vertical-align: -2px; }
  .good { background: #2da44e; } .bad { background: #cf222e; } .warning { background: #d4a72c; } .quiet { background: #8c959f; }
  svg { display: block; margin: 0 0 12px; } svg text { font-size: 13px; }
`;

/** Fonts with GitHub's emoji are not always installed: a colour with a letter replaces each. */
const MARK: Readonly<Record<string, readonly [kind: string, letter: string]>> = {
  '✅': ['good', '✓'],
  '❌': ['bad', '✗'],
  '⛔': ['bad', '–'],
  '🟡': ['warning', '~'],
  '⏳': ['quiet', '…'],
  '➖': ['quiet', '–'],
  '🟩': ['good', ' '],
  '🟥': ['bad', ' '],
  '🟨': ['warning', ' '],
  '⬜': ['quiet', ' '],
};
const MARKS = new RegExp(Object.keys(MARK).join('|'), 'gu');

function withMarks(text: string): string {
  return text.replaceAll(MARKS, (mark) => `<i class="${MARK[mark]![0]}">${MARK[mark]![1]}</i>`);
}

/**
 * A report as a page that looks like GitHub's. Folded parts stay folded; flow charts, which GitHub draws with its own
 * program, are drawn in the same colours.
 */
export function summaryPage(markdown: string): string {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><main>${inside(tree)}</main>`;
}

function inside(node: Parents): string {
  return node.children.map((child: Nodes) => html(child)).join('');
}

function html(node: Nodes): string {
  switch (node.type) {
    case 'text':
      return withMarks(escaped(node.value));
    case 'html':
      return node.value;
    case 'inlineCode':
      return `<code>${escaped(node.value)}</code>`;
    case 'code':
      return node.lang === 'mermaid' ? flowChart(node.value) : `<pre><code>${escaped(node.value)}</code></pre>`;
    case 'heading':
      return `<h${node.depth}>${inside(node)}</h${node.depth}>`;
    case 'paragraph':
      return `<p>${inside(node)}</p>`;
    case 'strong':
      return `<strong>${inside(node)}</strong>`;
    case 'link':
      return `<a href="${escaped(node.url)}">${inside(node)}</a>`;
    case 'list':
      return `<ul>${inside(node)}</ul>`;
    case 'listItem':
      return `<li>${inside(node)}</li>`;
    case 'break':
      return '<br>';
    case 'table':
      return `<table>${node.children.map((row, index) => tableRow(row.children, index, node.align)).join('')}</table>`;
    default:
      throw new Error(`a report has no ${node.type}`);
  }
}

function tableRow(
  cells: readonly Parents[],
  index: number,
  align: readonly (string | null)[] | null | undefined,
): string {
  const tag = index === 0 ? 'th' : 'td';
  const shown = cells.map((cell, column) => `<${tag} align="${align?.[column] ?? 'left'}">${inside(cell)}</${tag}>`);
  return `<tr>${shown.join('')}</tr>`;
}

const [COLUMN, ROW, WIDTH, HEIGHT] = [146, 62, 122, 46];

/** Boxes in columns, each one column after the last box that it needs, and a line for each arrow. */
function flowChart(source: string): string {
  const boxes = new Map([...source.matchAll(/^ *(n\d+)\["(.*)"\]:::(\w+)$/gm)].map((match) => [match[1]!, match]));
  const arrows = [...source.matchAll(/^ *(n\d+) --> (n\d+)$/gm)].map(([, from, to]) => [from!, to!] as const);
  const colours = new Map(
    [...source.matchAll(/classDef (\w+) fill:([^,]+),stroke:([^,]+)/g)].map((one) => [one[1]!, one]),
  );
  const depth = (id: string): number =>
    Math.max(-1, ...arrows.filter(([, to]) => to === id).map(([from]) => depth(from))) + 1;
  const columns = Map.groupBy(boxes.keys(), depth);
  const place = (id: string) => ({ x: depth(id) * COLUMN, y: columns.get(depth(id))!.indexOf(id) * ROW });
  const lines = arrows.map(([from, to]) => {
    const [a, b] = [place(from), place(to)];
    const middle = HEIGHT / 2;
    const start = `M${a.x + WIDTH},${a.y + middle}`;
    if (depth(to) === depth(from) + 1) return `<path d="${start} L${b.x - 3},${b.y + middle}" marker-end="url(#tip)"/>`;
    // Above the boxes in between.
    const down = Math.max(a.y, b.y) + HEIGHT + 14;
    return `<path d="M${a.x + WIDTH / 2},${a.y + HEIGHT} C${a.x + WIDTH / 2},${down} ${b.x + WIDTH / 2},${down} ${b.x + WIDTH / 2},${b.y + HEIGHT + 3}" marker-end="url(#tip)"/>`;
  });
  const drawn = [...boxes].map(([id, [, , label = '', kind = '']]) => {
    const { x, y } = place(id);
    const [, , fill = '#fff', stroke = '#59636e'] = colours.get(kind) ?? [];
    const dashed = new RegExp(`style ${id} stroke-dasharray`).test(source) ? ' stroke-dasharray="5 3"' : '';
    const rows = label.split('<br/>').map((text, row) => {
      const said = text.replaceAll(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
      const plain = said.replaceAll(MARKS, (mark) => MARK[mark]![1]);
      return `<text x="${x + WIDTH / 2}" y="${y + 19 + row * 17}" text-anchor="middle">${escaped(plain)}</text>`;
    });
    return `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="4" fill="${fill}" stroke="${stroke}"${dashed}/>${rows.join('')}`;
  });
  const width = columns.size * COLUMN;
  const height = Math.max(...[...columns.values()].map(({ length }) => length)) * ROW + 24;
  const tip =
    '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#59636e" stroke="none"/></marker>';
  return `<svg width="${width}" height="${height}" viewBox="-1 -1 ${width} ${height}"><defs>${tip}</defs><g fill="none" stroke="#59636e">${lines.join('')}</g>${drawn.join('')}</svg>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
