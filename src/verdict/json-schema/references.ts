import { POINTER_PATTERN } from '../../json/pointer.ts';
import { nearest, quoted } from '../../pipeline/problem.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { valueAt } from '../../json/json-pointer.ts';
import type { ContractProblem } from '../verdict.ts';
import { pointerOfPlace, resolveUri, withoutFragment, type SchemaPlace } from './walk.ts';

/** The drafts' own meta-schemas, which a schema may refer to. */
const META_SCHEMA =
  /^(?:https:\/\/json-schema\.org\/draft\/2020-12\/(?:schema|meta\/[a-z-]+)|http:\/\/json-schema\.org\/draft-07\/schema)(?:#.*)?$/s;

/** True for the URI of something in one of the drafts' meta-schemas. */
export function isMetaSchema(uri: string): boolean {
  return META_SCHEMA.test(uri);
}

/** Reference targets: resources by URI, and named places in them. */
interface Targets {
  readonly resources: Map<string, JsonObject>;
  readonly anchors: Set<string>;
}

/** References to missing targets (`CONTRACT_REF_MISSING`) or outside the schema (`CONTRACT_REF_OUTSIDE`). */
export function checkReferences(places: readonly SchemaPlace[]): ContractProblem[] {
  const targets = targetsOf(places);
  return places.flatMap((place) =>
    ['$ref', '$dynamicRef'].flatMap((keyword) => {
      const reference = place.schema[keyword];
      if (typeof reference !== 'string' || (keyword === '$dynamicRef' && place.draft === 'draft-07')) return [];
      const problem = checkReference(reference, place.base, targets);
      return problem === undefined ? [] : [{ ...problem, pointer: pointerOfPlace(place, keyword) }];
    }),
  );
}

function targetsOf(places: readonly SchemaPlace[]): Targets {
  const targets: Targets = { resources: new Map(), anchors: new Set() };
  for (const { base, resource, schema } of places) {
    targets.resources.set(base, resource);
    const { $anchor, $dynamicAnchor, $id } = schema;
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === 'string') targets.anchors.add(`${base}#${anchor}`);
    }
    if (typeof $id === 'string' && $id.includes('#')) targets.anchors.add(`${base}#${$id.slice($id.indexOf('#') + 1)}`);
  }
  return targets;
}

function checkReference(
  reference: string,
  base: string,
  targets: Targets,
): Omit<ContractProblem, 'pointer'> | undefined {
  const target = resolveUri(reference, base);
  if (target !== undefined && isMetaSchema(target)) return undefined;
  const resource = target === undefined ? undefined : targets.resources.get(withoutFragment(target));
  if (target === undefined || resource === undefined) {
    return {
      code: 'CONTRACT_REF_OUTSIDE',
      message: `${quoted(reference)} is outside this schema, and nothing is ever fetched`,
      hint: 'put what it names under `$defs` and write `#/$defs/…`',
    };
  }
  const fragment = decoded(target.slice(withoutFragment(target).length + 1));
  if (fragment === '' || targets.anchors.has(`${withoutFragment(target)}#${fragment}`)) return undefined;
  if (fragment.startsWith('/') && POINTER_PATTERN.test(fragment) && valueAt(resource, fragment) !== undefined)
    return undefined;
  const meant = suggestion(resource, fragment);
  const message = `${quoted(reference)} names nothing in this schema`;
  return {
    code: 'CONTRACT_REF_MISSING',
    message,
    ...(meant === undefined ? {} : { hint: `did you mean ${quoted(meant)}?` }),
  };
}

/** A URI's fragment without percent encoding; unchanged if the encoding is invalid. */
export function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function suggestion(resource: JsonObject, fragment: string): string | undefined {
  const candidates = ['$defs', 'definitions'].flatMap((holder) => {
    const defs = resource[holder];
    return isJsonObject(defs) ? Object.keys(defs).map((name) => `#/${holder}/${name}`) : [];
  });
  return nearest(`#${fragment}`, candidates);
}
