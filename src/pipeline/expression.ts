import { ExpressionError, Lexer, Parser, type Expr } from '@actions/expressions';
import { POINTER_PATTERN } from '../json/pointer.ts';

/**
 * A function that an expression may call in addition to GitHub's own `contains`, `startsWith`, `endsWith`, `format`,
 * `join`, `toJSON`, `fromJSON` and `case`.
 */
export interface ExpressionFunction {
  readonly name: string;
  readonly minArgs: number;
  readonly maxArgs: number;
}

/** The contexts and functions available to an expression. Names are case-insensitive, as on GitHub. */
export interface ExpressionRules {
  readonly contexts: readonly string[];
  readonly functions: readonly ExpressionFunction[];
}

/** A parsed expression, or why it could not be parsed. `offset` counts characters from 0. */
export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expr }
  | { readonly ok: false; readonly problem: ExpressionProblem };

export interface ExpressionProblem {
  readonly kind: 'syntax' | 'unknown-name' | 'unknown-function';
  readonly message: string;
  /** The unknown name or function; empty for `syntax`. */
  readonly name: string;
  readonly offset: number;
}

/** `has(output, '/x')`: whether the output has that part. */
export const HAS_FUNCTION: ExpressionFunction = { name: 'has', minArgs: 2, maxArgs: 2 };
/** Contexts and functions for `if`. */
export const IF_RULES: ExpressionRules = { contexts: ['subject', 'metadata', 'needs'], functions: [] };
/** Contexts and functions for `checks`. */
export const CHECK_RULES: ExpressionRules = {
  contexts: ['output', 'score', 'subject', 'metadata'],
  functions: [HAS_FUNCTION],
};

const GITHUB_FUNCTIONS = ['contains', 'startsWith', 'endsWith', 'format', 'join', 'toJSON', 'fromJSON', 'case'];
const KNOWN_FUNCTIONS = new Set(GITHUB_FUNCTIONS.map((name) => name.toLowerCase()));

/** Every function that an expression may call under these rules, in its canonical spelling. */
export function functionNames(rules: ExpressionRules): string[] {
  return [...GITHUB_FUNCTIONS, ...rules.functions.map(({ name }) => name)];
}

/**
 * Parse an expression of GitHub's language, without `${{ }}` (see {@link bareExpression}), by GitHub's own lexer and
 * parser (https://docs.github.com/actions/reference/workflows-and-actions/expressions). Never throws.
 */
export function parseExpression(text: string, rules: ExpressionRules): ParsedExpression {
  let tokens: readonly Token[] = [];
  try {
    tokens = new Lexer(text).lex().tokens;
    const unknown = unknownCall(tokens, rules);
    if (unknown !== undefined) {
      const offset = offsetOf(text, unknown.range.start);
      const message = `there is no function \`${unknown.lexeme}\``;
      return { ok: false, problem: { kind: 'unknown-function', message, name: unknown.lexeme, offset } };
    }
    const expression = new Parser([...tokens], [...rules.contexts], [...rules.functions]).parse() as Expr | undefined;
    const refused = expression && notAPointer(tokens, text);
    if (refused !== undefined) return { ok: false, problem: refused };
    if (expression !== undefined) return { ok: true, expression };
    return { ok: false, problem: { kind: 'syntax', message: 'the expression is empty', name: '', offset: 0 } };
  } catch (error) {
    return { ok: false, problem: explain(error, text, tokens) };
  }
}

type Token = ReturnType<Lexer['lex']>['tokens'][number];

/** The first call of an unknown function. The parser looks names up in an object and so accepts `constructor()`. */
function unknownCall(tokens: readonly Token[], rules: ExpressionRules): Token | undefined {
  const own = new Set(rules.functions.map(({ name }) => name.toLowerCase()));
  return tokens.find((token, index) => {
    if (!/^[A-Za-z_]/.test(token.lexeme) || tokens[index + 1]?.lexeme !== '(') return false;
    const name = token.lexeme.toLowerCase();
    return !KNOWN_FUNCTIONS.has(name) && !own.has(name);
  });
}

