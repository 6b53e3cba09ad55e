import { data, Evaluator, type Expr } from '@actions/expressions';
import {
  Binary,
  Literal,
  Star,
  type ContextAccess,
  type ExprVisitor,
  type FunctionCall,
  type Grouping,
  type IndexAccess,
  type Logical,
  type Unary,
} from '@actions/expressions/ast';
import type { JsonValue } from '../../json/json.ts';
import { ruleValue, shortValue } from '../value-texts.ts';
import { accessAll, accessKey } from './access-operand.ts';
import { FUNCTIONS } from './functions.ts';
import { aKind, ExpressionRefusal, fromData, kindOf, toData, type Operand } from './operand.ts';

/** The result of an expression. */
export type Evaluation =
  | { readonly ok: true; readonly choice: boolean; readonly reads: readonly Operand[] }
  | {
      readonly ok: false;
      /** Why there is no result. */
      readonly message: string;
      /** The part of a context that it is about, if any. */
      readonly path?: ReadonlyArray<string | number>;
      readonly context?: string;
    };

/**
 * Evaluate an expression of GitHub's language to true or false, with GitHub's own evaluator behind a guard.
 *
 * GitHub's evaluator never fails: a missing value is null, null is 0 and an empty text, texts are converted into
 * numbers. So a check on a value of the wrong type could pass. Here
 * - every path must exist; use `has(output, '/x')` to test for it,
 * - both sides of a comparison must be of one kind (except for `== null` and `!= null`, which test for null itself),
 * - `!`, `&&`, `||` and the whole expression take only true and false,
 * or there is no result. Parts that are not evaluated (`false && …`) are not checked.
 *
 * Texts compare as on GitHub: case-insensitively.
 */
