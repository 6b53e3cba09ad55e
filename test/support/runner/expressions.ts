import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import type { Literal } from '@actions/expressions/ast';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';
import { truthy } from '@actions/expressions/result';
import type { JsonValue } from '../../../src/json/json.ts';

/**
 * The contexts that an expression may speak of, by name. A name that is not among them is an error, as on GitHub:
 * https://docs.github.com/actions/reference/workflows-and-actions/contexts#context-availability
 */
export type Contexts = Readonly<Record<string, JsonValue>>;

/** How things stand in a job. */
export type Status = 'success' | 'failure' | 'cancelled';

/** What the functions of that name answer in an `if`. */
export type StatusAnswers = Readonly<Record<Status, boolean>>;

/** Within a job they follow from its status. */
export function answersOf(status: Status): StatusAnswers {
  return { success: status === 'success', failure: status === 'failure', cancelled: status === 'cancelled' };
}

const EXPRESSION = /\$\{\{((?:[^'}]|'[^']*'|\}(?!\}))*)\}\}/g;
const STATUS_FUNCTIONS = ['always', 'success', 'failure', 'cancelled'] as const;

/** A text with every `${{ … }}` in it replaced by what it comes to. Throws what GitHub would refuse. */
export function evaluateText(text: string, contexts: Contexts): string {
  if (text.replaceAll(EXPRESSION, '').includes('${{')) throw new Error(`\${{ … without an end: ${text}`);
  return text.replaceAll(EXPRESSION, (_, inner: string) => evaluate(inner, contexts).coerceString());
}

/** What one `${{ … }}` comes to, of whatever type; any other text comes to itself, as {@link evaluateText} has it. */
export function evaluateValue(value: JsonValue, contexts: Contexts): JsonValue {
  if (Array.isArray(value)) return value.map((item) => evaluateValue(item, contexts));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, evaluateValue(item, contexts)]));
  }
  if (typeof value !== 'string') return value;
  const inner = soleExpression(value);
  if (inner === undefined) return evaluateText(value, contexts);
  return JSON.parse(JSON.stringify(evaluate(inner, contexts), data.replacer)) as JsonValue;
}

/** Whether a step or job is to run. Without a status function in it, `if` holds only where all went well so far. */
export function evaluateCondition(condition: string | undefined, answers: StatusAnswers, contexts: Contexts): boolean {
  const text = condition?.trim() ?? '';
  const inner = soleExpression(text) ?? text;
  if (inner.includes('${{')) throw new Error(`an \`if\` is one expression: ${text}`);
  if (inner === '') return answers.success;
  const { tokens } = new Lexer(inner).lex();
  const asksStatus = tokens.some(
    ({ lexeme }, index) =>
      STATUS_FUNCTIONS.some((name) => name === lexeme.toLowerCase()) && tokens[index + 1]?.lexeme === '(',
  );
  if (!asksStatus && !answers.success) return false;
  return truthy(evaluate(inner, contexts, statusFunctions(answers)));
}

function soleExpression(text: string): string | undefined {
  const [match, second] = [...text.trim().matchAll(EXPRESSION)];
  return match !== undefined && second === undefined && match[0] === text.trim() ? match[1] : undefined;
}

function evaluate(
  text: string,
  contexts: Contexts,
  functions: readonly FunctionDefinition[] = [],
): data.ExpressionData {
  try {
    const { tokens } = new Lexer(text).lex();
    const tree = new Parser(tokens, Object.keys(contexts), [...functions]).parse();
    const known = new Map(functions.map((definition) => [definition.name.toLowerCase(), definition]));
    return new GitHubEvaluator(tree, toData(contexts), known).evaluate();
  } catch (cause) {
    throw new Error(`\${{ ${text.trim()} }}: ${(cause as Error).message}`, { cause });
  }
}

function statusFunctions(answers: StatusAnswers): FunctionDefinition[] {
  return STATUS_FUNCTIONS.map((name) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(name === 'always' || answers[name]),
  }));
}

class GitHubEvaluator extends Evaluator {
  /** The lexer of @actions/expressions 0.3 takes only the first '' of a text for a quote; the runner takes all. */
  override visitLiteral(literal: Literal): data.ExpressionData {
    const { lexeme } = literal.token;
    if (!lexeme.startsWith("'")) return super.visitLiteral(literal);
    return new data.StringData(lexeme.slice(1, -1).replaceAll("''", "'"));
  }
}

function toData(contexts: Contexts): data.Dictionary {
  return JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
}
