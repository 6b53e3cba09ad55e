import { nearest, quoted } from '../../pipeline/problem.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { counted } from '../value-texts.ts';
import { aKind, ExpressionRefusal, type Operand } from './operand.ts';

/**
 * `of.key`, `of['key']`, `of[0]`. GitHub returns null for a missing key; this refuses, and says which keys exist. Keys
 * are case-sensitive: in JSON `Failed` and `failed` are two keys.
 */
export function accessKey(of: Operand, index: Operand): Operand {
  if (of.parts !== undefined) {
    const parts = of.parts.map((part) => accessKey(part, index));
    return { value: parts.map(({ value }) => value), name: nameOf(of, index.value as string), parts };
  }
  const key = index.value;
  if (Array.isArray(of.value) && typeof key === 'number') return accessItem(of, of.value.length, key);
  if (isJsonObject(of.value) && typeof key === 'string') return accessProperty(of, of.value, key);
  const name = nameOf(of, typeof key === 'string' || typeof key === 'number' ? key : '…');
  const why = of.name === '' ? `there is nothing in ${aKind(of.value)}` : `${of.name} is ${aKind(of.value)}`;
  const wanted = Array.isArray(of.value) ? '; a list takes a number, or `*` for each of its items' : '';
  throw new ExpressionRefusal(`there is no ${name}: ${why}${wanted}`, { name, ...pathOf(of, key) });
}

/**
 * `of.*`: the items of a list, the values of an object. GitHub returns an empty list for anything else; this refuses.
 */
export function accessAll(of: Operand): Operand {
  if (of.parts !== undefined) {
    const parts = of.parts.flatMap((part) => accessAll(part).parts ?? []);
    return { value: parts.map(({ value }) => value), name: `${of.name}.*`, parts };
  }
  const { value } = of;
  if (!Array.isArray(value) && !isJsonObject(value)) {
    throw new ExpressionRefusal(`there is no ${of.name}.*: ${of.name} is ${aKind(value)}`, of);
  }
  const keys: Array<string | number> = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const parts = keys.map((key) => new PartOperand((value as JsonObject)[key]!, of, key));
  return { value: parts.map((part) => part.value), name: `${of.name}.*`, parts };
}

/** A part of another operand. Its name and path are computed on demand: a filter finds a million. */
class PartOperand implements Operand {
  readonly value: JsonValue;
  readonly #of: Operand;
  readonly #key: string | number;

  constructor(value: JsonValue, of: Operand, key: string | number) {
    this.value = value;
    this.#of = of;
    this.#key = key;
  }

  get name(): string {
    return nameOf(this.#of, this.#key);
  }

  get path(): ReadonlyArray<string | number> | undefined {
    return pathOf(this.#of, this.#key).path;
  }
}

function accessItem(of: Operand, length: number, index: number): Operand {
  const value = (of.value as unknown[])[index] as Operand['value'] | undefined;
  if (value !== undefined) return new PartOperand(value, of, index);
  const found = { name: nameOf(of, index), ...pathOf(of, index) };
  const why =
    Number.isInteger(index) && index >= 0 ? `${of.name} has ${counted(length, 'item')}` : 'items are numbered from 0';
  throw new ExpressionRefusal(`there is no ${found.name}: ${why}`, found);
}

function accessProperty(of: Operand, object: JsonObject, key: string): Operand {
  if (Object.hasOwn(object, key)) return new PartOperand(object[key]!, of, key);
  const found = { name: nameOf(of, key), ...pathOf(of, key) };
  const keys = Object.keys(object).slice(0, 1_000);
  const sameInLower = keys.find((other) => other.toLowerCase() === key.toLowerCase());
  const like = sameInLower ?? nearest(key, keys);
  const hint =
    like === undefined
      ? ''
      : `; there is ${quoted(like)}${sameInLower === undefined ? '' : ' (keys are case-sensitive)'}`;
  throw new ExpressionRefusal(`there is no ${found.name}${hint}`, found);
}

function nameOf(of: Operand, key: string | number): string {
  const base = of.name === '' ? '(…)' : of.name;
  if (typeof key === 'number') return `${base}[${key}]`;
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) ? `${base}.${key}` : `${base}['${key.replaceAll("'", "''")}']`;
}

function pathOf(of: Operand, key: unknown): Pick<Operand, 'path'> {
  if (of.path === undefined) return {};
  return { path: typeof key === 'string' || typeof key === 'number' ? [...of.path, key] : of.path };
}