export function evaluate(expression: Expr, contexts: Readonly<Record<string, JsonValue>>): Evaluation {
  const guarded = new GuardedEvaluator(contexts);
  try {
    const result = expression.accept(guarded);
    if (typeof result.value === 'boolean') {
      guarded.read(result);
      return { ok: true, choice: result.value, reads: guarded.reads };
    }
    const what = result.name === '' ? shortValue(result.value) : `${result.name}, ${aKind(result.value)}`;
    throw new ExpressionRefusal(`its value is ${what}, not true or false; compare it with something`, result);
  } catch (error) {
    if (!(error instanceof ExpressionRefusal)) throw error;
    const { at } = error;
    const context = at?.name.split(/[.[]/)[0];
    return { ok: false, message: error.message, ...(at?.path && context ? { path: at.path, context } : {}) };
  }
}

class GuardedEvaluator implements ExprVisitor<Operand> {
  readonly #contexts: Readonly<Record<string, JsonValue>>;
  readonly #reads = new Map<string, Operand>();

  constructor(contexts: Readonly<Record<string, JsonValue>>) {
    this.#contexts = contexts;
  }

  /** The parts of the contexts that the result depends on, in order. */
  get reads(): Operand[] {
    return [...this.#reads.values()];
  }

  read(...operands: readonly Operand[]): void {
    for (const operand of operands) if (operand.path !== undefined) this.#reads.set(operand.name, operand);
  }

  visitLiteral(literal: Literal): Operand {
    const { lexeme } = literal.token;
    // The lexer of @actions/expressions 0.3 unescapes only the first '' of a text.
    if (lexeme.startsWith("'")) return said(lexeme.slice(1, -1).replaceAll("''", "'"));
    const value = fromData(literal.literal);
    return value === null ? { ...said(null), isNullLiteral: true } : said(value);
  }

  visitGrouping(grouping: Grouping): Operand {
    return grouping.group.accept(this);
  }

  visitContextAccess(access: ContextAccess): Operand {
    const name = access.name.lexeme.toLowerCase();
    const value = Object.hasOwn(this.#contexts, name) ? this.#contexts[name] : undefined;
    if (value === undefined) throw new ExpressionRefusal(`there is no ${name} here`);
    return { value, name, path: [] };
  }

  visitIndexAccess(access: IndexAccess): Operand {
    const of = access.expr.accept(this);
    return access.index instanceof Star ? accessAll(of) : accessKey(of, access.index.accept(this));
  }

  visitUnary(unary: Unary): Operand {
    return said(!this.#truth(unary.expr, '!'));
  }

  visitLogical(logical: Logical): Operand {
    const operator = logical.operator.lexeme;
    const decides = operator === '||';
    for (const arg of logical.args) if (this.#truth(arg, operator) === decides) return said(decides);
    return said(!decides);
  }

  visitBinary(binary: Binary): Operand {
    const [left, right] = [binary.left.accept(this), binary.right.accept(this)];
    this.read(left, right);
    const operator = binary.operator.lexeme;
    const equality = operator === '==' || operator === '!=';
    if (equality && (left.isNullLiteral === true || right.isNullLiteral === true)) {
      return said((left.value === right.value) === (operator === '=='));
    }
    checkComparison(left, right, equality);
    const compared = new Binary(literal(left, binary), binary.operator, literal(right, binary));
    return said(fromData(new Evaluator(compared, new data.Dictionary()).evaluate()));
  }

  visitFunctionCall(call: FunctionCall): Operand {
    const name = call.functionName.lexeme.toLowerCase();
    if (name === 'case') return this.#case(call.args);
    const args = call.args.map((arg) => arg.accept(this));
    this.read(...args.filter(({ value }) => typeof value !== 'object'));
    const value = FUNCTIONS[name]!(args);
    if (typeof value === 'boolean') {
      const asked = `${call.functionName.lexeme}(${args.map((arg) => arg.name || ruleValue(arg.value, 40)).join(', ')})`;
      this.#reads.set(asked, { value, name: asked });
    }
    return { value, name: name === 'fromjson' ? 'fromJSON(…)' : '' };
  }

  /** `case(predicate, value, …, default)`: the value of the first predicate that is true. */
  #case(args: readonly Expr[]): Operand {
    for (let at = 0; at + 1 < args.length; at += 2)
      if (this.#truth(args[at]!, 'case')) return args[at + 1]!.accept(this);
    return args.at(-1)!.accept(this);
  }

  #truth(expression: Expr, operator: string): boolean {
    const operand = expression.accept(this);
    this.read(operand);
    if (typeof operand.value === 'boolean') return operand.value;
    const what = operand.name === '' ? shortValue(operand.value) : `${operand.name} is ${aKind(operand.value)}`;
    throw new ExpressionRefusal(`${what}, and \`${operator}\` takes true or false only`, operand);
  }
}

function said(value: JsonValue): Operand {
  return { value, name: '' };
}

function literal(operand: Operand, binary: Binary): Literal {
  return new Literal(toData(operand.value), binary.operator);
}

function checkComparison(left: Operand, right: Operand, equality: boolean): void {
  const kinds = [kindOf(left.value), kindOf(right.value)] as const;
  const named = left.name === '' ? right : left;
  if (kinds[0] !== kinds[1]) {
    throw new ExpressionRefusal(`${inWords(left)} and ${inWords(right)} cannot be compared`, named);
  }
  if (kinds[0] === 'list' || kinds[0] === 'object') {
    throw new ExpressionRefusal(`${inWords(named)}; a list or an object cannot be compared as a whole`, named);
  }
  if (!equality && (kinds[0] === 'null' || kinds[0] === 'boolean')) {
    throw new ExpressionRefusal(`${inWords(named)}; null, true and false have no order`, named);
  }
}

function inWords({ name, value }: Operand): string {
  if (name !== '') return value === null ? `${name} (null)` : `${name} (${aKind(value)}: ${shortValue(value, 40)})`;
  return value === null ? 'null' : `${aKind(value)} (${shortValue(value, 40)})`;
}
