import type { CommandWord } from './entities.ts';

/** What a shell would do something with. There is none. */
const SHELL_WORD = /^(?:\|\|?|&&?|;|[0-9]?>{1,2}.*|<<?)$/;
const ARGUMENT = /^<([A-Za-z_][A-Za-z0-9_-]{0,63})>$/;

/**
 * The words of a `syntax`. Blanks separate words, and quotes keep blanks within one. `<name>` is an argument, which is
 * a word of its own.
 */
export function wordsOf(syntax: string): { readonly words: CommandWord[] } | { readonly problem: string } {
  const words: CommandWord[] = [];
  for (const [, raw = ''] of syntax.matchAll(/((?:"[^"]*"|'[^']*'|[^\s"']|["'])+)/g)) {
    const isQuoted = /["']/.test(raw);
    const text = raw.replace(/"([^"]*)"|'([^']*)'/g, (_, a?: string, b?: string) => a ?? b ?? '');
    if (/["']/.test(raw.replace(/"[^"]*"|'[^']*'/g, ''))) return { problem: 'a quote is not closed' };
    const [, argument] = isQuoted ? [] : (ARGUMENT.exec(text) ?? []);
    if (argument !== undefined) words.push({ argument });
    else if (!isQuoted && SHELL_WORD.test(text)) return { problem: `there is no shell that understands \`${text}\`` };
    else if (!isQuoted && /<[^<>]*>/.test(text))
      return { problem: `\`${text}\`: an argument such as \`<name>\` is a word of its own` };
    else words.push({ text });
  }
  const [program] = words;
  if (program === undefined || ('text' in program && program.text.trim() === ''))
    return { problem: 'there is no program' };
  return 'argument' in program ? { problem: 'the program cannot be an argument' } : { words };
}

/** A word as {@link wordsOf} reads it: in quotes where it would be read as something else, also as an optional part. */
export function wordText(word: CommandWord): string {
  if ('argument' in word) return `<${word.argument}>`;
  if (/^[^\s"'<>|&;[\]]+$/.test(word.text)) return word.text;
  const parts = word.text.split("'").map((part) => (part === '' ? '' : `'${part}'`));
  return word.text === '' ? "''" : parts.join(`"'"`);
}
