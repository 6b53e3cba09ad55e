import { ExpressionError, Lexer, Parser, type Expr } from '@actions/expressions';
import { messageOf } from '../errors.ts';
import { didYouMean } from '../json/did-you-mean.ts';

/**
 * The functions of conditions. `has` and `length` are not GitHub's: whether a JSON pointer names a part of a value; how
 * many characters, items or keys a value has.
 */
export const FUNCTIONS = ['contains', 'startsWith', 'endsWith', 'has', 'length'].map((name) => {
  const count = name === 'length' ? 1 : 2;
  return { name, minArgs: count, maxArgs: count };
});

/** What `if` and `checks` may read. */
export const IF_CONTEXTS = ['subject', 'metadata', 'needs'] as const;
export const CHECK_CONTEXTS = ['output', 'score', 'subject', 'metadata'] as const;

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expr; readonly needs: readonly NeedReference[] }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** A use of `needs.<gate>.<field>`. A part that is computed, `*` or absent is `''`. */
export interface NeedReference {
  readonly gate: string;
  readonly field: string;
}

type Token = ReturnType<Lexer['lex']>['tokens'][number];

/**
 * Parses an expression of GitHub's language, without `${{ }}`, by GitHub's own parser
 * (https://docs.github.com/actions/reference/workflows-and-actions/expressions). Never throws.
 */
export function parseExpression(text: string, contexts: readonly string[]): ParsedExpression {
  try {
    const { tokens } = new Lexer(text).lex();
    const unknown = unknownFunction(tokens);
    if (unknown !== undefined) return explainFunction(unknown);
    // The parser changes its list of tokens.
    const parser = new Parser([...tokens], [...contexts], FUNCTIONS);
    const expression = parser.parse() as Expr | undefined;
    if (expression === undefined) return { ok: false, message: 'the expression is empty' };
    return { ok: true, expression, needs: needsIn(tokens) };
  } catch (error) {
    return explainError(error, text, contexts);
  }
}

/** A condition without its `${{ }}`. Undefined: text around `${{ }}`, which GitHub would always take for true. */
export function stripBraces(condition: string): string | undefined {
  const [, inner] = /^\s*\$\{\{([^]*)\}\}\s*$/.exec(condition) ?? [];
  return (inner ?? condition).replace(/'(?:[^']|'')*'/g, '').includes('${{') ? undefined : (inner ?? condition).trim();
}

/** The first call of a function that does not exist. The parser itself accepts GitHub's others and `constructor()`. */
function unknownFunction(tokens: readonly Token[]): string | undefined {
  const isKnown = (word: string): boolean => FUNCTIONS.some(({ name }) => name.toLowerCase() === word.toLowerCase());
  return tokens.find(
    ({ lexeme }, index) => /^[A-Za-z_]/.test(lexeme) && tokens[index + 1]?.lexeme === '(' && !isKnown(lexeme),
  )?.lexeme;
}

function explainFunction(name: string): ParsedExpression {
  const names = FUNCTIONS.map((known) => known.name);
  const message = `there is no function \`${name}\` here`;
  if (/^(?:always|success|failure|cancelled)$/i.test(name)) {
    return { ok: false, message, hint: 'a gate is asked only when its needs are done: compare `needs.<gate>.status`' };
  }
  return { ok: false, message, hint: didYouMean(name, names) ?? `known here: ${names.join(', ')}` };
}

function explainError(error: unknown, text: string, contexts: readonly string[]): ParsedExpression {
  const [, problem = messageOf(error)] = /^(Unexpected symbol: '[^]*')\. Located at/.exec(messageOf(error)) ?? [];
  const [, name] = /^Unrecognized named-value: '([^]*)'$/.exec(problem) ?? [];
  if (name !== undefined) {
    const hint = didYouMean(name, contexts) ?? `known here: ${contexts.join(', ')}`;
    return { ok: false, message: `there is no \`${name}\` here`, hint };
  }
  const message = `\`${text.slice(0, 200)}\`: ${problem.charAt(0).toLowerCase()}${problem.slice(1, 200)}`;
  if (problem === "Unexpected symbol: '='") return { ok: false, message, hint: 'write `==` to compare' };
  const isText = !(error instanceof ExpressionError) && /"/.test(problem);
  return { ok: false, message, ...(isText && { hint: 'write text in single quotes' }) };
}

function needsIn(tokens: readonly Token[]): NeedReference[] {
  return tokens.flatMap(({ lexeme }, index) => {
    if (lexeme.toLowerCase() !== 'needs' || tokens[index - 1]?.lexeme === '.') return [];
    const gate = keyAt(tokens, index + 1);
    return [{ gate: gate.key, field: keyAt(tokens, gate.next).key }];
  });
}

/** The key that `.key` or `['key']` names at an index of the tokens. */
function keyAt(tokens: readonly Token[], index: number): { key: string; next: number } {
  const [separator, key] = [tokens[index]?.lexeme, tokens[index + 1]?.lexeme ?? ''];
  if (separator === '.' && key !== '*') return { key, next: index + 2 };
  if (separator === '[' && key.startsWith("'")) return { key: key.slice(1, -1), next: index + 3 };
  return { key: '', next: tokens.length };
}
