import { z } from 'zod';
import { ID_PATTERN } from '../pipeline.ts';
import { DOCUMENT_NAME_PATTERN } from '../../memory/documents.ts';
import { POINTER_PATTERN } from '../../json/pointer.ts';

/*
 * The kinds of values in gateline.yml. Each says in words what it expects; the message to the user consists of that and
 * what was found instead.
 */

/** Name of an environment variable, as a shell can set it. */
export const ENV_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Key of a matrix, as on GitHub. */
export const MATRIX_KEY_PATTERN = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Name of a program, safe to put before `--version` in a command. */
export const TOOL_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
/** A whole number of minutes, hours, days or weeks. */
const DURATION_PATTERN = /^[1-9][0-9]{0,4}[mhdw]$/;
/** A whole number of kilobytes, megabytes or gigabytes. */
export const SIZE_PATTERN = /^[1-9][0-9]{0,4}[KMG]B$/;
/** Names of branches: a part of what git allows, nothing that a command or an address could mean otherwise. */
export const BRANCH_PATTERN = /^(?!.*(?:\.\.|\/\/|\.lock(?:\/|$)|[/.]$|\/\.))[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$/;
/** Maximum length of a variable's value: what Windows can still pass to a process. */
export const MAX_ENV_LENGTH = 32_000;

/** Maximum number of bytes: about the maximum of {@link SIZE_PATTERN}. */
const MAX_BYTES = 100_000 * 1_000 ** 3;
const SIZE = 'a size such as `250MB` or `2GB`, or a number of bytes';

const NUL_MESSAGE = 'expected text without the character NUL';
const hasNoNul = (value: string): boolean => !value.includes('\0');

/*
 * Lengths are refinements: zod's own length checks also apply to maps with a key `length`, and throw if its value is a
 * map. `meta` adds to the JSON Schema what the refinement cannot express.
 */

function atMost(schema: z.ZodString, max: number): z.ZodString {
  const error = `expected at most ${max} characters`;
  return schema.refine((value) => value.length <= max, { error }).meta({ maxLength: max });
}

/** Text of 1 to `max` characters that is not blank and has no NUL, which cannot be passed to a process. */
export function text(max: number, what: string): z.ZodString {
  const error = `expected ${what}`;
  return atMost(z.string({ error }).regex(/\S/, { error }).refine(hasNoNul, { error: NUL_MESSAGE }), max);
}

/** Text that matches a pattern. */
export function matching(pattern: RegExp, what: string): z.ZodString {
  return z.string({ error: `expected ${what}` }).regex(pattern, { error: `expected ${what}` });
}

export function wholeNumber(min: number, max: number): z.ZodInt {
  const error = `expected a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function number(min: number, max: number, what: string): z.ZodNumber {
  const error = `expected ${what}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/** A text such as `12h` or `7d`. */
export const duration = matching(DURATION_PATTERN, 'a time such as `30m`, `12h`, `7d` or `2w`');

/** The same, or seconds. */
export const SHORT_DURATION_PATTERN = /^[1-9][0-9]{0,4}[smhdw]$/;

/** A text such as `90s` or `30m`. */
export const shortDuration = matching(SHORT_DURATION_PATTERN, 'a time such as `90s`, `30m`, `12h` or `7d`');

/** Whether a text is such a time. */
export function isDuration(text: string): boolean {
  return DURATION_PATTERN.test(text);
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of a {@link duration} or a {@link shortDuration}. */
export function millisecondsOf(text: string): number {
  return Number(text.slice(0, -1)) * UNIT_MS[text.slice(-1)]!;
}

/** A number of bytes, or a text such as `250MB`. */
export const size = z.union([wholeNumber(1, MAX_BYTES), matching(SIZE_PATTERN, SIZE)], { error: `expected ${SIZE}` });

/** Larger amounts of dollars or tokens are no limits. */
const MOST_SPENT = 1e12;
const AMOUNT = 'a number of US dollars, or a map with `dollars`, `tokens` or `minutes`';
const spendable = number(0, MOST_SPENT, 'a number from 0 to 1000000000000');

/** An amount that agents may spend. */
export const budgetAmount = z.union(
  [
    spendable,
    z
      .strictObject({
        dollars: spendable.optional().describe('US dollars.'),
        tokens: spendable.optional().describe('Tokens in and out.'),
        minutes: spendable.optional().describe('Minutes in which agents work.'),
      })
      .refine((amount) => Object.keys(amount).length > 0, { error: `expected ${AMOUNT}` })
      .meta({ minProperties: 1 }),
  ],
  { error: `expected ${AMOUNT}` },
);

export const yesOrNo = z.boolean({ error: 'expected `true` or `false`' });

export function choiceOf<const T extends readonly [string, ...string[]]>(...choices: T) {
  return z.enum(choices, { error: `expected ${inWords(choices)}` });
}

export function listOf<T extends z.ZodType>(item: T, min: number, max: number, what: string): z.ZodArray<T> {
  const isTooShort = { error: `expected ${what}` };
  const isTooLong = { error: `expected a list of ${min === 0 ? 'at most' : `${min} to`} ${max}` };
  return z
    .array(item, isTooShort)
    .refine((list) => list.length >= min, isTooShort)
    .refine((list) => list.length <= max, isTooLong)
    .meta({ minItems: min, maxItems: max });
}

export function mapOf<T extends z.ZodType>(key: z.ZodString, value: T, what: string) {
  return z.record(key, value, { error: `expected ${what}` });
}

/** One item or a list, as GitHub allows for `needs`. */
export function oneOrMore<T extends z.ZodType>(item: T, min: number, max: number, what: string) {
  return z.union([item, listOf(item, min, max, what)], { error: `expected ${what}` });
}

export const id = matching(
  ID_PATTERN,
  'an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`',
);

/** The name of a document. With `?` after it, a gate gets the document only if a call asks for it. */
export const documentName = matching(
  new RegExp(`${DOCUMENT_NAME_PATTERN.source.slice(0, -1)}\\??$`),
  'a name of a-z, 0-9 and `-`, such as `learned-patterns`',
);

/** A JSON object with any content. */
export const jsonObject = z.record(z.string(), z.unknown(), { error: 'expected a map' });

export const pointer = atMost(matching(POINTER_PATTERN, 'a JSON pointer such as `/validationResult/score`'), 1_024);

const ENV_VALUE = 'text, a number, `true`, `false`, or nothing (taken from the caller)';
const envValue = z.union(
  [atMost(z.string().refine(hasNoNul, { error: NUL_MESSAGE }), MAX_ENV_LENGTH), z.number(), z.boolean(), z.null()],
  { error: `expected ${ENV_VALUE}` },
);
export const envName = matching(
  ENV_NAME_PATTERN,
  'a variable name of A-Z, a-z, 0-9 and `_`, not beginning with a digit',
);
export const envMap = mapOf(envName, envValue, 'a map of variable names to values');

export const command = text(262_144, 'a command');

const SHELL = 'one of `bash`, `sh`, `pwsh`, `python`, `node`, or a command with `{0}` for the file of the script';
export const shell = atMost(
  matching(/^(?:bash|sh|pwsh|python|node)$|\{0\}/, SHELL).refine(hasNoNul, { error: NUL_MESSAGE }),
  1_024,
);

export const glob = text(1_024, 'a glob such as `src/**/*.ts`');

export const relativePath = text(1_024, 'a path relative to the workspace');

function inWords(choices: readonly string[]): string {
  const all = choices.map((choice) => `\`${choice}\``);
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(', ')} or ${all.at(-1)!}`;
}
