import { data, type Expr } from '@actions/expressions';
import * as ast from '@actions/expressions/ast';
import type { JsonValue } from '../json/json.ts';
import { POINTER_PATTERN, valueAt } from '../json/pointer.ts';
import { FUNCTIONS, parseExpression, stripBraces } from '../pipeline/expression.ts';
import * as operands from './operand.ts';
import { ExpressionProblem, kindText, operandText, type Operand } from './operand.ts';
import { cutText, valueText } from './texts.ts';

/** A condition in GitHub's expression language, parsed by GitHub's parser. */
export interface Condition {
  readonly text: string;
  readonly expression: Expr;
}

/** The values that a condition may read, by name; undefined: there is none. */
export type Contexts = Readonly<Record<string, JsonValue | undefined>>;

/**
 * The result, and the values that it depends on (`output.failed is 3`); or why there is none.
 * `pointer`: to the part of `output` that it is about, if that is one part.
 */
type Evaluation = { readonly pointer?: string } & (
  | { readonly result: boolean; readonly reason: string }
  | { readonly problem: string }
);

/** Values that a reason names; further ones are only counted. */
const MAX_READS = 4;

/** Parses a condition, with or without `${{ }}`. @param contexts the names of the values that it may read */
export function parseCondition(text: string, contexts: readonly string[]): Condition | { readonly problem: string } {
  const parsed = parseExpression(stripBraces(text) ?? text, contexts);
  if (parsed.ok) return { text, expression: parsed.expression };
  return { problem: parsed.message + (parsed.hint === undefined ? '' : `; ${parsed.hint}`) };
}

/**
 * Evaluates a condition. GitHub's evaluator never fails: a missing value is null, null is 0 and strings become numbers,
 * so that `output.failed == 0` would hold for `{}`. Here every path must exist (`has` tests for it), both sides of a
 * comparison must have one type, and `!`, `&&`, `||` and the whole condition take true and false only. As on GitHub,
 * strings are compared regardless of case, and `&&` and `||` stop at the operand that decides.
 */
export function evaluateCondition(condition: Condition | { readonly problem: string }, contexts: Contexts): Evaluation {
  if ('problem' in condition) return condition;
  const scope: Scope = { contexts, reads: new Map() };
  try {
    const result = truthOf(evaluate(condition.expression, scope), 'a condition', scope);
    const reads = [...scope.reads.values()];
    const texts = reads.slice(0, MAX_READS).map(({ name, value }) => `${cutText(name(), 200)} is ${valueText(value)}`);
    if (reads.length > MAX_READS) texts.push(`and ${reads.length - MAX_READS} more`);
    const pointers = reads.flatMap((read) => operands.pointerInOutput(read) ?? []);
    const pointer = pointers.length === 1 ? pointers[0] : undefined;
    return { result, reason: texts.join(', ') || `it is ${result}`, pointer };
  } catch (error) {
    if (error instanceof ExpressionProblem) return { problem: error.message, pointer: error.pointer };
    throw error;
  }
}

interface Scope {
  readonly contexts: Contexts;
  /** The operands that were compared or tested, by name. */
  readonly reads: Map<string, Operand>;
}

function evaluate(expression: Expr, scope: Scope): Operand {
  if (expression instanceof ast.Literal) return { value: literalValue(expression), name: () => '' };
  if (expression instanceof ast.Grouping) return evaluate(expression.group, scope);
  if (expression instanceof ast.ContextAccess) {
    const root = expression.name.lexeme.toLowerCase();
    const value = scope.contexts[root];
    if (value === undefined) throw new ExpressionProblem(`there is no ${root}`);
    return { value, name: () => root, path: () => [root] };
  }
  if (expression instanceof ast.IndexAccess) {
    const operand = evaluate(expression.expr, scope);
    if (expression.index instanceof ast.Star) return operands.accessAll(operand);
    return operands.accessKey(operand, evaluate(expression.index, scope).value);
  }
  if (expression instanceof ast.FunctionCall) return callFunction(expression, scope);
  return { value: evaluateOperator(expression, scope), name: () => '' };
}

function literalValue({ token: { lexeme }, literal }: ast.Literal): JsonValue {
  if (literal instanceof data.NumberData || literal instanceof data.BooleanData) return literal.value;
  if (literal instanceof data.Null) return null;
  // The lexer of @actions/expressions 0.3 unescapes only the first '' of a string. A key after a dot has no quotes.
  return lexeme.startsWith("'") ? lexeme.slice(1, -1).replaceAll("''", "'") : lexeme;
}

