import type { ErrorObject } from 'ajv';
import { closestWord, didYouMean } from '../json/did-you-mean.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import { decodeFragment, listSchemas, resolvePointer } from './schema-keywords.ts';
import { countOf, cutText, listNames, valueText } from './texts.ts';
import { MAX_ISSUES, type Issue } from './verdict.ts';

/** Errors of ajv that are explained; further ones are only counted. */
const MAX_ERRORS = 10_000;

/** An error of ajv in words. */
interface Failure {
  readonly keyword: string;
  /** JSON pointer to the value. */
  readonly pointer: string;
  /** JSON pointer into the schema. */
  readonly rule: string;
  /** The schema that holds the keyword. */
  readonly schema: unknown;
  readonly text: string;
}

/** The errors of ajv (options `allErrors` and `verbose`) in plain words, each once; at most {@link MAX_ISSUES}. */
export function explainErrors(errors: readonly ErrorObject[], root: JsonValue): Issue[] {
  const failures: Failure[] = [];
  for (const error of errors.slice(0, MAX_ERRORS)) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      failures.push(...explainAlternatives(error, takeBranches(error, failures, error.schema as JsonValue[], root)));
    } else if (error.keyword === 'contains') {
      takeBranches(error, failures, [error.schema as JsonValue], root);
      failures.push(toFailure(error));
    } else if (error.keyword !== 'if' && error.keyword !== 'propertyNames') failures.push(toFailure(error));
  }
  // A value that ajv refuses never counts as valid, even if all its errors were skipped above.
  if (failures.length === 0) return [{ severity: 'error', message: 'the output: does not meet the schema' }];
  const issues = [...new Map(failures.map((failure) => [failure.pointer + failure.text, toIssue(failure)])).values()];
  const excess = issues.length - MAX_ISSUES + errors.slice(MAX_ERRORS).length;
  if (excess <= 0) return issues;
  return [...issues.slice(0, MAX_ISSUES - 1), { severity: 'error', message: `${excess + 1} more problems` }];
}

function toIssue({ pointer, rule, text }: Failure): Issue {
  const where = pointer === '' ? 'the output' : cutText(pointer, 1_000);
  const message = cutText(`${where}: ${text}`, 4_096);
  return { severity: 'error', message, pointer: cutText(pointer, 4_096), rule: cutText(rule, 4_096) };
}

function toFailure(error: ErrorObject): Failure {
  const key: unknown = error.params['additionalProperty'] ?? error.params['unevaluatedProperty'] ?? error.propertyName;
  const pointer = error.instancePath + (typeof key === 'string' ? pointerOf([key]) : '');
  const { keyword, parentSchema: schema } = error;
  return { keyword, pointer, schema, rule: decodeFragment(error.schemaPath), text: explainKeyword(error) };
}

/**
 * Removes the failures of the alternatives from the end of the list, and returns them by alternative: ajv reports them,
 * one alternative after the other, before the error of `anyOf`, `oneOf` or `contains`.
 */
function takeBranches(error: ErrorObject, failures: Failure[], branches: readonly JsonValue[], root: JsonValue) {
  const schemas = branches.map((branch) => reachableSchemas(branch, root));
  const groups = branches.map((): Failure[] => []);
  let branch = branches.length - 1;
  for (let last = failures.at(-1); last?.pointer.startsWith(error.instancePath); last = failures.at(-1)) {
    const { schema } = last;
    branch = schemas.findLastIndex((parts, index) => index <= branch && parts.has(schema));
    if (branch < 0) break;
    groups[branch]!.push(failures.pop()!);
  }
  return groups.map((group) => group.reverse());
}

const reachableBySchema = new WeakMap<object, ReadonlySet<unknown>>();

/** A schema, all schemas in it, and all that they refer to. */
function reachableSchemas(schema: JsonValue, root: JsonValue): ReadonlySet<unknown> {
  const known = isJsonObject(schema) ? reachableBySchema.get(schema) : undefined;
  if (known !== undefined) return known;
  const parts = new Set<unknown>();
  const pending = [schema];
  for (const next of pending) {
    for (const { schema: part } of listSchemas(next)) {
      if (!isJsonObject(part) || parts.has(part)) continue;
      parts.add(part);
      const target = typeof part['$ref'] === 'string' ? resolvePointer(root, part['$ref']) : undefined;
      if (target !== undefined) pending.push(target);
    }
  }
  if (isJsonObject(schema)) reachableBySchema.set(schema, parts);
  return parts;
}

function explainAlternatives(error: ErrorObject, branches: readonly Failure[][]): Failure[] {
  const whole = toFailure(error);
  const passing = (error.params['passingSchemas'] ?? []) as readonly number[];
  if (passing.length > 1) {
    const matches = passing.map((index) => `#${index + 1}`).join(' and ');
    return [{ ...whole, text: `must match exactly one of ${branches.length} alternatives, matches ${matches}` }];
  }
  const kinds = explainKinds(branches, whole.pointer);
  if (kinds !== undefined) return [{ ...whole, text: kinds }];
  const ranks = branches.map((branch) => rankBranch(branch, whole.pointer));
  const closest = ranks.indexOf(Math.min(...ranks));
  const details = branches[closest] ?? [];
  const note = branches.length === 1 ? '' : ` (alternative #${closest + 1} of ${branches.length} is the closest)`;
  if (details.length === 1) return [{ ...details[0]!, text: details[0]!.text + note }];
  return [{ ...whole, text: `matches none of the alternatives${details.length === 0 ? '' : note}` }, ...details];
}

