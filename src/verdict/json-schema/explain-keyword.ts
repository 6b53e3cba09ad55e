import { nearest, quoted } from '../../pipeline/problem.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { counted, listed, ruleValue, shortValue } from '../value-texts.ts';
import type { BrokenRule } from './collect-errors.ts';
import type { Rule } from './rules.ts';

/** A value that broke a rule, and the rule. */
interface Case {
  readonly value: JsonValue;
  readonly wanted: JsonValue | undefined;
  readonly rule: Rule;
  readonly path: ReadonlyArray<string | number>;
}

/** The error of a value against one rule, to be read after its place: "must be at least 3, is 2". */
export function explainKeyword(error: BrokenRule, rule: Rule): string {
  const value = error.value;
  const explainer = Object.hasOwn(EXPLAINERS, rule.keyword) ? EXPLAINERS[rule.keyword] : undefined;
  const known = explainer?.({ value, wanted: rule.value, rule, path: error.path });
  const text =
    known ?? (rule.value === false ? notAllowed(error, rule) : undefined) ?? `does not meet \`${rule.keyword}\``;
  return error.onKey ? `the key itself ${text}` : text;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const EXPLAINERS: Readonly<Record<string, (at: Case) => string | undefined>> = {
  type: ({ value, wanted }) => {
    const types = (Array.isArray(wanted) ? wanted : [wanted]).map((type) => TYPES[plain(type)] ?? plain(type));
    return `must be ${listed(types, 'or')}, is ${shortValue(value)}`;
  },
  enum: explainEnum,
  const: ({ value, wanted }) =>
    wanted === undefined ? undefined : `must be ${ruleValue(wanted)}, is ${shortValue(value)}`,
  minimum: ({ value, wanted }) => `must be at least ${plain(wanted)}, is ${shortValue(value)}`,
  maximum: ({ value, wanted }) => `must be at most ${plain(wanted)}, is ${shortValue(value)}`,
  exclusiveMinimum: ({ value, wanted }) => `must be more than ${plain(wanted)}, is ${shortValue(value)}`,
  exclusiveMaximum: ({ value, wanted }) => `must be less than ${plain(wanted)}, is ${shortValue(value)}`,
  multipleOf: ({ value, wanted }) => `must be a multiple of ${plain(wanted)}, is ${shortValue(value)}`,
  minLength: ({ value, wanted }) =>
    `must have at least ${counted(Number(wanted), 'character')}, has ${lengthOf(value)}`,
  maxLength: ({ value, wanted }) => `must have at most ${counted(Number(wanted), 'character')}, has ${lengthOf(value)}`,
  pattern: ({ value, wanted }) => `must match the pattern ${quoted(plain(wanted))}, is ${shortValue(value)}`,
  format: ({ value, wanted }) => `must have the format ${quoted(plain(wanted))}, is ${shortValue(value)}`,
  minItems: ({ value, wanted }) => `must have at least ${counted(Number(wanted), 'item')}, has ${lengthOf(value)}`,
  maxItems: ({ value, wanted }) => `must have at most ${counted(Number(wanted), 'item')}, has ${lengthOf(value)}`,
  uniqueItems: ({ value }) => `must not contain an item twice${firstTwice(value)}`,
  contains: explainContains,
  minProperties: ({ value, wanted }) => `must have at least ${counted(Number(wanted), 'key')}, has ${lengthOf(value)}`,
  maxProperties: ({ value, wanted }) => `must have at most ${counted(Number(wanted), 'key')}, has ${lengthOf(value)}`,
  required: explainRequired,
  dependentRequired: explainDependent,
  dependencies: explainDependent,
  not: () => 'must not match the schema of `not`',
};

function explainEnum({ value, wanted }: Case): string | undefined {
  if (!Array.isArray(wanted)) return undefined;
  const texts = wanted.filter((item) => typeof item === 'string');
  const meant = typeof value === 'string' ? nearest(value, texts) : undefined;
  const one = wanted.length === 1 ? '' : 'one of ';
  const choices = listed(
    wanted.map((item) => ruleValue(item)),
    'or',
  );
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return `must be ${one}${choices}, is ${shortValue(value)}${hint}`;
}

function explainContains({ value, rule }: Case): string {
  const { minContains, maxContains } = rule.schema;
  const least = typeof minContains === 'number' ? minContains : 1;
  const most = typeof maxContains === 'number' ? ` and at most ${maxContains}` : '';
  return `must have at least ${least}${most} of the items that \`contains\` asks for, has ${counted(lengthOf(value), 'item')}`;
}

function explainRequired({ value, wanted }: Case): string | undefined {
  if (!Array.isArray(wanted) || !isJsonObject(value)) return undefined;
  const keys = Object.keys(value);
  const lacking = wanted.map(String).filter((key) => !Object.hasOwn(value, key));
  const named = lacking.map((key) => {
    const like = nearest(key, keys.slice(0, 500));
    return like === undefined || wanted.includes(like) ? quoted(key) : `${quoted(key)} (there is ${quoted(like)})`;
  });
  return `lacks ${listed(named, 'and', 20)}`;
}

function explainDependent({ value, wanted }: Case): string | undefined {
  if (!isJsonObject(wanted) || !isJsonObject(value)) return undefined;
  const broken = Object.entries(wanted).flatMap(([key, needs]) => {
    if (!Object.hasOwn(value, key) || !Array.isArray(needs)) return [];
    const lacking = needs.map(String).filter((need) => !Object.hasOwn(value, need));
    return lacking.length === 0 ? [] : [`lacks ${listed(lacking.map(quoted), 'and')}, which ${quoted(key)} needs`];
  });
  return broken.length === 0 ? undefined : broken.join('; ');
}

function notAllowed(error: BrokenRule, rule: Rule): string {
  const key = error.path.at(-1);
  const { properties } = rule.schema;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const meant = typeof key === 'string' ? nearest(key, names.slice(0, 1_000)) : undefined;
  if (error.path.length === 0) return 'nothing is allowed here: the schema is false';
  return `is not allowed here${meant === undefined || meant === key ? '' : `; did you mean ${quoted(meant)}?`}`;
}

function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return [...value].length;
  return value !== null && typeof value === 'object' ? Object.keys(value).length : 0;
}

/** Position of the first duplicate item; compared by canonical text, only as far as a message needs. */
function firstTwice(value: JsonValue): string {
  if (!Array.isArray(value)) return '';
  const seen = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const text = JSON.stringify(item);
    const first = seen.get(text);
    if (first !== undefined) return `; items ${first} and ${index} are the same`;
    seen.set(text, index);
  }
  return '';
}

function plain(wanted: JsonValue | undefined): string {
  return typeof wanted === 'string' ? wanted : JSON.stringify(wanted ?? null);
}
