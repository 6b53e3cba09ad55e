import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** What a GitHub Flavored Markdown parser sees. */
export interface ParsedMarkdown {
  /** Types of all nodes, each once. */
  readonly types: ReadonlySet<string>;
  /** The text, code included, U+200B left out. */
  readonly text: string;
  /** The text outside code, as GitHub's filters for mentions and references see it. */
  readonly prose: string;
  readonly root: Root;
}

export function parseMarkdown(markdown: string): ParsedMarkdown {
  const root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const types = new Set<string>();
  let text = '';
  let prose = '';
  const visit = (node: Nodes): void => {
    types.add(node.type);
    if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') text += node.value;
    if (node.type === 'text') prose += node.value;
    if (node.type === 'inlineCode') prose += ' ';
    if ('children' in node) node.children.forEach(visit);
  };
  visit(root);
  return { types, text: text.replaceAll('\u200b', ''), prose, root };
}

/** What GitHub makes live in rendered text: mentions, references, bare addresses. */
export const LIVE = /@[a-z0-9]|#\d|\bGH-\d|https?:\/\/|\bwww\.[a-z]/i;
