import { closestWord } from '../json/did-you-mean.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import { countOf, valueText } from './texts.ts';

/** A value inside an expression. */
export interface Operand {
  readonly value: JsonValue;
  /** How it is written (`output.a[0]`, `length(output.a)`); empty for literals. Lazy, since a filter has many items. */
  readonly name: () => string;
  /** Its keys, from the name of the context on; undefined if it is not one part of a context. */
  readonly path?: () => ReadonlyArray<string | number>;
  /** The operands that `*` selected; `value` is the list of their values. */
  readonly items?: readonly Operand[];
}

/** Why an expression has no result. */
export class ExpressionProblem extends Error {
  override readonly name = 'ExpressionProblem';
  /** JSON pointer to the part of `output` that it is about. */
  readonly pointer: string | undefined;

  constructor(message: string, operand?: Operand) {
    super(message);
    this.pointer = operand && pointerInOutput(operand);
  }
}

/** The JSON pointer of an operand; undefined if it is no part of `output`. */
export function pointerInOutput({ path }: Operand): string | undefined {
  const [root, ...keys] = path?.() ?? [];
  return root === 'output' ? pointerOf(keys) : undefined;
}

/**
 * `a.key`, `a['key']`, `a[0]`. On GitHub a missing key is null, so that a check of nothing could pass; here it is a
 * problem. Keys are case-sensitive: in JSON `Failed` and `failed` are two keys.
 * @throws ExpressionProblem
 */
export function accessKey(operand: Operand, key: JsonValue): Operand {
  if (typeof key !== 'string' && typeof key !== 'number') throw new ExpressionProblem('a key is a string or a number');
  const parts = operand.items?.map((item) => accessKey(item, key));
  if (parts !== undefined) return filterOperand(parts, () => keyName(operand, key));
  const part = partAt(operand.value, key);
  if (part !== undefined) return partOf(operand, key, part);
  const missing = partOf(operand, key, null);
  throw new ExpressionProblem(`there is no ${missing.name()}${explainMissing(operand, key)}`, missing);
}

/** `a.*`: the items of a list, the values of an object. @throws ExpressionProblem for any other value */
export function accessAll(operand: Operand): Operand {
  const items = (operand.items ?? [operand]).flatMap((parent): Operand[] => {
    const { value } = parent;
    if (Array.isArray(value)) return value.map((item, index) => partOf(parent, index, item));
    if (isJsonObject(value)) return Object.entries(value).map(([key, item]) => partOf(parent, key, item));
    throw new ExpressionProblem(`there is no ${parent.name()}.*: ${parent.name()} is ${kindText(value)}`, parent);
  });
  return filterOperand(items, () => `${operand.name()}.*`);
}

function filterOperand(items: readonly Operand[], name: () => string): Operand {
  return { value: items.map(({ value }) => value), items, name };
}

function partOf(operand: Operand, key: string | number, value: JsonValue): Operand {
  const { path } = operand;
  return { value, name: () => keyName(operand, key), path: path && (() => [...path(), key]) };
}

function partAt(value: JsonValue, key: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function explainMissing(operand: Operand, key: string | number): string {
  if (Array.isArray(operand.value)) return `: ${operand.name()} has ${countOf(operand.value.length, 'item')}`;
  if (!isJsonObject(operand.value)) return `: ${operand.name()} is ${kindText(operand.value)}`;
  const similar = closestWord(String(key), Object.keys(operand.value).slice(0, 1_000));
  if (similar === undefined) return '';
  const isSameWord = similar.toLowerCase() === String(key).toLowerCase();
  return `; there is \`${similar}\`${isSameWord ? ' (keys are case-sensitive)' : ''}`;
}

function keyName(operand: Operand, key: string | number): string {
  if (typeof key === 'number') return `${operand.name()}[${key}]`;
  return /^[A-Za-z_][\w-]*$/.test(key)
    ? `${operand.name()}.${key}`
    : `${operand.name()}['${key.replaceAll("'", "''")}']`;
}

/** `a number`, `an object`, `null`. */
export function kindText(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The operand for a message: `output.rate (a string: "95")`. */
export function operandText({ name, value }: Operand): string {
  const kind = value === null ? 'null' : `${kindText(value)}: ${valueText(value, 40)}`;
  if (name() !== '') return `${name()} (${kind})`;
  return kind.replace(/: (.*)$/s, ' ($1)');
}
