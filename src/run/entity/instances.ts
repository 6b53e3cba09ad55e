import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { EntityDefinition } from '../../pipeline/pipeline.ts';

const PLACEHOLDER = /\{([^{}]*)\}/g;
const MAX_INSTANCE = 200;

/** Texts by name that may name an instance: the arguments of a command, or keys of a value. */
export type Names = Readonly<Record<string, string>>;

/** Whether an entity has instances, such as `resource_{id}`. */
export function hasInstances({ format = '' }: EntityDefinition): boolean {
  return placeholdersIn(format).length > 0;
}

/**
 * The instance of an entity that texts name: those called like a placeholder of its format, like the entity, or that
 * with `_id`, by a whole name or by what fills the format; else the first that looks like one. Undefined: none.
 */
export function instanceNamed(entity: string, { format = '' }: EntityDefinition, names: Names): string | undefined {
  const placeholders = placeholdersIn(format);
  if (placeholders.length === 0) return undefined;
  const fits = createMatcher(format);
  const texts = new Map(Object.entries(names).filter(([, text]) => text !== '' && isShort(text)));
  const named = namingKeys(entity, placeholders).flatMap((key) => texts.get(key) ?? []);
  const whole = named.find(fits);
  if (whole !== undefined) return whole;
  const fill = (textOf: (key: string) => string): string =>
    format.replace(PLACEHOLDER, (_, key: string) => textOf(key));
  const parts = placeholders.every((key) => texts.has(key)) ? fill((key) => texts.get(key)!) : undefined;
  const filled = parts ?? (placeholders.length === 1 && named.length > 0 ? fill(() => named[0]!) : undefined);
  if (filled !== undefined && isShort(filled)) return filled;
  // Every text looks like an instance of `{id}`.
  return fill(() => '') === '' ? undefined : [...texts.values()].find(fits);
}

/** An argument that is to name an instance, and is empty or too long: without a name all instances would be meant. */
export function findBadName(entity: string, { format = '' }: EntityDefinition, args: Names): string | undefined {
  const placeholders = placeholdersIn(format);
  if (placeholders.length === 0) return undefined;
  const keys = namingKeys(entity, placeholders);
  return keys.find((key) => Object.hasOwn(args, key) && (args[key] === '' || !isShort(args[key]!)));
}

/** The texts of a value that may name an instance. @param returns name of a value that is no object */
export function namesIn(value: JsonValue | undefined, returns: string | undefined): Names {
  const fields: readonly (readonly [string, JsonValue])[] = isJsonObject(value)
    ? Object.entries(value)
    : value === undefined
      ? []
      : [[returns ?? '', value]];
  const texts = fields.filter(([, field]) => typeof field === 'string' || typeof field === 'number');
  return Object.fromEntries(texts.map(([key, field]) => [key, String(field)]));
}

function placeholdersIn(format: string): string[] {
  return [...format.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}

function namingKeys(entity: string, placeholders: readonly string[]): readonly string[] {
  return [...placeholders, entity, `${entity}_id`];
}

function isShort(text: string): boolean {
  return text.length <= MAX_INSTANCE && !/\p{Cc}/u.test(text);
}

/** Whether a text is the format with something in each place. */
function createMatcher(format: string): (text: string) => boolean {
  const literals = format.split(PLACEHOLDER).filter((_, index) => index % 2 === 0);
  const pattern = literals.map((literal) => literal.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('.+');
  const isMatch = new RegExp(`^${pattern}$`, 's');
  return (text) => isShort(text) && isMatch.test(text);
}
