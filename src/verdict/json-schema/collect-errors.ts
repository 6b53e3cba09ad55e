import type { EvaluationPlugin, ValidationContext } from '@hyperjump/json-schema/experimental';
import type { JsonValue } from '../../json/json.ts';
import type { LazyNode } from './lazy-node.ts';

/** A rule that part of the value breaks. */
export interface BrokenRule {
  /** URI of the rule: of a keyword's value, or of a schema that is `false`. */
  readonly rule: string;
  readonly path: ReadonlyArray<string | number>;
  readonly value: JsonValue;
  /** The rule applies to the key, not to its value. */
  readonly onKey: boolean;
  /** The errors of each alternative (`anyOf`, `oneOf`), in order. */
  readonly branches: readonly Branch[];
}

/** One alternative of several. */
export interface Branch {
  readonly valid: boolean;
  readonly errors: readonly BrokenRule[];
}

/** Broken rules of one schema: the first of them, and their number. */
interface ErrorList {
  readonly errors: BrokenRule[];
  total: number;
  /** Present if several schemas are tried and some of them may fail. */
  readonly branches?: Branch[];
  /** How many of `errors` belong to completed branches. */
  assigned: number;
}

/** For each schema, errors beyond this number are only counted. */
const KEPT = 100;
const ALTERNATIVES = new Set(['https://json-schema.org/keyword/anyOf', 'https://json-schema.org/keyword/oneOf']);
/** draft-07: a list of names for some keys, a schema for others. */
const DEPENDENCIES = 'https://json-schema.org/keyword/draft-04/dependencies';

type Context = ValidationContext & { gatelineErrors?: ErrorList };
type SchemaNode = Parameters<NonNullable<EvaluationPlugin<Context>['afterKeyword']>>[0];

/**
 * Collects errors while the validator runs, with a limit at every level, so that a list of a million wrong items costs
 * no more than one of a hundred. Keywords that only apply other schemas pass on the errors of those.
 */
export class ErrorCollector implements EvaluationPlugin<Context> {
  readonly id = 'https://gateline.invalid/plugins/errors';
  #root: ErrorList | undefined;

  beforeKeyword(node: SchemaNode, _instance: unknown, context: Context): void {
    if (ALTERNATIVES.has(node[0])) context.gatelineErrors = { errors: [], total: 0, branches: [], assigned: 0 };
  }

  afterKeyword(
    node: SchemaNode,
    instance: unknown,
    context: Context,
    valid: boolean,
    schemaContext: Context,
    keyword: { readonly simpleApplicator?: boolean },
  ): void {
    if (valid) return;
    const inner = context.gatelineErrors;
    const applies = keyword.simpleApplicator === true || (node[0] === DEPENDENCIES && inner !== undefined);
    if (!applies) add(listOf(schemaContext), node[1], instance as LazyNode, inner?.branches ?? []);
    else if (inner !== undefined) handOn(inner, listOf(schemaContext));
  }

  afterSchema(url: string, instance: unknown, context: Context, valid: boolean): void {
    if (context.ast[url] === false) add(listOf(context), url, instance as LazyNode, []);
    const list = context.gatelineErrors;
    if (list?.branches !== undefined && list.branches.length < KEPT) {
      list.branches.push({ valid, errors: list.errors.slice(list.assigned) });
      list.assigned = list.errors.length;
    }
    this.#root = list;
  }

  /** The errors of the last run. */
  get found(): { readonly errors: readonly BrokenRule[]; readonly total: number } {
    return this.#root ?? { errors: [], total: 0 };
  }
}

function listOf(context: Context): ErrorList {
  return (context.gatelineErrors ??= { errors: [], total: 0, assigned: 0 });
}

function add(list: ErrorList, rule: string, node: LazyNode, branches: readonly Branch[]): void {
  list.total += 1;
  if (list.errors.length >= KEPT) return;
  list.errors.push({ rule, path: node.path, value: node.value ?? null, onKey: node.isKey, branches });
}

function handOn(from: ErrorList, to: ErrorList): void {
  to.total += from.total;
  for (const error of from.errors) {
    if (to.errors.length >= KEPT) return;
    to.errors.push(error);
  }
}
