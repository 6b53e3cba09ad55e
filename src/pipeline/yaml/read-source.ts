import { isScalar, Lexer, LineCounter, parseDocument, type Document, type Node, type YAMLError } from 'yaml';
import type { JsonValue } from '../../json/json.ts';
import { inWords, shown, type Problem, type ProblemPlace } from '../problem.ts';
import { MAX_SOURCE_DEPTH, YamlConversion, type Spot } from './yaml-conversion.ts';
import { UNPRINTABLE } from './yaml-text.ts';
import { type ProblemDetails, type DefinitionSource } from '../source.ts';

/** The largest file that is read, in bytes of UTF-8. */
export const MAX_SOURCE_BYTES = 1_048_576;
/**
 * Read YAML 1.2 (core schema) as JSON. Refused, each with its place: syntax errors, more than one document, duplicate
 * keys, keys that are not text, merge keys (`<<`, which YAML 1.2 does not have), unknown tags, `.nan` and `.inf`, a key
 * `__proto__`, text that is not valid Unicode, more than the limits above. Anchors and aliases may be used. Never
 * throws.
 */
export function readSource(text: string, file: string): DefinitionSource {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lines = lineStarts(body);
  const spots = new Map<string, Spot>();
  const problems: Problem[] = [];
  const placeAt = (offset: number, pointer: string): ProblemPlace => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), pointer };
  };
  const problemAt = (offset: number, pointer: string, details: ProblemDetails): Problem => {
    const { code, hint, severity = 'error' } = details;
    const message = inWords(details);
    return { severity, code, message, ...(hint === undefined ? {} : { hint }), place: placeAt(offset, pointer) };
  };
  const spotOf = (pointer: string): Spot => {
    let known = pointer;
    while (!spots.has(known) && known !== '') known = known.slice(0, known.lastIndexOf('/'));
    return spots.get(known) ?? { key: 0, value: 0, node: null };
  };
  const source = (value: JsonValue | undefined): DefinitionSource => ({
    value,
    problems,
    at: (pointer, details) => {
      const spot = spotOf(pointer);
      const inside = details.offset === undefined ? 0 : shiftInto(spot.node, body, details.offset);
      return problemAt((details.of === 'key' ? spot.key : spot.value) + inside, pointer, details);
    },
    placeOf: (pointer) => placeAt(spotOf(pointer).key, pointer),
    numberAsWritten: (pointer) => {
      const node = spots.get(pointer)?.node;
      return isScalar(node) && typeof node.value === 'number' ? node.source : undefined;
    },
    isLiteral: () => false,
  });

  const refusal = unreadable(body);
  if (refusal !== undefined) {
    problems.push(problemAt(refusal.offset ?? 0, '', refusal));
    return source(undefined);
  }
  const document = parseDocument(body, {
    prettyErrors: false,
    uniqueKeys: false,
    stringKeys: true,
    merge: false,
    schema: 'core',
    resolveKnownTags: false,
    version: '1.2',
    logLevel: 'error',
  });
  const syntax = syntaxErrors(document);
  if (syntax.length > 0) {
    for (const error of syntax) problems.push(problemAt(error.pos[0], '', explainSyntax(error)));
    return source(undefined);
  }
  const version = document.directives?.yaml;
  if (version?.explicit === true && version.version !== '1.2') {
    problems.push(problemAt(0, '', YAML_VERSION));
    return source(undefined);
  }
  const conversion = new YamlConversion(document, {
    spots,
    report: (offset, pointer, details) => void problems.push(problemAt(offset, pointer, details)),
    lineOf: (offset) => lines.linePos(offset).line,
  });
  return source(conversion.run());
}

/** Offset in a node's source of the character `offset` of its value; 0 if source and value differ. */
function shiftInto(node: Node | null, text: string, offset: number): number {
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return 0;
  const { value } = node;
  const start = node.range[0];
  for (const lead of [0, 1]) if (text.startsWith(value, start + lead)) return lead + offset;
  return 0;
}

const YAML_VERSION = {
  code: 'YAML_VERSION',
  message: 'only YAML 1.2 is supported',
  hint: 'leave out the `%YAML` line',
} satisfies ProblemDetails;

/** Marks that the lexer puts between tokens: document start, end of open flow collections, scalar. */
const LEXER_MARKS = new Set(['\x02', '\x18', '\x1f']);
function unreadable(text: string): ProblemDetails | undefined {
  const bytes = text.length > MAX_SOURCE_BYTES ? text.length : Buffer.byteLength(text);
  if (bytes > MAX_SOURCE_BYTES) {
    return {
      code: 'FILE_TOO_LARGE',
      message: `the file is larger than ${MAX_SOURCE_BYTES} bytes`,
      hint: 'keep prompts and schemas in separate files',
    };
  }
  const odd = UNPRINTABLE.exec(text);
  if (odd !== null) {
    const code = odd[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return {
      code: 'YAML_SYNTAX',
      message: `character U+${code} is not allowed in YAML`,
      hint: 'is the file saved as UTF-8 text?',
      offset: odd.index,
    };
  }
  const deep = tooDeepAt(text);
  return deep === undefined ? undefined : { ...TOO_DEEP, offset: deep };
}

/** Where more `[` and `{` are open than allowed. Only the lexer is used: the parser takes seconds for such a text. */
function tooDeepAt(text: string): number | undefined {
  let offset = 0;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    if (depth > MAX_SOURCE_DEPTH) return offset;
    if (!LEXER_MARKS.has(token)) offset += token.length;
  }
  return undefined;
}

/** Start positions of lines. The parser's own list lacks those inside unexpected tokens. */
function lineStarts(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}

/** The errors of a document without consequences of the first error. */
function syntaxErrors(document: Document.Parsed): YAMLError[] {
  const errors = [...document.errors, ...document.warnings];
  return errors.filter((error, index) => index === 0 || !error.message.includes(' in YAML stream')).slice(0, 20);
}

const TOO_DEEP = {
  code: 'FILE_TOO_DEEP',
  message: `maps and lists are nested more than ${MAX_SOURCE_DEPTH} deep`,
} satisfies ProblemDetails;

function explainSyntax(error: YAMLError): ProblemDetails {
  const message = shown(error.message, 200);
  switch (error.code) {
    case 'MULTIPLE_DOCS':
      return {
        code: 'YAML_DOCUMENTS',
        message: 'the file has more than one document',
        hint: 'remove everything from this `---` on, or use one file per pipeline',
      };
    case 'TAB_AS_INDENT':
      return { code: 'YAML_SYNTAX', message: 'a tab is used as indentation', hint: 'use spaces' };
    case 'NON_STRING_KEY':
      return { code: 'YAML_SYNTAX', message: 'a key must be text, not a map or a list' };
    case 'RESOURCE_EXHAUSTION':
      return TOO_DEEP;
    case 'TAG_RESOLVE_FAILED':
      return { code: 'YAML_TAG', message, hint: 'remove the tag; put text that begins with `!` in quotes' };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { code: 'YAML_SYNTAX', message, hint: 'put text that holds `: ` in quotes' };
    default:
      return { code: 'YAML_SYNTAX', message };
  }
}