function evaluateOperator(expression: Expr, scope: Scope): boolean {
  if (expression instanceof ast.Unary) return !truthOf(evaluate(expression.expr, scope), '`!`', scope);
  if (expression instanceof ast.Logical) {
    const operator = expression.operator.lexeme;
    const decisive = operator === '||';
    const isDecided = expression.args.some(
      (arg) => truthOf(evaluate(arg, scope), `\`${operator}\``, scope) === decisive,
    );
    return isDecided ? decisive : !decisive;
  }
  if (!(expression instanceof ast.Binary)) throw new ExpressionProblem('`*` is only allowed after a value');
  const [left, right] = [evaluate(expression.left, scope), evaluate(expression.right, scope)];
  addReads(scope, left, right);
  const operator = expression.operator.lexeme;
  const isEquality = operator === '==' || operator === '!=';
  const isNullTest =
    isEquality &&
    [expression.left, expression.right].some(
      (side) => side instanceof ast.Literal && side.literal instanceof data.Null,
    );
  if (!isNullTest) checkComparison(left, right, isEquality);
  const order = compareValues(left.value, right.value);
  if (isEquality) return (order === 0) === (operator === '==');
  return operator.includes('=') && order === 0 ? true : operator.startsWith('<') ? order < 0 : order > 0;
}

function addReads(scope: Scope, ...reads: readonly Operand[]): void {
  for (const operand of reads) if (operand.name() !== '') scope.reads.set(operand.name(), operand);
}

function truthOf(operand: Operand, subject: string, scope: Scope): boolean {
  addReads(scope, operand);
  if (typeof operand.value === 'boolean') return operand.value;
  throw new ExpressionProblem(`${operandText(operand)}: ${subject} takes true or false only`, operand);
}

function checkComparison(left: Operand, right: Operand, isEquality: boolean): void {
  const kind = kindText(left.value);
  const named = left.name() === '' ? right : left;
  if (kind !== kindText(right.value)) {
    throw new ExpressionProblem(`${operandText(left)} and ${operandText(right)} cannot be compared`, named);
  }
  const isOrdered = typeof left.value === 'number' || typeof left.value === 'string';
  if (isOrdered || (isEquality && (left.value === null || typeof left.value === 'boolean'))) return;
  throw new ExpressionProblem(`${operandText(named)}: ${kind} cannot be compared by this operator`, named);
}

/** Below 0, 0 or above 0, as the left value is before, equal to or after the right one. */
function compareValues(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== typeof right || typeof left === 'object') return left === right ? 0 : 1;
  const [a, b] = [foldCase(left), foldCase(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function foldCase(value: JsonValue): string {
  return String(value).toUpperCase();
}

function callFunction({ functionName, args }: ast.FunctionCall, scope: Scope): Operand {
  const name = FUNCTIONS.find((known) => known.name.toLowerCase() === functionName.lexeme.toLowerCase())!.name;
  const [first, second] = args.map((arg) => evaluate(arg, scope)) as [Operand, Operand];
  const texts = [first, second].slice(0, args.length).map((arg) => arg.name() || valueText(arg.value, 40));
  return { value: functionValue(name, first, second), name: () => `${name}(${texts.join(', ')})` };
}

function functionValue(name: string, first: Operand, second: Operand): JsonValue {
  if (name === 'has') {
    const pointer = stringOf(name, second);
    if (POINTER_PATTERN.test(pointer)) return valueAt(first.value, pointer) !== undefined;
    throw new ExpressionProblem(`has: ${valueText(pointer)} is not a JSON pointer; write '/key' or '/list/0'`);
  }
  if (name === 'length') {
    if (typeof first.value === 'string') return [...first.value].length;
    if (typeof first.value === 'object' && first.value !== null) return Object.keys(first.value).length;
    throw new ExpressionProblem(`length takes a string, a list or an object, and not ${operandText(first)}`, first);
  }
  if (name === 'contains' && Array.isArray(first.value)) {
    for (const item of first.items ?? operands.accessAll(first).items!) checkComparison(item, second, true);
    return first.value.some((value) => compareValues(value, second.value) === 0);
  }
  const [text, part] = [foldCase(stringOf(name, first)), foldCase(stringOf(name, second))];
  if (name === 'startsWith') return text.startsWith(part);
  return name === 'endsWith' ? text.endsWith(part) : text.includes(part);
}

function stringOf(name: string, operand: Operand): string {
  if (typeof operand.value === 'string') return operand.value;
  throw new ExpressionProblem(`${name} takes a string, and not ${operandText(operand)}`, operand);
}
