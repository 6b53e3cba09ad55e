import type { JsonError } from './json-scan.ts';
import { showUnseen } from './visible.ts';

/** An error in words: what, where, and the text at that place. */
export interface SyntaxErrorText {
  readonly message: string;
  /** What and where, without the text at that place. */
  readonly plain: string;
  /** What to do, if known. */
  readonly advice?: string;
}

/** Words from other notations that JSON lacks, with what to write instead. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  NaN: 'JSON has no `NaN`: remove the number or write null',
  Infinity: 'JSON has no `Infinity`: remove the number or write null',
  undefined: 'JSON has no `undefined`: remove the key or write null',
  None: '`None` is Python: write null',
  True: '`True` is Python: write true',
  False: '`False` is Python: write false',
};

const PROBLEMS: Readonly<Record<JsonError['problem'], string>> = {
  end: 'the document ends too early: it may have been cut off',
  value: 'no JSON value begins here',
  key: 'a key in double quotes is expected here',
  colon: 'a `:` is expected here, after the key',
  comma: 'a `,` or the closing bracket is expected here',
  'trailing-comma': 'a `,` is before a closing bracket; JSON has no trailing commas',
  after: 'the JSON value has ended, and something follows it',
  escape: 'a backslash starts no valid JSON escape; write `\\\\` for the character itself',
  control: 'a text contains a control character; write it as an escape (`\\n`, `\\t`, `\\u001b`)',
  'open-text': 'the text that begins here does not end',
  number: 'this is not a JSON number',
  duplicate: 'the object has this key twice',
};

/** Characters of the document that a message shows. */
const EXCERPT = 40;

/**
 * Says what is wrong with a text, where, and what is there. The most common mistakes of agents have specific messages.
 */
export function describeSyntaxError(text: string, error: JsonError): SyntaxErrorText {
  const where = `line ${lineOf(text, error.offset)}, column ${columnOf(text, error.offset)}`;
  const special = aroundTheValue(text, error) ?? notation(text, error);
  const what = special?.message ?? PROBLEMS[error.problem];
  const excerpt = excerptAt(text, error.offset);
  const message = `${what} (${where}${excerpt === '' ? '' : `: ${JSON.stringify(excerpt)}`})`;
  const plain = `${what} (${where})`;
  return special?.advice === undefined ? { message, plain } : { message, plain, advice: special.advice };
}

/** A known mistake, in words that never contain the document's text. */
type Special = Pick<SyntaxErrorText, 'message' | 'advice'>;

const BARE = 'Write the bare JSON value: no Markdown fence, no text before or after it.';

/** Text around the value, as language models tend to add. */
function aroundTheValue(text: string, error: JsonError): Special | undefined {
  const start = text.slice(0, 4_096).trimStart();
  if (/^(?:```|~~~)/.test(start)) {
    return { message: 'the document starts with a Markdown fence; write the bare JSON value', advice: BARE };
  }
  const fence = text.slice(0, 65_536).search(/^\s*(?:```|~~~)/m);
  if (error.problem === 'value' && error.path.length === 0 && /^[\p{L}*#>]/u.test(start) && !startsForeign(start)) {
    const has = fence >= 0 ? ' and contains a Markdown fence' : '';
    return { message: `the document starts with prose${has}; write the bare JSON value`, advice: BARE };
  }
  if (error.problem === 'after') {
    const rest = text.slice(error.offset, error.offset + 200).trimStart();
    if (/^(?:```|~~~)/.test(rest)) return { message: 'a Markdown fence follows the JSON value', advice: BARE };
    if (/^[{[]/.test(rest)) {
      const advice = 'Write one value; several belong in one array (JSON Lines is not read).';
      return { message: 'a second JSON value follows the first', advice };
    }
    return { message: PROBLEMS.after, advice: BARE };
  }
  return undefined;
}

function startsForeign(text: string): boolean {
  return /^(?:NaN|Infinity|undefined|None|True|False)\b/.test(text);
}

/** Notations that look like JSON. */
function notation(text: string, error: JsonError): Special | undefined {
  const here = text.slice(error.offset, error.offset + 40);
  if (error.problem === 'value' || error.problem === 'number') {
    const word = /^-?([A-Za-z]+)/.exec(here)?.[1];
    if (word !== undefined && Object.hasOwn(FOREIGN_WORDS, word)) return { message: FOREIGN_WORDS[word]! };
  }
  if (/^['‘’]/.test(here) && (error.problem === 'value' || error.problem === 'key')) {
    return { message: 'write text and keys in double quotes' };
  }
  if (/^[“”„]/.test(here)) return { message: 'typographic quotes are not JSON; use `"`' };
  if (/^(?:\/\/|\/\*|#)/.test(here)) return { message: 'JSON has no comments' };
  if (error.problem === 'number' && /^-?0[0-9]/.test(here)) return { message: 'a number cannot begin with 0' };
  return undefined;
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function columnOf(text: string, offset: number): number {
  return offset - (offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1));
}

function excerptAt(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  const line = text.slice(offset, end < 0 ? text.length : end);
  const cut = line.slice(0, EXCERPT).toWellFormed();
  return showUnseen(line.length > EXCERPT ? `${cut}…` : cut);
}
