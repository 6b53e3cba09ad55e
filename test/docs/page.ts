import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, repositoryFiles } from '../repository/repository-files.ts';

/**
 * A fenced block of a page, with what the HTML comment right above it says: `file: PATH` (it is that file's content), `run`
 * or `run: exit N` (a shell runs it), `packages` (those that it installs are there from now on), `prints` (every line is part of what the `run` before it printed, in this order). For
 * GitHub: `workflow: PATH` (the same as `file`, and what is run from now on), `steps` (steps of a job); and over a text, every line
 * of which is part of what logs, summaries and comments show, in this order: `new run: success`, `re-run all jobs: success`, `re-run
 * failed jobs: failure`; `new run of a pull request: …`, `new run of a fork's pull request: …`, `new run with resume: …` (of the run before);
 * `started run: …` (the next one that a job started).
 */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly says: string;
  /** Line of the fence, from 1. */
  readonly line: number;
}

/** Pages for readers: every Markdown file but those that tools wrote. Paths relative to the repository. */
export function pages(): string[] {
  return repositoryFiles().filter((path) => path.endsWith('.md') && !/^(?:dist|test|\.changeset)\//.test(path));
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The fenced blocks of a page, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks = markdown.matchAll(/(?:^<!-- ([^\n]*?) -->\n)?^```([^\n]*)\n([^]*?)^```$/gm);
  return [...blocks].map((match) => ({
    says: match[1] ?? '',
    language: match[2]!,
    text: match[3]!,
    line: markdown.slice(0, match.index).split('\n').length,
  }));
}

/** Whether a block is a whole workflow of GitHub Actions, and no `gateline.yml`. */
export function isWorkflow({ language, text }: Block): boolean {
  return language === 'yaml' && /^jobs:/m.test(text);
}

/** Lines outside fenced blocks, and HTML comments taken out. */
export function proseOf(markdown: string): string {
  return markdown.replaceAll(/^( *)(`{3,})[^\n]*\n[^]*?^\1\2$/gm, '').replaceAll(/<!--[^]*?-->/g, '');
}

/** Anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading] of proseOf(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** Targets of links and images in a page's prose, without those that lead out of the repository. */
export function linksOf(markdown: string): string[] {
  const prose = proseOf(markdown).replaceAll(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s[^)]*)?\)/g)];
  const html = [...prose.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)];
  return [...inline, ...html].map((match) => match[1]!).filter((target) => !/^\w+:/.test(target));
}
