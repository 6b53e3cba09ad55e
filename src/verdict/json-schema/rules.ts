import { pointerSegments } from '../../json/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { valueAt } from '../../json/json-pointer.ts';
import type { PreparedSchema } from './prepare.ts';
import { decoded } from './references.ts';
import { withoutFragment } from './walk.ts';

/** A rule of a schema, looked up by its URI. */
export interface Rule {
  /** JSON pointer into the schema as written; for a rule of a meta-schema, its URI. */
  readonly pointer: string;
  /** The keyword, or the last path segment of a schema that is `false`. */
  readonly keyword: string;
  /** The keyword's value; `undefined` if it is unknown. */
  readonly value: JsonValue | undefined;
  /** The schema that contains the keyword. */
  readonly schema: JsonObject;
}

/** A document in which rules are looked up, and its pointer in the whole. */
interface Document {
  readonly root: unknown;
  readonly pointer: string | undefined;
}

/** Finds rules by the URIs that the validator gives them. */
export class RuleBook {
  readonly #documents = new Map<string, Document>();

  /** Add the schemas of a contract. */
  addPrepared(prepared: PreparedSchema): void {
    for (const [uri, pointer] of prepared.resources) {
      this.#documents.set(withoutFragment(uri), { root: valueAt(prepared.schema, pointer), pointer });
    }
  }

  /** Add a meta-schema, whose rules are identified only by their URI. */
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
