import { pointerOf } from '../../json/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { draftOf, shapeOf, type Draft } from './keywords.ts';

/** A schema inside a schema. */
export interface SchemaPlace {
  readonly schema: JsonObject;
  readonly draft: Draft;
  /** Keys and indices that lead to it from the root. */
  readonly path: ReadonlyArray<string | number>;
  /** URI against which its references resolve, its own `$id` included. */
  readonly base: string;
  /** The part of the schema that has this base: the root, or the nearest one with an `$id`. */
  readonly resource: JsonObject;
  readonly resourcePath: ReadonlyArray<string | number>;
}

/**
 * Call `visit` for every schema in a schema, each after those inside it. Only places that contain a schema are visited,
 * so a property called `enum` or an example that looks like a schema is not treated as one. Boolean schemas have
 * nothing to visit.
 */
export function walkSchemas(root: JsonValue, draft: Draft, base: string, visit: (place: SchemaPlace) => void): void {
  if (!isJsonObject(root)) return;
  const at = { schema: root, draft, path: [], base, resource: root, resourcePath: [] };
  enter({ ...at, ...ownResource(at) }, visit);
}

function enter(place: SchemaPlace, visit: (place: SchemaPlace) => void): void {
  const open = (child: JsonValue | undefined, ...keys: Array<string | number>): void => {
    if (!isJsonObject(child)) return;
    const inner = { ...place, schema: child, path: [...place.path, ...keys] };
    enter({ ...inner, ...ownResource(inner) }, visit);
  };
  for (const [keyword, value] of Object.entries(place.schema)) {
    const shape = shapeOf(keyword, place.draft);
    if (Array.isArray(value) && (shape === 'list' || shape === 'either')) {
      value.forEach((child, index) => open(child, keyword, index));
    } else if (shape === 'schema' || shape === 'either') {
      open(value, keyword);
    } else if (isJsonObject(value) && (shape === 'map' || shape === 'mixed')) {
      for (const [name, child] of Object.entries(value)) open(child, keyword, name);
    }
  }
  visit(place);
}

/** What changes for a schema with its own `$id` or `$schema`. */
function ownResource(place: SchemaPlace): Partial<SchemaPlace> {
  const { $id, $schema, $ref } = place.schema;
  const draft = typeof $schema === 'string' ? (draftOf($schema) ?? place.draft) : place.draft;
  if (typeof $id !== 'string' || $id.startsWith('#')) return { draft };
  // draft-07: everything next to a `$ref` is ignored, `$id` too.
  if (draft === 'draft-07' && typeof $ref === 'string' && place.path.length > 0) return { draft };
  const base = withoutFragment(resolveUri($id, place.base) ?? place.base);
  return { draft, base, resource: place.schema, resourcePath: place.path };
}

/** A reference resolved against a base (RFC 3986 §5); `undefined` if that is not possible. */
export function resolveUri(reference: string, base: string): string | undefined {
  return URL.parse(reference, base)?.href;
}

/** A URI without its fragment. */
export function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/s, '');
}

/** The JSON pointer of a place. */
export function pointerOfPlace(place: Pick<SchemaPlace, 'path'>, ...keys: Array<string | number>): string {
  return pointerOf([...place.path, ...keys]);
}
