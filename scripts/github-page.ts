import type { Nodes, Parents } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { forHtml } from '../src/untrusted/escape.ts';

/** Sizes and colors of GitHub's light theme. */
const STYLE = `
body{margin:0;background:#fff;color:#1f2328;font:14px/1.5 "Noto Sans","Segoe UI",Helvetica,Arial,sans-serif,"Noto Color Emoji"}
h2,h3{margin:0 0 14px;line-height:1.25;font-weight:600}h2{padding-bottom:.3em;border-bottom:1px solid #d1d9e0b3;font-size:21px}h3{margin-top:22px;font-size:17.5px}
p,pre,ul,table,details{margin:0 0 14px}ul{padding-left:2em}li ul{margin:2px 0 0}li p{margin:0}strong{font-weight:600}a{color:#0969da}
code{padding:.2em .4em;background:#818b981f;border-radius:6px;font:12px "DejaVu Sans Mono",ui-monospace,monospace}
pre{padding:14px;background:#f6f8fa;border-radius:6px}pre code{padding:0;background:none}
table{border-collapse:collapse}td{padding:6px 12px;border:1px solid #d1d9e0}tr:first-child td{font-weight:600}tr:nth-child(2n+1):not(:first-child) td{background:#f6f8fa}
.box{margin:16px;border:1px solid #d1d9e0;border-radius:6px}.bar{padding:9px 16px;background:#f6f8fa;border-bottom:1px solid #d1d9e0;border-radius:6px 6px 0 0;color:#59636e}
.bar b{color:#1f2328}.bar i{margin-left:4px;padding:1px 7px;border:1px solid #d1d9e0;border-radius:2em;font:500 12px "Noto Sans",sans-serif}
main{padding:16px}main>:first-child{margin-top:0}main>:last-child{margin-bottom:0}
`;

/** Renders Markdown as a page of GitHub. @param bar HTML of the bar above a comment or summary */
export function githubPage(markdown: string, bar: string): string {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><div class="box"><div class="bar">${bar}</div><main>${childrenHtml(tree)}</main></div>`;
}

function childrenHtml(node: Parents): string {
  return node.children.map((child: Nodes) => nodeHtml(child)).join('');
}

const BLOCKS = { paragraph: 'p', list: 'ul', listItem: 'li', table: 'table', tableRow: 'tr', tableCell: 'td' };
const TAGS: Partial<Record<Nodes['type'], string>> = { ...BLOCKS, strong: 'strong', emphasis: 'em' };

function nodeHtml(node: Nodes): string {
  // Only `<details>` and the like: other HTML is escaped in reports.
  if (node.type === 'html') return node.value;
  if (node.type === 'text') return forHtml(node.value.replaceAll('\u200b', ''));
  if (node.type === 'inlineCode') return `<code>${forHtml(node.value)}</code>`;
  if (node.type === 'code') return `<pre><code>${forHtml(node.value)}</code></pre>`;
  if (node.type === 'link') return `<a href="${forHtml(node.url)}">${childrenHtml(node)}</a>`;
  const tag = node.type === 'heading' ? `h${node.depth}` : TAGS[node.type];
  if (tag === undefined || !('children' in node)) throw new Error(`no report has a ${node.type}`);
  return `<${tag}>${childrenHtml(node)}</${tag}>`;
}
