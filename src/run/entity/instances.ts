import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { Entity } from '../../pipeline/entities/entities.ts';
import { timeAt } from './times.ts';

/** The longest name of an instance; a longer one is that of no instance. */
export const MAX_INSTANCE = 200;

const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * The instances that a value is about. With `resource_{id}` that is `resource_7` for `{"id": 7}` and for
 * `"resource_7"`, and those of each item for a list: none for an empty one. Otherwise the argument names the instance,
 * if one does. `['']`: there is one instance.
 */
export function instancesOf(
  entity: Pick<Entity, 'name' | 'format'>,
  value: JsonValue | undefined,
  given: Readonly<Record<string, string>>,
): string[] {
  const { format } = entity;
  if (format === undefined || placeholdersIn(format).length === 0) return [''];
  const items = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const found = items.flatMap((item) => instanceIn(format, item) ?? []);
  if (found.length > 0 && found.length === items.length) return [...new Set(found)];
  const [named] = instancesGiven(entity, given);
  // One instance would stand for all, also for those that a list of nothing does not have.
  if (named === undefined && Array.isArray(value) && value.length === 0) return [];
  return [named ?? ''];
}

/**
 * When the instances that a value is about end, in milliseconds, by the time at a pointer: into the value, or else into
 * the item of a list that is about the instance. One that cannot be read is over.
 */
export function endsIn(
  { format }: Pick<Entity, 'format'>,
  value: JsonValue,
  pointer: string,
): (instance: string) => number {
  const whole = timeAt(value, pointer);
  if (whole !== -Infinity || format === undefined || !Array.isArray(value)) return () => whole;
  const ends = new Map<string | undefined, number>();
  for (const item of value) {
    const instance = instanceIn(format, item);
    if (!ends.has(instance)) ends.set(instance, timeAt(item, pointer));
  }
  return (instance) => ends.get(instance) ?? -Infinity;
}

/**
 * The instance that a person names: as a whole, or by what is in the only place of the format. `undefined`: no instance
 * can have that name.
 */
export function instanceMeant({ format }: Pick<Entity, 'format'>, text: string): string | undefined {
  return checked((format !== undefined && instanceNamed(format, text)) || text);
}

/**
 * The instances that the arguments of a command name, in their order.
 *
 * With `resource_{id}`, an argument names one by `7` or `resource_7`: `id`, `resource_id`, and what is called like the
 * entity, alone or with `_id`. Of a format with several places, an argument for each of them together name one. Without
 * such arguments, everything does that looks like `resource_7`.
 */
export function instancesGiven(
  { name, format }: Pick<Entity, 'name' | 'format'>,
  given: Readonly<Record<string, string>>,
): string[] {
  const placeholders = format === undefined ? [] : placeholdersIn(format);
  if (format === undefined || placeholders.length === 0) return [];
  const names = namingArguments(name, format);
  const literal = format.replaceAll(PLACEHOLDER, '');
  const all = Object.entries(given);
  // A text that happens to look like an instance does not hide the argument that is one.
  const named = all.flatMap(([argument, value]) => {
    if (!names.has(argument)) return [];
    const instance = instanceNamed(format, value);
    return instance === undefined ? [] : (checked(instance) ?? []);
  });
  const whole = filledIn(format, given);
  if (whole !== undefined) named.push(...(checked(whole) === undefined ? [] : [whole]));
  const alike = named.length > 0 || literal === '' ? [] : all.filter(([, value]) => isInstance(format, value));
  return [...new Set([...named, ...alike.flatMap(([, value]) => checked(value) ?? [])])];
}

/**
 * An argument that names an instance and cannot: it is empty, or too long. Without a name a command would use any of
 * them, and invalidate all.
 */
export function unnamable(
  { name, format }: Pick<Entity, 'name' | 'format'>,
  given: Readonly<Record<string, string>>,
): string | undefined {
  if (format === undefined || placeholdersIn(format).length === 0) return undefined;
  const names = namingArguments(name, format);
  const isBad = (value: string): boolean => value === '' || (instanceNamed(format, value)?.length ?? 0) > MAX_INSTANCE;
  const whole = filledIn(format, given);
  if (whole !== undefined && whole.length > MAX_INSTANCE) return placeholdersIn(format)[0];
  return Object.keys(given).find((argument) => names.has(argument) && isBad(given[argument]!));
}

/** Names of arguments that name an instance. */
function namingArguments(name: string, format: string): ReadonlySet<string> {
  const placeholders = placeholdersIn(format);
  return new Set([
    name,
    format.replaceAll(/[{}]/g, ''),
    ...placeholders,
    ...placeholders.map((one) => `${name}_${one}`),
  ]);
}

/** A format of several places with an argument for each of them; `undefined`: there is not one for each. */
function filledIn(format: string, given: Readonly<Record<string, string>>): string | undefined {
  const names = placeholdersIn(format);
  if (names.length < 2 || !names.every((name) => Object.hasOwn(given, name))) return undefined;
  return format.replaceAll(PLACEHOLDER, (_, name: string) => given[name]!);
}

/** The instance that such an argument names, as a whole or by what is in the only place. */
function instanceNamed(format: string, value: string): string | undefined {
  if (isInstance(format, value)) return value;
  return placeholdersIn(format).length === 1 ? format.replaceAll(PLACEHOLDER, () => value) : undefined;
}

function instanceIn(format: string, item: JsonValue): string | undefined {
  if (typeof item === 'string' || typeof item === 'number')
    return isInstance(format, String(item)) ? checked(String(item)) : undefined;
  if (!isJsonObject(item)) return undefined;
  const parts = placeholdersIn(format).map((name) => {
    const part = Object.hasOwn(item, name) ? item[name] : undefined;
    return typeof part === 'string' || typeof part === 'number' ? String(part) : undefined;
  });
  if (parts.includes(undefined)) return undefined;
  if (parts.length === 1) return checked(instanceNamed(format, parts[0]!) ?? '');
  let at = 0;
  return checked(format.replaceAll(PLACEHOLDER, () => parts[at++]!));
}

function placeholdersIn(format: string): string[] {
  return [...format.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}

/** Whether a text is the format with something in each place. Never backtracks over more than one place. */
function isInstance(format: string, text: string): boolean {
  const literals = format.split(PLACEHOLDER).filter((_, index) => index % 2 === 0);
  const first = literals[0]!;
  const last = literals.at(-1)!;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    const next = text.indexOf(literal, at + 1);
    if (next < 0) return false;
    at = next + literal.length;
  }
  return text.length - last.length > at;
}

function checked(instance: string): string | undefined {
  return instance === '' || instance.length > MAX_INSTANCE ? undefined : instance;
}
