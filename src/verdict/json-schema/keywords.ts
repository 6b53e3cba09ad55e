/** The drafts of JSON Schema that a contract may be written in. */
export type Draft = '2020-12' | 'draft-07';

/** `$schema` of each draft, without the empty fragment that some schemas use. */
export const DRAFT_URIS: Readonly<Record<Draft, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
};

/**
 * The kind of a keyword's value: a `schema`, a `list` of schemas, a `map` of names to schemas, or plain `data` in which
 * no keywords are searched. `either`: a schema or a list of them; `mixed`: names to schemas or lists of names.
 */
export type KeywordShape = 'schema' | 'list' | 'map' | 'either' | 'mixed' | 'data';

function shapes(shape: KeywordShape, names: string): Array<[string, KeywordShape]> {
  return names.split(' ').map((name) => [name, shape]);
}

/**
 * Keywords with the same meaning in both drafts; `definitions` and `$defs` are accepted in both, as is common in
 * practice.
 */
const COMMON = [
  ...shapes('schema', 'additionalProperties contains propertyNames if then else not'),
  ...shapes('list', 'allOf anyOf oneOf'),
  ...shapes('map', 'properties patternProperties definitions $defs'),
  ...shapes('data', '$id $schema $ref type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum'),
  ...shapes(
    'data',
    'maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties required format',
  ),
];

const KEYWORDS: Readonly<Record<Draft, ReadonlyMap<string, KeywordShape>>> = {
  // https://json-schema.org/draft/2020-12/schema and the vocabularies that it names
  '2020-12': new Map([
    ...COMMON,
    ...shapes('schema', 'items unevaluatedItems unevaluatedProperties contentSchema'),
    ...shapes('list', 'prefixItems'),
    ...shapes('map', 'dependentSchemas'),
    ...shapes('data', '$anchor $dynamicRef $dynamicAnchor $vocabulary maxContains minContains dependentRequired'),
  ]),
  // http://json-schema.org/draft-07/schema
  'draft-07': new Map([
    ...COMMON,
    ...shapes('either', 'items'),
    ...shapes('schema', 'additionalItems'),
    ...shapes('mixed', 'dependencies'),
  ]),
};

/**
 * Keywords for people or tools that never affect validity. Besides those of JSON Schema itself: OpenAPI 3.1's
 * (https://spec.openapis.org/oas/v3.1.1#schema-object), VS Code's (https://code.visualstudio.com/docs/languages/json),
 * json-schema-to-typescript's, zod's and pydantic's.
 */
const ANNOTATIONS = new Set(
  [
    '$comment title description default deprecated readOnly writeOnly examples contentEncoding contentMediaType',
    'discriminator xml externalDocs example',
    'markdownDescription enumDescriptions markdownEnumDescriptions enumItemLabels defaultSnippets errorMessage',
    'patternErrorMessage deprecationMessage suggestSortText doNotSuggest allowComments allowTrailingCommas',
    'enumNames enumTitles tsType tsEnumNames propertyOrdering propertyOrder options id',
  ].flatMap((names) => names.split(' ')),
);

/** Keywords of other drafts or of OpenAPI 3.0 that would be silently ignored, and what to write instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  nullable: 'is OpenAPI 3.0\'s; write `type: ["…", "null"]`',
  additionalItems: 'is draft-07; in 2020-12 write `prefixItems` and `items`',
  dependencies: 'is draft-07; in 2020-12 write `dependentRequired` or `dependentSchemas`',
  $recursiveRef: 'is 2019-09; in 2020-12 write `$dynamicRef`',
  $recursiveAnchor: 'is 2019-09; in 2020-12 write `$dynamicAnchor`',
  divisibleBy: 'is draft-03; write `multipleOf`',
  extends: 'is draft-03; write `allOf`',
  disallow: 'is draft-03; write `not`',
};

/** The kind of a keyword's value in that draft; `undefined` for one that has no effect there. */
export function shapeOf(keyword: string, draft: Draft): KeywordShape | undefined {
  return KEYWORDS[draft].get(keyword);
}

/** True for a keyword that is allowed and has no effect: an annotation, or one that begins with `x-`. */
export function isAnnotation(keyword: string): boolean {
  return keyword.startsWith('x-') || ANNOTATIONS.has(keyword);
}

/** Every keyword that is supported in that draft, for suggestions. */
export function knownKeywords(draft: Draft): string[] {
  return [...KEYWORDS[draft].keys(), ...ANNOTATIONS];
}

/** Why a foreign keyword is refused, and what to write instead. */
export function foreignKeyword(keyword: string, draft: Draft): string | undefined {
  const other: Draft = draft === '2020-12' ? 'draft-07' : '2020-12';
  if (Object.hasOwn(FOREIGN, keyword)) return FOREIGN[keyword];
  if (KEYWORDS[other].has(keyword))
    return `is ${other}; this schema is ${draft}: set \`$schema\` to "${DRAFT_URIS[other]}"`;
  return undefined;
}

/** The draft that a `$schema` names; an empty fragment is ignored. */
export function draftOf(uri: string): Draft | undefined {
  const plain = uri.replace(/#$/, '');
  return (Object.keys(DRAFT_URIS) as Draft[]).find((draft) => DRAFT_URIS[draft] === plain);
}

/**
 * Formats that are checked: all of both drafts
 * (https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3).
 */
const FORMATS = new Set(
  [
    'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference',
    'uuid uri-template json-pointer relative-json-pointer regex',
  ].flatMap((names) => names.split(' ')),
);

/**
 * Formats that are known and not checked: OpenAPI's registry (https://spec.openapis.org/registry/format/) and the
 * output of pydantic and zod, which both add a `pattern` where they can.
 */
const UNCHECKED_FORMATS = new Set(
  [
    'int8 int16 int32 int64 uint8 uint16 uint32 uint64 double-int float double decimal decimal128 single-bit',
    'byte binary char password commonmark html media-range http-date unixtime date-time-local time-local',
    'base64 base64url json-string json_string path file-path directory-path multi-host-uri name-email color',
    'uuid1 uuid3 uuid4 uuid5 uuid6 uuid7 uuid8 ipvanyaddress ipvanyinterface ipvanynetwork ipv4network ipv6network',
    'ipv4interface ipv6interface cidrv4 cidrv6 mac e164 emoji nanoid cuid cuid2 ulid xid ksuid jwt guid markdown',
    'color-hex regex-flags lowercase uppercase url',
  ].flatMap((names) => names.split(' ')),
);

/** True if a format is checked, or is known to be informational. */
export function isKnownFormat(format: string): boolean {
  return FORMATS.has(format) || UNCHECKED_FORMATS.has(format);
}

/** The formats that are checked, for suggestions. */
export function checkedFormats(): string[] {
  return [...FORMATS];
}
