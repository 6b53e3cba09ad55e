import type { z } from 'zod';
import type { Place } from '../errors.ts';
import { closestWord } from '../json/did-you-mean.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';

/** Keys and indices from the top of a file. */
export type Path = readonly PropertyKey[];

/** What is wrong in gateline.yml. With an error there is no pipeline; a warning names what may not be meant. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly level: 'error' | 'warning';
  readonly place: Place;
}

/** A problem without its place. `part`: whether it is about the key or the value at its path. */
export type Finding = Omit<Problem, 'place'> & { readonly part?: 'key' };

/**
 * A problem in one line:
 * `gateline.yml:4:14 gates.design.retries: expected a whole number from 0 to 10, found the text "two"`.
 */
export function problemText({ path, message, hint, level, place }: Problem): string {
  const keys = path.filter((key) => typeof key !== 'number').map((key) => quotedKey(String(key)));
  const label = keys.length === 0 ? '' : `${keys.join('.')}: `;
  const end = hint === undefined ? '' : `; ${hint}`;
  const text = `${level === 'warning' ? 'warning ' : ''}${label}${message}${end}`.replace(INVISIBLE, escapeCharacter);
  return `${[place.file, place.line, place.column].filter((part) => part !== undefined).join(':')} ${text}`;
}

/** Line breaks, control characters, and those that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function escapeCharacter(character: string): string {
  return character === '\n' ? '\\n' : `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function quotedKey(key: string): string {
  return /^[\w./-]+$/.test(key) ? key : JSON.stringify(key.slice(0, 60));
}

/** Problems in the order of the file. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const at = ({ place: { line = 0, column = 0 } }: Problem): number => line * 1e6 + column;
  return problems.toSorted((a, b) => at(a) - at(b));
}

/** An issue of the schema in words. */
export function explainIssue(issue: z.core.$ZodIssue, value: JsonValue, parent: Path = []): Finding[] {
  const path = [...parent, ...issue.path];
  if (value === null) return [{ path, message: 'the file is empty', hint: EMPTY_FILE, level: 'error' }];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => explainUnknownKey(key, path, issue.message.split(', ')));
  }
  if (issue.code === 'invalid_key') {
    return [
      {
        path,
        message: `this key is not valid: ${issue.issues[0]?.message ?? issue.message}`,
        level: 'error',
        part: 'key',
      },
    ];
  }
  const option = issue.code === 'invalid_union' ? likeliestOption(issue.errors) : undefined;
  if (option !== undefined) return option.flatMap((inner) => explainIssue(inner, value, path));
  const hint = issue.code === 'custom' ? (issue.params?.['hint'] as string | undefined) : undefined;
  if (issue.code === 'custom') return [{ path, message: issue.message, ...(hint && { hint }), level: 'error' }];
  const found = partAt(value, path);
  if (found === undefined) return [{ path, message: `it is missing: ${issue.message}`, level: 'error' }];
  const advice = valueHint(path, found, issue.message);
  return [
    { path, message: `${issue.message}, found ${describe(found)}`, ...(advice && { hint: advice }), level: 'error' },
  ];
}

/** Of the forms that a value may have, the one that it has at its top: the message is about what is in it. */
function likeliestOption(options: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const isInside = (issue: z.core.$ZodIssue): boolean => {
    if (issue.path.length > 0) return true;
    if (issue.code === 'invalid_union') return likeliestOption(issue.errors) !== undefined;
    return issue.code !== 'invalid_type' && issue.code !== 'invalid_value';
  };
  return options.find((issues) => issues.length > 0 && issues.every(isInside));
}

const EMPTY_FILE = 'write `gates: {NAME: {run: COMMAND}}`, or remove it and use `gateline init`';

/** Keys of GitHub workflows and other tools that people write, and what to write here. */
const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  '<<': 'YAML 1.2 has no merge keys: use an alias for a whole value',
  jobs: 'write `gates`',
  steps: 'a gate has one command: write `run`, or several gates',
  script: 'write `run`',
  command: 'write `run`',
  depends_on: 'write `needs`',
  timeout: 'write `timeout-minutes`',
  matrix: 'write `strategy: {matrix: …}`',
  prompt: 'write it under `with`',
  model: 'write it under `with`',
};
/** Keys of gates that people write one level too high. */
const UNDER_OUTPUT = ['schema', 'score', 'threshold', 'partial', 'checks', 'exports', 'result', 'message', 'redact'];

function explainUnknownKey(key: string, parent: Path, known: readonly string[]): Finding {
  const foreign = Object.hasOwn(FOREIGN_KEYS, key) ? FOREIGN_KEYS[key] : undefined;
  const word = closestWord(key, known.includes('output') ? [...known, ...UNDER_OUTPUT] : known) ?? '';
  const other = known.includes(word) ? `did you mean \`${word}\`?` : `write \`${word}\` under \`output\``;
  const hint = foreign ?? (word === '' ? `known here: ${known.join(', ')}` : other);
  return { path: [...parent, key], message: 'there is no such key', hint, level: 'error', part: 'key' };
}

function valueHint(path: Path, found: JsonValue, expected: string): string | undefined {
  const key = path.at(-1);
  if (key === 'gates' && path.length === 1 && Array.isArray(found))
    return 'write each gate as a key, like `jobs` on GitHub';
  if (found === null && path.length > 0) return 'write a value, or remove the key';
  if (path.at(-2) === 'matrix' && typeof found !== 'object') return `write a list: \`[${found}]\``;
  if (typeof found === 'number' && expected.includes('text')) return `put it in quotes: "${found}"`;
  if (typeof found !== 'string') return undefined;
  if (expected.includes('number') && /^-?[0-9.]+$/.test(found)) return 'remove the quotes if you mean a number';
  const keys = found.replace(/^\$?\.?/, '').split(/[./]/);
  const isPointer = path.includes('output') && keys.every((name) => /^\w+$/.test(name));
  return isPointer ? `a JSON pointer to it is \`/${keys.join('/')}\`` : undefined;
}

/** The kind of a value in words. */
function describe(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `\`${value}\``;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
}

function partAt(value: JsonValue, path: Path): JsonValue | undefined {
  let part: JsonValue | undefined = value;
  for (const key of path) {
    if (Array.isArray(part)) part = part[Number(key)];
    else part = isJsonObject(part) && Object.hasOwn(part, key) ? part[String(key)] : undefined;
  }
  return part;
}