const KINDS: readonly string[] = ['type', 'const', 'enum'];

/** `must be a string or null, is 12`, if all alternatives fail only by the kind of the value itself; else undefined. */
function explainKinds(branches: readonly Failure[][], pointer: string): string | undefined {
  const parts = branches.map(([failure, ...more]) => {
    const isKind =
      failure !== undefined && more.length === 0 && failure.pointer === pointer && KINDS.includes(failure.keyword);
    return isKind ? /^must be (.*), is (.*?)(?:; did you mean .*)?$/s.exec(failure.text) : null;
  });
  if (parts.length === 0 || parts.includes(null)) return undefined;
  return `must be ${[...new Set(parts.map((part) => part![1]))].join(' or ')}, is ${parts[0]![2]}`;
}

/**
 * How unlikely it is that the author meant this alternative. Lowest where the kind of the value fits, then where its
 * discriminator fits, then where few failures are left.
 */
function rankBranch(branch: readonly Failure[], pointer: string): number {
  if (branch.length === 0) return Infinity;
  const kinds = branch
    .filter(({ keyword }) => KINDS.includes(keyword))
    .map((failure) => failure.pointer.slice(pointer.length));
  const kind = kinds.includes('') ? 2 : kinds.some((path) => path.lastIndexOf('/') === 0) ? 1 : 0;
  return kind * MAX_ERRORS + branch.length;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};
const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
};
const SIZES: Readonly<Record<string, string>> = { Length: 'character', Items: 'item', Properties: 'key' };

/** The predicate of a message, whose subject is the pointer: `must be at least 3, is 2`. */
function explainKeyword(error: ErrorObject): string {
  const { keyword, params } = error;
  const [value, expected] = [error.data, error.schema] as [JsonValue, JsonValue];
  const parent = error.parentSchema as JsonObject;
  const subject = error.propertyName === undefined ? '' : 'the key itself ';
  const is = `is ${valueText(value)}`;
  const [, bound, size] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (size !== undefined) {
    const limit = countOf(Number(expected), SIZES[size]!);
    return `${subject}must have at ${bound === 'min' ? 'least' : 'most'} ${limit}, has ${sizeOf(value)}`;
  }
  if (keyword in BOUNDS) return `${subject}must be ${BOUNDS[keyword]} ${valueText(expected)}, ${is}`;
  switch (keyword) {
    case 'type': {
      const types = [expected].flat().map((type) => TYPES[String(type)] ?? String(type));
      return `must be ${listNames(types, 8, 'or')}, ${is}`;
    }
    case 'enum':
    case 'const':
      return subject + explainChoice(keyword === 'enum' ? (expected as JsonValue[]) : [expected], value, is);
    case 'pattern':
    case 'format':
      return `${subject}must ${keyword === 'format' ? 'have' : 'match'} the ${keyword} \`${cutText(String(expected), 60)}\`, ${is}`;
    case 'required':
      return explainMissing(String(params['missingProperty']), value as JsonObject, expected as string[]);
    case 'dependentRequired':
    case 'dependencies':
      return `lacks \`${params['missingProperty']}\`, which \`${params['property']}\` needs`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'false schema': {
      const names = isJsonObject(parent['properties']) ? Object.keys(parent['properties']) : [];
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty'] ?? '');
      const hint = didYouMean(key, names.slice(0, 500));
      return `is not allowed here${hint === undefined ? '' : `; ${hint}`}`;
    }
    case 'items':
    case 'additionalItems':
      return `must have at most ${countOf(Number(params['limit']), 'item')}, has ${sizeOf(value)}`;
    case 'uniqueItems':
      return 'must not contain an item twice';
    case 'contains': {
      const most = params['maxContains'] === undefined ? '' : ` and at most ${params['maxContains']}`;
      return `must have at least ${params['minContains']}${most} of the items that \`contains\` asks for`;
    }
    case 'not':
      return 'must not match the schema of `not`';
    default:
      return `does not meet \`${keyword}\``;
  }
}

function explainChoice(choices: readonly JsonValue[], value: JsonValue, is: string): string {
  const texts = choices.map((choice) => cutText(JSON.stringify(choice), 60));
  const strings = choices.filter((choice) => typeof choice === 'string');
  const similar = typeof value === 'string' && choices.length > 1 ? closestWord(value, strings) : undefined;
  const hint = similar === undefined ? '' : `; did you mean ${JSON.stringify(similar)}?`;
  return `must be ${choices.length === 1 ? '' : 'one of '}${listNames(texts, 8, 'or')}, ${is}${hint}`;
}

function explainMissing(key: string, value: JsonObject, required: readonly string[]): string {
  const similar = closestWord(key, Object.keys(value).slice(0, 500));
  return `lacks \`${key}\`${similar === undefined || required.includes(similar) ? '' : ` (there is \`${similar}\`)`}`;
}

function sizeOf(value: JsonValue): number {
  return typeof value === 'string' ? [...value].length : Object.keys(value as object).length;
}