/** A literal in the place of a pointer that cannot be one: `has(output, 'x')`. It would fail at each evaluation. */
function notAPointer(tokens: readonly Token[], text: string): ExpressionProblem | undefined {
  for (const [start, { lexeme }] of tokens.entries()) {
    if (lexeme.toLowerCase() !== HAS_FUNCTION.name || tokens[start + 1]?.lexeme !== '(') continue;
    const literal = secondArgument(tokens, start + 1);
    const [, quoted] = /^'([^]*)'$/.exec(literal?.lexeme ?? '') ?? [];
    if (literal === undefined || quoted === undefined || POINTER_PATTERN.test(quoted.replaceAll("''", "'"))) continue;
    const message = `has: ${literal.lexeme} is not a JSON pointer; write '/key' or '/list/0'`;
    return { kind: 'syntax', message, name: '', offset: offsetOf(text, literal.range.start) };
  }
  return undefined;
}

/** The second argument of a call, if it is one token. @param open the index of its `(` */
function secondArgument(tokens: readonly Token[], open: number): Token | undefined {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const { lexeme } = tokens[at]!;
    if (lexeme === ',' && depth === 1) return tokens[at + 2]?.lexeme === ')' ? tokens[at + 1] : undefined;
    if (lexeme === '(' || lexeme === '[') depth += 1;
    else if (lexeme === ')' || lexeme === ']') depth -= 1;
    if (depth === 0) break;
  }
  return undefined;
}

function explain(error: unknown, text: string, tokens: readonly Token[]): ExpressionProblem {
  if (error instanceof ExpressionError) {
    const { pos } = error;
    const offset = offsetOf(text, pos);
    const at = tokens.find(({ range }) => range.start.line === pos.line && range.start.column === pos.column);
    const name = at?.lexeme ?? '';
    const message = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`.replaceAll("'", '`');
    if (error.message.startsWith('Unrecognized named-value')) {
      return { kind: 'unknown-name', message: `there is no \`${name}\` here`, name, offset };
    }
    if (name === '') {
      return { kind: 'syntax', message: 'the expression ends too early', name: '', offset: text.length };
    }
    return { kind: 'syntax', message, name: '', offset };
  }
  const said = error instanceof Error ? error.message : String(error);
  const [, symbol, position] = /^Unexpected symbol: '([^]*)'\. Located at position (\d+) within/.exec(said) ?? [];
  if (symbol === undefined) return { kind: 'syntax', message: said, name: '', offset: 0 };
  const message = symbol.startsWith("'")
    ? 'the text in single quotes does not end'
    : `unexpected symbol: \`${symbol.slice(0, 60)}\`${symbol.includes('"') ? ' (write text in single quotes)' : ''}`;
  return { kind: 'syntax', message, name: '', offset: Number(position) - 1 };
}

/** Converts a line and column of an expression to a character offset, all from 0. */
export function offsetOf(text: string, at: { readonly line: number; readonly column: number }): number {
  let start = 0;
  for (let line = 0; line < at.line; line += 1) start = text.indexOf('\n', start) + 1;
  return Math.max(0, Math.min(start + at.column, text.length));
}

/**
 * A condition without its `${{ }}`, and the number of characters before it. `undefined`: text with `${{ }}` inside,
 * which GitHub would fill in and then always treat as true.
 */
export function bareExpression(condition: string): { readonly text: string; readonly offset: number } | undefined {
  const [, lead, rest] = /^(\s*\$\{\{)([^]*)$/.exec(condition) ?? [];
  if (lead === undefined || rest === undefined) {
    return condition.replace(/'(?:[^']|'')*'/g, '').includes('${{') ? undefined : trimmed(condition, 0);
  }
  const end = endOfExpression(rest);
  if (end < 0 || rest.slice(end + 2).trim() !== '') return undefined;
  return trimmed(rest.slice(0, end), lead.length);
}

/**
 * The expressions inside a text, without their `${{ }}`, and the number of characters before each. `undefined`: one
 * has no end.
 */
export function expressionsInside(text: string): { readonly text: string; readonly offset: number }[] | undefined {
  const found: { text: string; offset: number }[] = [];
  for (let at = text.indexOf('${{'); at >= 0; at = text.indexOf('${{', at)) {
    const start = at + 3;
    const end = endOfExpression(text.slice(start));
    if (end < 0) return undefined;
    found.push(trimmed(text.slice(start, start + end), start));
    at = start + end + 2;
  }
  return found;
}

function trimmed(text: string, offset: number): { text: string; offset: number } {
  return { text: text.trim(), offset: offset + text.length - text.trimStart().length };
}

/** Position of the first `}}` outside single quotes. */
function endOfExpression(text: string): number {
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "'") inText = !inText;
    else if (!inText && text.startsWith('}}', at)) return at;
  }
  return -1;
}
