import { POINTER_PATTERN, pointerOf, pointerSegments } from '../../json/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { isAnnotation, type Draft } from './keywords.ts';
import { decoded, isMetaSchema } from './references.ts';
import { resolveUri, walkSchemas, withoutFragment, type SchemaPlace } from './walk.ts';

/** Prefix for every URI of a contract, so that the validator sees no scheme that it could fetch or read. */
const PREFIX = 'gateline+';

/** A schema prepared for the validator, and the mapping from its rules back to the schema as written. */
export interface PreparedSchema {
  readonly schema: JsonValue;
  /** URI of each part that has one → the pointer of that part in the schema as written. */
  readonly resources: ReadonlyMap<string, string>;
}

/**
 * A copy of a schema for the validator:
 * - absolute URIs have {@link PREFIX}, except for those of the drafts' meta-schemas;
 * - a pointer into a part with its own `$id` refers to that part, since the validator stores such parts separately;
 * - in draft-07, keywords next to a `$ref` are ignored, as the draft says (§8.3), except definitions;
 * - annotations are removed, so that an example which looks like a schema is not treated as one.
 */
export function prepareSchema(schema: JsonValue, draft: Draft, base: string): PreparedSchema {
  const copy = structuredClone(schema);
  const places: SchemaPlace[] = [];
  walkSchemas(copy, draft, base, (place) => places.push(place));
  const resources = new Map<string, string>([[prefixed(base), '']]);
  for (const place of places) resources.set(prefixed(place.base), pointerOf(place.resourcePath));
  const changes = places.map((place) => ({ place, changed: changed(place) }));
  // All places were checked as written before the first is changed.
  for (const { place, changed } of changes) {
    for (const key of Object.keys(place.schema)) Reflect.deleteProperty(place.schema, key);
    Object.assign(place.schema, changed);
  }
  return { schema: copy, resources };
}

function changed(place: SchemaPlace): JsonObject {
  const result: JsonObject = {};
  for (const [keyword, value] of Object.entries(place.schema)) {
    if (isAnnotation(keyword) && !keyword.startsWith('x-')) continue;
    result[keyword] = value;
  }
  if (typeof result['$id'] === 'string') result['$id'] = prefixedId(result['$id'], place);
  if (typeof result['$schema'] === 'string') result['$schema'] = prefixed(result['$schema']);
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = result[keyword];
    if (typeof reference === 'string') result[keyword] = prefixedReference(reference, place);
  }
  return place.draft === 'draft-07' && typeof result['$ref'] === 'string' ? referenceOnly(result, place) : result;
}

function referenceOnly(schema: JsonObject, place: SchemaPlace): JsonObject {
  const { $ref, $defs, definitions, $schema, $id } = schema;
  const kept: JsonObject = {};
  if ($defs !== undefined) kept['$defs'] = $defs;
  if (definitions !== undefined) kept['definitions'] = definitions;
  if ($schema !== undefined) kept['$schema'] = $schema;
  if ($id !== undefined && place.path.length === 0) kept['$id'] = $id;
  return Object.keys(kept).length === 0 ? { $ref: $ref! } : { ...kept, allOf: [{ $ref: $ref! }] };
}

function prefixedId(id: string, place: SchemaPlace): string {
  if (id.startsWith('#')) return id;
  const fragment = id.slice(withoutFragment(id).length);
  return prefixed(place.base) + fragment;
}

function prefixedReference(reference: string, place: SchemaPlace): string {
  const inner = reference.startsWith('#/') ? intoResource(reference.slice(1), place) : undefined;
  if (inner !== undefined) return inner;
  if (reference.startsWith('#')) return reference;
  const target = resolveUri(reference, place.base);
  if (target === undefined) return reference;
  return isMetaSchema(target) ? target : prefixed(target);
}

/** Converts a pointer from a resource into a part with an `$id` to a reference to that part. */
function intoResource(pointer: string, place: SchemaPlace): string | undefined {
  if (!POINTER_PATTERN.test(pointer)) return undefined;
  let found: JsonValue | undefined = place.resource;
  let base = place.base;
  let rest: string[] = [];
  for (const segment of pointerSegments(decoded(pointer))) {
    found = Array.isArray(found)
      ? found[Number(segment)]
      : isJsonObject(found) && Object.hasOwn(found, segment)
        ? found[segment]
        : undefined;
    rest.push(segment);
    const id = isJsonObject(found) ? found['$id'] : undefined;
    if (typeof id === 'string' && !id.startsWith('#')) {
      base = withoutFragment(resolveUri(id, base) ?? base);
      rest = [];
    }
  }
  if (base === place.base || found === undefined) return undefined;
  return `${prefixed(base)}#${encodeURI(pointerOf(rest))}`;
}

function prefixed(uri: string): string {
  return uri.startsWith(PREFIX) || isMetaSchema(uri) ? uri : PREFIX + uri;
}
