import { data } from '@actions/expressions';
import { isJsonObject, type JsonValue } from '../../json/json.ts';

/** A value inside an expression, and its origin. */
export interface Operand {
  readonly value: JsonValue;
  /** Its name in the expression: `output.failed`. Empty for literals. */
  readonly name: string;
  /** Keys and indices from the context's root, for a value in a context. */
  readonly path?: ReadonlyArray<string | number> | undefined;
  /** The parts that a filter (`*`) found; `value` is the list of their values. */
  readonly parts?: readonly Operand[];
  /** Written as `null` in the expression. */
  readonly isNullLiteral?: boolean;
}

/** Why an expression has no result. */
export class ExpressionRefusal extends Error {
  override readonly name = 'ExpressionRefusal';
  /** The subject of the refusal. */
  readonly at: Pick<Operand, 'name' | 'path'> | undefined;

  constructor(message: string, at?: Pick<Operand, 'name' | 'path'>) {
    super(message);
    this.at = at;
  }
}

export type ValueKind = 'null' | 'boolean' | 'number' | 'string' | 'list' | 'object';

/** The kind of a value, as messages name it. */
export function kindOf(value: JsonValue): ValueKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'object' : (typeof value as 'boolean' | 'number' | 'string');
}

/** `a number`, `an object`, `null`. */
export function aKind(value: JsonValue): string {
  const kind = kindOf(value);
  if (kind === 'null') return kind;
  return kind === 'object' ? 'an object' : `a ${kind}`;
}

/** Converts a value for GitHub's evaluator. Objects are never passed: it merges keys that differ in case. */
export function toData(value: JsonValue): data.ExpressionData {
  if (value === null) return new data.Null();
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  const list = new data.Array();
  for (const item of Array.isArray(value) ? value : Object.values(value)) list.add(toData(item));
  return list;
}

/** Converts a result of GitHub's evaluator; here it returns only simple values. */
export function fromData(answer: data.ExpressionData): JsonValue {
  if (answer instanceof data.BooleanData || answer instanceof data.NumberData) return answer.value;
  return answer instanceof data.Null ? null : answer.coerceString();
}
