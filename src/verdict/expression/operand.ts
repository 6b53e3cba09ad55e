import { data } from '@actions/expressions';
import { isJsonObject, type JsonValue } from '../../json/json.ts';

/** A value inside an expression, and where it came from. */
export interface Operand {
  readonly value: JsonValue;
  /** As the expression names it: `output.failed`. Empty for what the expression itself says. */
  readonly name: string;
  /** Keys and indices from the context's root, for what a context holds. */
  readonly path?: ReadonlyArray<string | number> | undefined;
  /** The parts that a filter (`*`) found; `value` is the list of their values. */
  readonly parts?: readonly Operand[];
  /** Written as `null` in the expression. */
  readonly isNullLiteral?: boolean;
}

/** Why an expression gives no answer. */
export class ExpressionRefusal extends Error {
  override readonly name = 'ExpressionRefusal';
  /** What the refusal is about. */
  readonly at: Pick<Operand, 'name' | 'path'> | undefined;

  constructor(message: string, at?: Pick<Operand, 'name' | 'path'>) {
    super(message);
    this.at = at;
  }
}

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'list' | 'object';

/** What a value is, in words of the messages. */
export function kindOf(value: JsonValue): Kind {
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

/** A value as GitHub's evaluator holds it. Objects are never handed over: it merges keys that differ in case. */
export function toData(value: JsonValue): data.ExpressionData {
  if (value === null) return new data.Null();
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  const list = new data.Array();
  for (const item of Array.isArray(value) ? value : Object.values(value)) list.add(toData(item));
  return list;
}

/** What GitHub's evaluator answered; it answers with simple values here. */
export function fromData(answer: data.ExpressionData): JsonValue {
  if (answer instanceof data.BooleanData || answer instanceof data.NumberData) return answer.value;
  return answer instanceof data.Null ? null : answer.coerceString();
}
