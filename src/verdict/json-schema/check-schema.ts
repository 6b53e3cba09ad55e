import { nearest, quoted } from '../../pipeline/problem.ts';
import type { JsonValue } from '../../json/json.ts';
import {
  checkedFormats,
  DRAFT_URIS,
  draftOf,
  foreignKeyword,
  isAnnotation,
  isKnownFormat,
  knownKeywords,
  shapeOf,
  type Draft,
} from './keywords.ts';
import { checkReferences } from './references.ts';
import { pointerOfPlace, walkSchemas, type SchemaPlace } from './walk.ts';
import type { ContractProblem } from '../verdict.ts';

/** URI of a schema without one of its own. Nothing is ever fetched from it. */
export const NO_URI = 'gateline+none://contract/schema';

/**
 * Everything in a schema that would open the gate by mistake: unknown keywords and formats, references to nothing or to
 * other documents, invalid regular expressions. Pointers are into the schema.
 */
export function checkSchema(schema: JsonValue, draft: Draft): ContractProblem[] {
  const problems: ContractProblem[] = [];
  const places: SchemaPlace[] = [];
  walkSchemas(schema, draft, NO_URI, (place) => places.push(place));
  for (const place of places) {
    for (const keyword of Object.keys(place.schema)) problems.push(...checkKeyword(keyword, place));
    problems.push(...checkFormat(place), ...checkPatterns(place), ...checkDialect(place));
  }
  return [...problems, ...checkReferences(places)];
}

function checkKeyword(keyword: string, place: SchemaPlace): ContractProblem[] {
  if (shapeOf(keyword, place.draft) !== undefined || isAnnotation(keyword)) return [];
  const pointer = pointerOfPlace(place, keyword);
  const code = 'CONTRACT_KEYWORD_UNKNOWN';
  const foreign = foreignKeyword(keyword, place.draft);
  if (foreign !== undefined) return [{ code, message: `keyword ${quoted(keyword)} ${foreign}`, pointer }];
  const meant = nearest(keyword, knownKeywords(place.draft));
  const hint =
    meant === undefined
      ? 'a keyword of your own begins with `x-`'
      : `did you mean ${quoted(meant)}? A keyword of your own begins with \`x-\``;
  return [{ code, message: `JSON Schema ${place.draft} has no keyword ${quoted(keyword)}`, pointer, hint }];
}

function checkFormat(place: SchemaPlace): ContractProblem[] {
  const { format } = place.schema;
  if (typeof format !== 'string' || isKnownFormat(format) || format.startsWith('x-')) return [];
  const meant = nearest(format, checkedFormats());
  const hint =
    meant === undefined ? 'use `pattern`, or a name that begins with `x-`' : `did you mean ${quoted(meant)}?`;
  const message = `there is no format ${quoted(format)}, so it would check nothing`;
  return [{ code: 'CONTRACT_FORMAT_UNKNOWN', message, pointer: pointerOfPlace(place, 'format'), hint }];
}

function checkPatterns(place: SchemaPlace): ContractProblem[] {
  const { pattern, patternProperties } = place.schema;
  const found: Array<[string, string]> = [];
  if (typeof pattern === 'string') found.push([pattern, pointerOfPlace(place, 'pattern')]);
  if (typeof patternProperties === 'object' && patternProperties !== null) {
    for (const key of Object.keys(patternProperties))
      found.push([key, pointerOfPlace(place, 'patternProperties', key)]);
  }
  return found.flatMap(([source, pointer]) => {
    const wrong = regexError(source);
    if (wrong === undefined) return [];
    const hint =
      'patterns are ECMAScript regular expressions with the `u` flag; there, a backslash is allowed only before special characters';
    return [
      {
        code: 'CONTRACT_PATTERN_INVALID',
        message: `${quoted(source)} is not a regular expression: ${wrong}`,
        pointer,
        hint,
      },
    ];
  });
}

function regexError(source: string): string | undefined {
  try {
    void new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: .*: /s, '') : String(error);
  }
}

function checkDialect(place: SchemaPlace): ContractProblem[] {
  const { $schema } = place.schema;
  if (typeof $schema !== 'string' || draftOf($schema) !== undefined) return [];
  return [unknownDialect($schema, pointerOfPlace(place, '$schema'))];
}

/** The problem of a `$schema` that is not one of {@link DRAFT_URIS}. */
export function unknownDialect(uri: string, pointer: string): ContractProblem {
  const supported = Object.values(DRAFT_URIS).map((known) => `"${known}"`);
  return {
    code: 'CONTRACT_DIALECT_UNKNOWN',
    message: `\`$schema\` ${quoted(uri)} is not supported`,
    pointer,
    hint: `write ${supported.join(' or ')}, or leave \`$schema\` out for 2020-12`,
  };
}
