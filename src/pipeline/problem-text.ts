import type { z } from 'zod';
import { described } from './problem.ts';

/** What is wrong with a value, in words. The issue was reported with its input. */
export function problemText({ code, input, ...issue }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys' && 'keys' in issue) return `no such key: ${issue.keys.join(', ')}`;
  if (code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return `expected ${issue.options.join(', ')}, found ${described(discriminatorOf(input, issue.path))}`;
  if (input === undefined) return 'it is missing';
  if (code === 'invalid_type' && 'expected' in issue)
    return `expected ${EXPECTED[issue.expected] ?? issue.expected}, found ${described(input)}`;
  if (code === 'invalid_value' && 'values' in issue)
    return `expected ${issue.values.join(', ')}, found ${described(input)}`;
  // A schema's own message says more.
  if (!/^(?:Too (?:small|big)|Invalid)\b/.test(issue.message)) return issue.message;
  if (code === 'too_small' && 'minimum' in issue)
    return `expected ${amount('at least', issue.minimum, issue.origin)}, found ${described(input)}`;
  if (code === 'too_big' && 'maximum' in issue)
    return `expected ${amount('at most', issue.maximum, issue.origin)}, found ${described(input)}`;
  if (code === 'invalid_format' && 'format' in issue)
    return `expected ${FORMATS[issue.format] ?? 'a text of another form'}, found ${described(input)}`;
  return issue.message;
}

/** Of several kinds of object, the key that says which one it is. */
function discriminatorOf(input: unknown, path: readonly PropertyKey[]): unknown {
  const key = path.at(-1);
  if (key === undefined || typeof input !== 'object' || input === null) return input;
  return (input as Readonly<Record<PropertyKey, unknown>>)[key];
}

function amount(bound: string, limit: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  return unit === undefined ? `${bound} ${limit}` : `${unit[0]} ${bound} ${limit} ${unit[1]}${limit === 1 ? '' : 's'}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

/** What a length is one of, and what it counts. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['a text of', 'character'],
  array: ['a list of', 'item'],
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2026-01-02T03:04:05.678Z',
};
