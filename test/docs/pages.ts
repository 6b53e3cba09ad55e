import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A fenced block; or `<!-- run: EVENT -->`, which starts the workflow before it: of the language `run`, its text the event. */
export interface Block {
  /** Of its first line of text, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The comments on the lines before: `file: PATH` → `PATH`, `run` → ''. */
  readonly notes: Readonly<Record<string, string>>;
  /** Whether the text is what the block before it prints. */
  readonly isOutput: boolean;
}

export interface Page {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Markdown files of the repository, new ones too. Those of tests are what tests compare with. */
export function listPages(): Page[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' });
  const paths = list.split('\n').filter((path) => path !== '' && !/^(?:dist|test)\//.test(path));
  return paths.flatMap((path) => {
    const text = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '';
    return { path, text, blocks: readBlocks(text) };
  });
}

const FENCE = /^( *)(`{3,})([\w-]*)\s*$/;
const NOTE = /^ *<!-- ([a-z ]+?)(?:: (.*?))? -->\s*$/;

function readBlocks(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let notes: Record<string, string> = {};
  /** Whether only empty lines and notes stand between the block before and here. */
  let isNext = false;
  for (let index = 0; index < lines.length; index += 1) {
    const [, indent = '', ticks, language = ''] = FENCE.exec(lines[index]!) ?? [];
    const [, key, value = ''] = NOTE.exec(lines[index]!) ?? [];
    if (ticks !== undefined) {
      const end = lines.indexOf(indent + ticks, index + 1);
      const body = lines.slice(index + 1, end).map((line) => line.slice(indent.length));
      const isOutput = language === 'text' && isNext && Object.keys(notes).length === 0;
      blocks.push({ line: index + 2, language, text: `${body.join('\n')}\n`, notes, isOutput });
      [index, notes, isNext] = [end, {}, true];
    } else if (key === 'run' && value !== '') {
      blocks.push({ line: index + 1, language: 'run', text: value, notes: {}, isOutput: false });
      isNext = true;
    } else if (key !== undefined) notes[key] = value;
    else if (lines[index]!.trim() !== '') [notes, isNext] = [{}, false];
  }
  return blocks;
}

/** The lines of the text outside of fenced blocks, the others empty. */
export function proseOf({ text }: Page): string[] {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const [, , ticks] = /^( *)(`{3,})/.exec(line) ?? [];
    if (fence === undefined && ticks === undefined) return line;
    if (fence === undefined) fence = ticks;
    else if (line.trim() === fence) fence = undefined;
    return '';
  });
}

export function isWorkflow({ language, text, notes }: Block): boolean {
  return language === 'yaml' && notes['part'] === undefined && /^jobs:/m.test(text);
}

export function isDefinition({ language, text, notes }: Block): boolean {
  return language === 'yaml' && notes['part'] === undefined && /^gates:/m.test(text);
}

/** A name of a file that says where a block is, and its text with the line numbers of its page. */
export function fileOf({ path }: Page, { line, text }: Block): [name: string, text: string] {
  return [`${path.replaceAll('/', '__')}__${line}`, '\n'.repeat(line - 1) + text];
}
