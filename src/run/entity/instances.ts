import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { EntityDefinition } from '../../pipeline/pipeline.ts';

const PLACEHOLDER = /\{([^{}]*)\}/g;
const MAX_INSTANCE = 200;

/** Texts that may name an instance, by argument of a command or by key of a value. */
export type Names = Readonly<Record<string, string>>;

/** Whether the format of an entity has placeholders, as `resource_{id}` does. */
export function hasInstances({ format = '' }: EntityDefinition): boolean {
  return placeholdersIn(format).length > 0;
}

/**
 * The instance of an entity that texts name. First those under the name of a placeholder, of the entity, or of the entity
 * with `_id`: a whole name, or values that fill the format. Else the first text that matches the format. Undefined: none.
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

/** The argument that names an instance, but is empty or too long: without a name it would mean all instances. */
export function findInvalidName(entity: string, { format = '' }: EntityDefinition, args: Names): string | undefined {
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

/** Tests whether a text is the format with its placeholders filled. */
function createMatcher(format: string): (text: string) => boolean {
  const literals = format.split(PLACEHOLDER).filter((_, index) => index % 2 === 0);
  const pattern = literals.map((literal) => literal.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('.+');
  const isMatch = new RegExp(`^${pattern}$`, 's');
  return (text) => isShort(text) && isMatch.test(text);
}
