import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import type { Literal } from '@actions/expressions/ast';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';
import { truthy } from '@actions/expressions/result';
import type { JsonValue } from '../../../src/json/json.ts';

/** Contexts by name. A name that is not among them is an error, as on GitHub. */
export type Contexts = Readonly<Record<string, JsonValue>>;

/** The answers of `success()`, `failure()` and `cancelled()`. */
export type StatusAnswers = Readonly<Record<'success' | 'failure' | 'cancelled', boolean>>;

const EXPRESSION = /\$\{\{((?:[^'}]|'[^']*'|\}(?!\}))*)\}\}/g;
const STATUS_CALL = /\b(?:always|success|failure|cancelled)\s*\(/i;

/** A text with the value of every `${{ … }}` in it. */
export function evaluateText(text: string, contexts: Contexts): string {
  if (text.replaceAll(EXPRESSION, '').includes('${{')) throw new Error(`\${{ … without an end: ${text}`);
  return text.replaceAll(EXPRESSION, (_, inner: string) => evaluate(inner, contexts).coerceString());
}

export function evaluateTexts(texts: Readonly<Record<string, string>>, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, evaluateText(text, contexts)]));
}

/** The value of a text that is one `${{ … }}`, of any type; of lists and maps with such texts; else the text. */
export function evaluateValue(value: JsonValue, contexts: Contexts): JsonValue {
  if (Array.isArray(value)) return value.map((item) => evaluateValue(item, contexts));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, evaluateValue(item, contexts)]));
  if (typeof value !== 'string') return value;
  const inner = soleExpression(value);
  if (inner === undefined) return evaluateText(value, contexts);
  return JSON.parse(JSON.stringify(evaluate(inner, contexts), data.replacer)) as JsonValue;
}

/** Whether a step or job runs. Without a status function, `if` implies `success()`. */
export function evaluateCondition(condition = '', answers: StatusAnswers, contexts: Contexts): boolean {
  const inner = soleExpression(condition) ?? condition.trim();
  if (inner.includes('${{')) throw new Error(`an \`if\` is one expression: ${condition}`);
  if (inner === '') return answers.success;
  if (!STATUS_CALL.test(inner.replaceAll(/'[^']*'/g, '')) && !answers.success) return false;
  const functions = Object.entries({ always: true, ...answers }).map(([name, answer]) => {
    return { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(answer) };
  });
  return truthy(evaluate(inner, contexts, functions));
}

function soleExpression(text: string): string | undefined {
  const [match] = text.trim().matchAll(EXPRESSION);
  return match?.[0] === text.trim() ? match[1] : undefined;
}

function evaluate(text: string, contexts: Contexts, functions: FunctionDefinition[] = []): data.ExpressionData {
  try {
    const tree = new Parser(new Lexer(text).lex().tokens, Object.keys(contexts), functions).parse();
    const values = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
    return new GithubEvaluator(tree, values, new Map(functions.map((entry) => [entry.name, entry]))).evaluate();
  } catch (cause) {
    throw new Error(`\${{ ${text.trim()} }}: ${(cause as Error).message}`, { cause });
  }
}

class GithubEvaluator extends Evaluator {
  /** @actions/expressions 0.3 unescapes only the first '' of a string. */
  override visitLiteral(literal: Literal): data.ExpressionData {
    const { lexeme } = literal.token;
    if (!lexeme.startsWith("'")) return super.visitLiteral(literal);
    return new data.StringData(lexeme.slice(1, -1).replaceAll("''", "'"));
  }
}
