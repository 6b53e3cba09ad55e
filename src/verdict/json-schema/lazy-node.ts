import type { JsonNode } from '@hyperjump/json-schema/instance/experimental';
import { isJsonObject, type JsonValue } from '../../json/json.ts';

type NodeType = JsonNode['type'];

/**
 * A value as the validator traverses it. The validator's own nodes are all created at once and kept, which takes 1.4 GB
 * for a value of 100 MB; these are created on demand and not kept.
 */
export class LazyNode {
  readonly baseUri = '';
  readonly type: NodeType;
  readonly value: JsonValue | undefined;
  readonly parent: LazyNode | undefined;
  /** Key or index in the parent; for a key's own node, the key. */
  readonly key: string | number;
  /** True for the node of a key itself, which `propertyNames` judges. */
  readonly isKey: boolean;

  constructor(
    value: JsonValue | undefined,
    type: NodeType,
    parent?: LazyNode,
    key: string | number = '',
    isKey = false,
  ) {
    this.value = value;
    this.type = type;
    this.parent = parent;
    this.key = key;
    this.isKey = isKey;
  }

  get children(): LazyNode[] {
    const { value } = this;
    if (this.type === 'property') {
      const { parent, key } = this;
      const held = (parent!.value as Record<string, JsonValue>)[key]!;
      return [new LazyNode(String(key), 'string', this, key, true), new LazyNode(held, typeOf(held), this, key)];
    }
    if (Array.isArray(value)) return value.map((item, index) => new LazyNode(item, typeOf(item), this, index));
    if (isJsonObject(value)) return Object.keys(value).map((key) => new LazyNode(undefined, 'property', this, key));
    return [];
  }

  /** Keys and indices from the root. A key's own node has the same path as its value. */
  get path(): Array<string | number> {
    const { parent, key, type } = this;
    if (parent === undefined) return [];
    if (type !== 'property' && parent.type === 'property') return parent.path;
    return [...parent.path, key];
  }
}

/** The root node of a value, as the validator's type. */
export function nodeOf(value: JsonValue): JsonNode {
  return new LazyNode(value, typeOf(value)) as unknown as JsonNode;
}

/** JSON Schema's name for the type of a value; every number is `number`. */
export function typeOf(value: JsonValue): Exclude<NodeType, 'property'> {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'object' | 'string' | 'number' | 'boolean';
}
