import { messageOf } from '../errors.ts';
import { didYouMean } from '../json/did-you-mean.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { pointerOf, valueAt } from '../json/pointer.ts';

/** What is wrong with a contract. */
export interface ContractProblem {
  /** JSON pointer into the contract. */
  readonly pointer: string;
  readonly message: string;
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Keywords whose value is a schema or a list of them, and those whose value names schemas. */
const SCHEMA_KEYWORDS = setOf(
  'items prefixItems additionalItems contains additionalProperties unevaluatedProperties propertyNames if then else not allOf anyOf oneOf contentSchema',
);
const MAP_KEYWORDS = setOf('properties patternProperties dependentSchemas dependencies definitions $defs');

/**
 * Keywords for people and tools that never affect validity: of OpenAPI 3.1
 * (https://spec.openapis.org/oas/v3.1.1#schema-object), of VS Code, json-schema-to-typescript, zod and pydantic.
 */
const ANNOTATIONS = setOf(
  'discriminator xml externalDocs example markdownDescription enumDescriptions markdownEnumDescriptions enumItemLabels defaultSnippets errorMessage patternErrorMessage deprecationMessage suggestSortText doNotSuggest allowComments allowTrailingCommas enumNames enumTitles tsType tsEnumNames propertyOrdering propertyOrder options id',
);

/** Keywords that ajv does not implement as specified, so that some wrong values would pass; and what to do instead. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  $dynamicRef: 'write `$ref`',
  $dynamicAnchor: 'write `$anchor` or `$defs`',
  $recursiveRef: 'write `$ref`',
  unevaluatedItems: 'write `items: false` after `prefixItems`',
  $async: 'leave it out',
};

const TYPES = setOf('string number integer boolean object array null');

/** Keywords of a draft with the JSON types of their values (none: not checked), and formats. */
interface Vocabulary {
  readonly draft: string;
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly formats: ReadonlySet<string>;
}

/** The schema and all schemas in it, with their pointers. */
export function* listSchemas(schema: JsonValue, pointer = ''): Generator<{ schema: JsonValue; pointer: string }> {
  yield { schema, pointer };
  if (!isJsonObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const place = pointer + pointerOf([keyword]);
    if (SCHEMA_KEYWORDS.has(keyword)) {
      if (!Array.isArray(value)) yield* listSchemas(value, place);
      else for (const [index, item] of value.entries()) yield* listSchemas(item, `${place}/${index}`);
    } else if (MAP_KEYWORDS.has(keyword) && isJsonObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        // `dependencies` of draft-07 may be a list of names.
        if (!Array.isArray(item)) yield* listSchemas(item, place + pointerOf([name]));
      }
    }
  }
}

/** Everything in a schema by which a wrong output could pass by mistake. Pointers are into the schema. */
export function checkSchema(root: JsonValue, vocabulary: Vocabulary): ContractProblem[] {
  return [...listSchemas(root)].flatMap(({ schema, pointer }) => {
    if (typeof schema === 'boolean') return [];
    if (!isJsonObject(schema)) return [{ pointer, message: 'a schema is an object, true or false' }];
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const message = checkKeyword(keyword, value, vocabulary);
      return message === undefined ? [] : [{ pointer: pointer + pointerOf([keyword]), message }];
    });
  });
}

function checkKeyword(keyword: string, value: JsonValue, { draft, keywords, formats }: Vocabulary): string | undefined {
  if (keyword.startsWith('x-') || ANNOTATIONS.has(keyword)) return undefined;
  if (Object.hasOwn(UNSUPPORTED, keyword)) return `\`${keyword}\` is not supported; ${UNSUPPORTED[keyword]}`;
  const types = keywords.get(keyword);
  if (types === undefined) {
    const hint = didYouMean(keyword, [...keywords.keys()]) ?? 'a keyword of your own begins with `x-`';
    return `JSON Schema ${draft} has no keyword \`${keyword}\`; ${hint}`;
  }
  if (types.length > 0 && !types.includes(typeOf(value))) return `must be ${types.join(' or ')}, is ${typeOf(value)}`;
  const texts = [value].flat().filter((item) => typeof item === 'string');
  if (keyword === 'type') return texts.flatMap((type) => unknownWord('type', type, TYPES) ?? [])[0];
  if (keyword === 'format') return texts.flatMap((format) => unknownWord('format', format, formats) ?? [])[0];
  const patterns =
    keyword === 'pattern' ? texts : keyword === 'patternProperties' ? Object.keys(value as JsonObject) : [];
  return patterns.flatMap((pattern) => patternError(pattern) ?? [])[0];
}

function unknownWord(noun: string, word: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(word)) return undefined;
  return `there is no ${noun} \`${word}\`; ${didYouMean(word, [...known]) ?? `known: ${[...known].slice(0, 20).join(', ')}`}`;
}

/** Why a text is no pattern; undefined if it is one. */
export function patternError(source: string): string | undefined {
  try {
    void new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    const reason = messageOf(error).replace(/^Invalid regular expression: .*: /s, '');
    return `\`${source}\` is not an ECMAScript pattern with the \`u\` flag: ${reason}`;
  }
}

/** The schema that a `$ref` of the form `#/$defs/x` names; undefined if there is none. */
export function resolvePointer(root: JsonValue, reference: string): JsonValue | undefined {
  return /^#(?:\/|$)/.test(reference) ? valueAt(root, decodeFragment(reference)) : undefined;
}

/** The JSON pointer of a fragment (`#/a%20b`, RFC 6901 section 6). */
export function decodeFragment(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

function typeOf(value: JsonValue): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
