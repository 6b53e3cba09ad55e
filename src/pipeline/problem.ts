import type { z } from 'zod';
import type { Place } from '../errors.ts';
import { closestWord } from '../json/did-you-mean.ts';
import type { JsonValue } from '../json/json.ts';
import { pointerOf, valueAt } from '../json/pointer.ts';

/** Keys and indices from the top of a file. */
export type Path = readonly PropertyKey[];

/** What is wrong in gateline.yml. With an error there is no pipeline; a warning names a likely mistake. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly level: 'error' | 'warning';
  readonly place: Place;
}

/** A problem without its place. `part`: it is about the key at its path, not the value. */
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

/** Findings with their places, in the order of the file. */
export function toProblems(findings: readonly Finding[], placeOf: (path: Path, part?: 'key') => Place): Problem[] {
  return sortProblems(findings.map(({ part, ...finding }) => ({ ...finding, place: placeOf(finding.path, part) })));
}

/** Problems in the order of the file. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const position = ({ place: { line = 0, column = 0 } }: Problem): number => line * 1e6 + column;
  return problems.toSorted((a, b) => position(a) - position(b));
}

/** An issue of zod in words. @param value the whole file */
export function explainIssue(issue: z.core.$ZodIssue, value: JsonValue, parent: Path = []): Finding[] {
  const path = [...parent, ...issue.path];
  const error = (message: string, hint?: string, part?: 'key'): Finding[] => [
    { path, message, level: 'error', ...(hint && { hint }), ...(part && { part }) },
  ];
  if (value === null) return error('the file is empty', EMPTY_FILE);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => explainUnknownKey(key, path, issue.message.split(', ')));
  }
  if (issue.code === 'invalid_key') {
    return error(`this key is not valid: ${issue.issues[0]?.message ?? issue.message}`, undefined, 'key');
  }
  const option = issue.code === 'invalid_union' ? findMatchingOption(issue.errors) : undefined;
  if (option !== undefined) return option.flatMap((inner) => explainIssue(inner, value, path));
  if (issue.code === 'custom') return error(issue.message, issue.params?.['hint'] as string | undefined);
  const part = valueAt(value, pointerOf(path));
  if (part === undefined) return error(`it is missing: ${issue.message}`);
  return error(`${issue.message}, found ${kindText(part)}`, valueHint(path, part, issue.message));
}

/** The option of a union that fits the value itself, so that only parts of the value are wrong. */
function findMatchingOption(
  options: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const isInside = (issue: z.core.$ZodIssue): boolean => {
    if (issue.path.length > 0) return true;
    if (issue.code === 'invalid_union') return findMatchingOption(issue.errors) !== undefined;
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

function valueHint(path: Path, value: JsonValue, expected: string): string | undefined {
  const key = path.at(-1);
  if (key === 'gates' && path.length === 1 && Array.isArray(value))
    return 'write each gate as a key, like `jobs` on GitHub';
  if (value === null && path.length > 0) return 'write a value, or remove the key';
  if (path.at(-2) === 'matrix' && typeof value !== 'object') return `write a list: \`[${value}]\``;
  if (typeof value === 'number' && expected.includes('text')) return `put it in quotes: "${value}"`;
  if (typeof value !== 'string') return undefined;
  if (expected.includes('number') && /^-?[0-9.]+$/.test(value)) return 'remove the quotes if you mean a number';
  const keys = value.replace(/^\$?\.?/, '').split(/[./]/);
  const isPointer = path.includes('output') && keys.every((name) => /^\w+$/.test(name));
  return isPointer ? `a JSON pointer to it is \`/${keys.join('/')}\`` : undefined;
}

/** `the number 3`, `an empty list`. */
function kindText(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `\`${value}\``;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
}
