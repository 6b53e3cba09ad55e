import { pointerSegments } from '../../json/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { valueAt } from '../../json/json-pointer.ts';
import type { PreparedSchema } from './prepare.ts';
import { decoded } from './references.ts';
import { withoutFragment } from './walk.ts';

/** A rule of a schema, found again by its URI. */
export interface Rule {
  /** JSON pointer into the schema as it was written; for a rule of a meta-schema, its URI. */
  readonly pointer: string;
  /** The keyword, or the last part of the way to a schema that is `false`. */
  readonly keyword: string;
  /** The keyword's value; `undefined` where it cannot be told. */
  readonly value: JsonValue | undefined;
  /** The schema that the keyword stands in. */
  readonly schema: JsonObject;
}

/** A document in which rules are looked up, and the pointer at which it stands in the whole. */
interface Document {
  readonly root: unknown;
  readonly pointer: string | undefined;
}

/** Finds rules by the URIs that the validator gives them. */
export class RuleBook {
  readonly #documents = new Map<string, Document>();

  /** Take in the schemas of a contract. */
  addPrepared(prepared: PreparedSchema): void {
    for (const [uri, pointer] of prepared.resources) {
      this.#documents.set(withoutFragment(uri), { root: valueAt(prepared.schema, pointer), pointer });
    }
  }

  /** Take in a meta-schema, whose rules are known by their URI alone. */
  addMeta(uri: string, root: unknown): void {
    this.#documents.set(uri, { root, pointer: undefined });
  }

  /** The rule of that URI. */
  find(uri: string): Rule {
    const base = withoutFragment(uri);
    const inner = decoded(uri.slice(base.length + 1));
    const document = this.#documents.get(base);
    const pointer = document?.pointer === undefined ? uri : document.pointer + inner;
    const root = (document?.root ?? null) as JsonValue;
    const keyword = pointerSegments(inner).at(-1) ?? '';
    const schema = valueAt(root, inner.slice(0, Math.max(0, inner.lastIndexOf('/'))));
    const value = valueAt(root, inner);
    return { pointer, keyword, value, schema: isJsonObject(schema) ? schema : {} };
  }
}
