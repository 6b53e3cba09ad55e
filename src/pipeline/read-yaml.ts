import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Node,
  type Scalar,
  type YAMLError,
} from 'yaml';
import type { Place } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import { sortProblems, type Path, type Problem } from './problem.ts';

/** The largest file that is read, in UTF-16 code units. */
const MAX_LENGTH = 1_048_576;
/** Nesting of maps and lists, and the number of values; an alias counts as the values that it repeats. */
const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

export interface YamlFile {
  readonly value: JsonValue;
  /** The place of a value or of its key; of a value that is absent: that of the value around it. */
  readonly placeOf: (path: Path, part?: 'key' | 'value') => Place;
  /** Numbers that JSON does not print as they are written: `1.10`. */
  readonly numbers: ReadonlyArray<{ readonly path: Path; readonly text: string }>;
}

export type ReadYaml =
  | { readonly ok: true; readonly yaml: YamlFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads YAML 1.2 (core schema), and so JSON, as a JSON value. Anchors and aliases may be used. Errors: syntax, more than
 * one document, duplicate keys, keys that are no text, unknown tags, `.nan` and `.inf`, and more than the limits above.
 */
export function readYaml(text: string, file: string): ReadYaml {
  const lineCounter = new LineCounter();
  const placeAt = (offset: number, path: Path = []): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), pointer: pointerOf(path) };
  };
  const problems: Problem[] = [];
  const report = (offset: number, path: Path, { message, hint }: Explanation): void =>
    void problems.push({ path, message, ...(hint && { hint }), level: 'error', place: placeAt(offset, path) });

  if (text.length > MAX_LENGTH || nestsTooDeep(text)) {
    report(0, [], text.length > MAX_LENGTH ? TOO_LARGE : TOO_DEEP);
    return { ok: false, problems };
  }
  const options = { version: '1.2', schema: 'core', merge: false, resolveKnownTags: false, stringKeys: true } as const;
  const document = parseDocument(text, { ...options, lineCounter, prettyErrors: false, logLevel: 'error' });
  // After the first error, tokens in odd places are its consequences.
  const errors = [...document.errors, ...document.warnings].filter(
    ({ code }, index) => index === 0 || code !== 'UNEXPECTED_TOKEN',
  );
  for (const error of errors.slice(0, 20)) report(error.pos[0], [], explainError(error, text));
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) };

  const offsets = new Map<string, { readonly key: number; readonly value: number }>();
  const numbers: { path: Path; text: string }[] = [];
  const anchors = new Map<string, JsonValue>();

  const readScalar = ({ value, source, range }: Scalar, path: Path): JsonValue => {
    if (typeof value !== 'number') return typeof value === 'boolean' || typeof value === 'string' ? value : null;
    if (!Number.isFinite(value)) report(range![0], path, NOT_FINITE);
    if (source !== undefined && source !== String(value)) numbers.push({ path, text: source });
    return Object.is(value, -0) ? 0 : value;
  };
  const readNode = (node: Node | null, path: Path, key: number): JsonValue => {
    const offset = node?.range?.[0] ?? key;
    offsets.set(pointerOf(path), { key, value: offset });
    if (isAlias(node)) {
      const value = anchors.get(node.source);
      if (value === undefined) report(offset, path, explainAlias(node.source));
      return value ?? null;
    }
    let value: JsonValue = null;
    if (isMap(node)) value = readMap(node.items as Pair[], path);
    else if (isScalar(node)) value = readScalar(node, path);
    else if (isSeq(node)) value = readList(node.items as Node[], path, offset);
    if (node?.anchor !== undefined) anchors.set(node.anchor, value);
    return value;
  };
  const readList = (items: readonly Node[], path: Path, offset: number): JsonValue[] =>
    items.map((item, index) => readNode(item, [...path, index], item?.range?.[0] ?? offset));
  const readMap = (pairs: readonly Pair[], path: Path): JsonObject => {
    const object: JsonObject = {};
    for (const { key, value } of pairs) {
      const name = String(key.value);
      const offset = key.range?.[0] ?? 0;
      if (name === '__proto__') report(offset, path, { message: 'the key `__proto__` is not allowed' });
      else object[name] = readNode(value, [...path, name], offset);
    }
    return object;
  };

  const value = readNode(document.contents, [], 0);
  if (exceedsLimits(value)) report(0, [], TOO_DEEP);
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) };
  const placeOf = (path: Path, part: 'key' | 'value' = 'value'): Place => {
    for (let length = path.length; ; length -= 1) {
      const offset = offsets.get(pointerOf(path.slice(0, length)));
      if (!offset) continue;
      // The path has an index where one item is written without a list.
      const isItem = typeof path[length] === 'number';
      return placeAt(length === path.length ? offset[part] : isItem ? offset.value : offset.key, path);
    }
  };
  return { ok: true, yaml: { value, placeOf, numbers } };
}

interface Pair {
  readonly key: Scalar;
  readonly value: Node | null;
}

interface Explanation {
  readonly message: string;
  readonly hint?: string;
}

const TOO_LARGE: Explanation = {
  message: `the file is larger than ${MAX_LENGTH} characters`,
  hint: 'keep prompts and schemas in separate files',
};
const TOO_DEEP: Explanation = {
  message: `maps and lists are nested more than ${MAX_DEPTH} deep, or hold more than ${MAX_VALUES} values`,
};
const NOT_FINITE: Explanation = { message: 'JSON has no such number', hint: 'put it in quotes if you mean text' };

/** Checked before parsing, since the parser recurses: whether more `[` and `{` are open than allowed. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function exceedsLimits(root: JsonValue): boolean {
  let count = 0;
  const exceeds = (value: JsonValue, depth: number): boolean => {
    count += 1;
    if (count > MAX_VALUES || depth > MAX_DEPTH) return true;
    if (typeof value !== 'object' || value === null) return false;
    return Object.values(value).some((part) => exceeds(part, depth + 1));
  };
  return exceeds(root, 0);
}

function explainAlias(name: string): Explanation {
  const message = `\`*${name.slice(0, 60)}\` is an alias, and no anchor before it has this name`;
  return { message, ...(/[*/.]/.test(name) && { hint: 'put a glob that begins with `*` in quotes' }) };
}

function explainError(error: YAMLError, text: string): Explanation {
  const message = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1, 200)}`;
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return { message: `the key \`${/[^\s:,{}'"]+/.exec(text.slice(error.pos[0]))?.[0]}\` appears twice` };
    case 'MULTIPLE_DOCS':
      return { message: 'the file has more than one document', hint: 'write one file for each pipeline' };
    case 'TAB_AS_INDENT':
      return { message: 'a tab is used as indentation', hint: 'use spaces' };
    case 'NON_STRING_KEY':
      return { message: 'a key must be text' };
    case 'RESOURCE_EXHAUSTION':
      return TOO_DEEP;
    case 'TAG_RESOLVE_FAILED':
      return { message, hint: 'put text that begins with `!` in quotes' };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { message, hint: 'put text that holds `: ` in quotes' };
    default:
      return { message };
  }
}
