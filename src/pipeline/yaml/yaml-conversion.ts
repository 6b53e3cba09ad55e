import { isAlias, isMap, isScalar, isSeq, visit, type Alias, type Document, type Node, type YAMLMap } from 'yaml';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { quoted } from '../problem.ts';
import type { ProblemDetails } from '../source.ts';

/** Maximum number of values in a file, including those repeated by aliases: stops an alias bomb. */
export const MAX_SOURCE_VALUES = 100_000;
/** How deep maps and lists may nest. */
export const MAX_SOURCE_DEPTH = 64;

/** Position of an entry: offsets of its key and its value in the text, and the value's node. */
export interface Spot {
  readonly key: number;
  readonly value: number;
  readonly node: Node | null;
}

/** Data that a conversion collects. */
export interface ConversionSinks {
  /** Receives the position of every value, by JSON pointer. */
  readonly spots: Map<string, Spot>;
  readonly report: (offset: number, pointer: string, details: ProblemDetails) => void;
  readonly lineOf: (offset: number) => number;
}

/** Converts a parsed YAML document into a JSON value. Objects have no prototype. */
export class YamlConversion {
  readonly #document: Document.Parsed;
  readonly #sinks: ConversionSinks;
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #open = new Set<Node>();
  #values = 0;

  constructor(document: Document.Parsed, sinks: ConversionSinks) {
    this.#document = document;
    this.#sinks = sinks;
    this.#targets = aliasTargets(document);
  }

  /** The value; `undefined` if it is too large. */
  run(): JsonValue | undefined {
    const value = this.#convert(this.#document.contents, '', 0, 0);
    return this.#values > MAX_SOURCE_VALUES ? undefined : value;
  }

  #convert(node: Node | null, pointer: string, keyAt: number, depth: number): JsonValue {
    const at = node?.range?.[0] ?? keyAt;
    this.#values += 1;
    if (this.#values > MAX_SOURCE_VALUES) {
      if (this.#values === MAX_SOURCE_VALUES + 1) this.#sinks.report(at, pointer, TOO_MANY_VALUES);
      return null;
    }
    if (depth > MAX_SOURCE_DEPTH) {
      this.#sinks.report(at, pointer, TOO_DEEP);
      return null;
    }
    if (isAlias(node)) return this.#follow(node, pointer, keyAt, depth);
    this.#sinks.spots.set(pointer, { key: pointer === '' ? at : keyAt, value: at, node });
    if (node === null) return null;
    if (isScalar(node)) return this.#scalar(node.value, at, pointer);
    this.#open.add(node);
    const value = isMap(node) ? this.#map(node, pointer, depth) : this.#list(node, pointer, depth);
    this.#open.delete(node);
    return value;
  }

  #follow(alias: Alias, pointer: string, keyAt: number, depth: number): JsonValue {
    const at = alias.range?.[0] ?? keyAt;
    const target = this.#targets.get(alias);
    if (target !== undefined && !this.#open.has(target)) return this.#convert(target, pointer, keyAt, depth);
    this.#sinks.spots.set(pointer, { key: keyAt, value: at, node: alias });
    const name = quoted(`*${alias.source}`);
    const why = target === undefined ? 'no anchor of that name is defined before it' : 'it is inside its own anchor';
    const hint = /[*/.]/.test(alias.source) ? 'put a glob that begins with `*` in quotes' : undefined;
    this.#sinks.report(at, pointer, { code: 'YAML_ALIAS', message: `alias ${name}: ${why}`, hint });
    return null;
  }

  #scalar(value: unknown, at: number, pointer: string): JsonValue {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) this.#sinks.report(at, pointer, NOT_UNICODE);
      return value;
    }
    if (typeof value !== 'number') return value === true || value === false ? value : null;
    if (!Number.isFinite(value)) {
      const message = `${value} is not a JSON value`;
      this.#sinks.report(at, pointer, { code: 'VALUE_INVALID', message, hint: 'put it in quotes if you mean text' });
      return null;
    }
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      const message = `a whole number this large loses digits: it is read as ${value}`;
      const hint = 'put it in quotes';
      this.#sinks.report(at, pointer, { severity: 'warning', code: 'NUMBER_CHANGED', message, hint });
    }
    return Object.is(value, -0) ? 0 : value;
  }

  #list(node: Node, pointer: string, depth: number): JsonValue[] {
    const items = isSeq(node) ? (node.items as Node[]) : [];
    return items.map((item, index) => this.#convert(item, `${pointer}/${index}`, item?.range?.[0] ?? 0, depth + 1));
  }

  #map(node: YAMLMap, pointer: string, depth: number): JsonObject {
    const object = Object.create(null) as JsonObject;
    const seen = new Map<string, number>();
    for (const { key, value } of node.items as { key: Node | null; value: Node | null }[]) {
      const named = isAlias(key) ? this.#targets.get(key) : key;
      const name = isScalar(named) ? String(named.value) : '';
      const at = key?.range?.[0] ?? node.range?.[0] ?? 0;
      const here = pointer + pointerOf([name]);
      const refusal = this.#refusedKey(name, seen.get(name));
      if (refusal === undefined) {
        seen.set(name, at);
        object[name] = this.#convert(value, here, at, depth + 1);
      } else {
        this.#sinks.report(at, here, refusal);
      }
    }
    return object;
  }

  #refusedKey(name: string, before: number | undefined): ProblemDetails | undefined {
    if (before !== undefined) {
      const message = `key ${quoted(name)} appears twice; the first is on line ${this.#sinks.lineOf(before)}`;
      return { code: 'KEY_DUPLICATE', message };
    }
    if (name === '<<') return MERGE_KEY;
    if (name === '__proto__') return { code: 'KEY_RESERVED', message: 'the key `__proto__` is not allowed' };
    return name.isWellFormed() ? undefined : NOT_UNICODE;
  }
}

const TOO_MANY_VALUES: ProblemDetails = {
  code: 'FILE_TOO_LARGE',
  message: `the file has more than ${MAX_SOURCE_VALUES} values, including those that aliases repeat`,
};
const TOO_DEEP: ProblemDetails = {
  code: 'FILE_TOO_DEEP',
  message: `maps and lists are nested more than ${MAX_SOURCE_DEPTH} deep`,
};
const NOT_UNICODE: ProblemDetails = {
  code: 'TEXT_INVALID',
  message: 'half a surrogate pair is not a character',
  hint: 'write the character itself, or both halves of its escape',
};
const MERGE_KEY: ProblemDetails = {
  code: 'YAML_MERGE',
  message: 'the merge key `<<` is not part of YAML 1.2, and GitHub does not support it either',
  hint: 'use an alias for a whole value, or write the keys out',
};

/** The node of each alias: the last one before it with the anchor. */
function aliasTargets(document: Document.Parsed): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) {
        anchors.set(node.anchor, node);
      }
    },
  });
  return targets;
}
