import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { POINTER_PATTERN } from '../json/pointer.ts';
import { parseExpression, stripBraces } from './expression.ts';
import { globProblem, normalizeGlob, normalizePath, pathProblem } from './paths.ts';
import { ID_PATTERN } from './pipeline.ts';

/*
 * The kinds of values in gateline.yml. Each message says what is expected; `problem.ts` adds what was found instead.
 */

/** Not blank, and without the character NUL, which cannot be passed to a process. */
const TEXT_PATTERN = /^(?=[\s\S]*\S)[^\0]*$/;
/** Windows cannot pass larger values to a process. */
const MAX_ENV_LENGTH = 32_000;
const SECOND = 1_000;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Reports a problem with a hint of its own. @param path from the checked value to the part that is wrong */
export function addIssue(
  context: z.core.$RefinementCtx,
  message: string,
  hint?: string,
  path: PropertyKey[] = [],
): void {
  context.addIssue({ code: 'custom', message, path, params: { hint } });
}

/** A map with only these keys. The message for an unknown key lists the known ones: `explainIssue` reads it. */
export function mapOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape);
  const error = `expected a map with keys such as \`${keys.slice(0, 2).join('` and `')}\``;
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? keys.join(', ') : error) });
}

/** A value of one of these forms. */
export function oneOf<const T extends readonly [z.ZodType, ...z.ZodType[]]>(what: string, ...options: T) {
  return z.union(options, { error: `expected ${what}` });
}

export function recordOf<T extends z.ZodType>(key: z.ZodString, value: T, what: string) {
  return z.record(key, value, { error: `expected ${what}` });
}

export function listOf<T extends z.ZodType>(item: T, min: number, max: number, what: string) {
  const error = `expected ${what}`;
  return z
    .array(item, { error })
    .min(min, { error })
    .max(max, { error: `expected at most ${max}` });
}

/** One item or a list, as a list: GitHub allows both for `needs`. */
export function oneOrList<T extends z.ZodType>(item: T, min: number, max: number, what: string) {
  const list = listOf(item, min, max, what);
  return oneOf(what, item, list).transform((value) => (Array.isArray(value) ? value : [value]) as z.output<T>[]);
}

export function text(max: number, what: string): z.ZodString {
  return matching(TEXT_PATTERN, what).max(max, { error: `expected at most ${max} characters` });
}

export function matching(pattern: RegExp, what: string): z.ZodString {
  return z.string({ error: `expected ${what}` }).regex(pattern, { error: `expected ${what}` });
}

export function wholeNumber(min: number, max: number): z.ZodInt {
  const error = `expected a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function amount(min: number, max: number, what: string): z.ZodNumber {
  const error = `expected a number ${what}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

export function choiceOf<const T extends readonly [string, ...string[]]>(...choices: T) {
  return z.enum(choices, { error: `expected ${choices.map((choice) => `\`${choice}\``).join(' or ')}` });
}

export const yesOrNo = z.boolean({ error: 'expected `true` or `false`' });
export const minutes = amount(0.001, 4_320, 'of minutes above 0 and up to 4320');

const ID = 'an id of 1 to 40 characters: a-z, 0-9, `_` and `-`, not beginning with a digit or `-`';
export const id = matching(ID_PATTERN, ID);
export const gateId = text(200, 'the id of a gate');

export const jsonValue = z.unknown().transform((value) => value as JsonValue);
export const jsonObject = z
  .record(z.string(), z.unknown(), { error: 'expected a map' })
  .transform((value) => value as JsonObject);

export const pointer = matching(POINTER_PATTERN, 'a JSON pointer such as `/validationResult/score`');

/** Milliseconds; written as a text such as `12h` or `7d`. */
export const duration = matching(/^[1-9][0-9]{0,4}[smhdw]$/, 'a time such as `90s`, `30m`, `12h` or `7d`').transform(
  (written) => Number(written.slice(0, -1)) * UNITS[written.slice(-1)]! * SECOND,
);

/** Only conditions may hold `${{ }}`: elsewhere text of an agent or a pull request could become a command. */
function withoutExpressions(hint: string) {
  return (value: unknown, context: z.core.$RefinementCtx): void => {
    if (typeof value === 'string' && value.includes('${{')) addIssue(context, '`${{ }}` is not evaluated here', hint);
  };
}

export const command = text(262_144, 'a command').superRefine(
  withoutExpressions('read the file that `GATELINE_REQUEST` names, or set a variable under `env`'),
);

export const envName = matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name of A-Z, a-z, 0-9 and `_`');
const ENV_VALUE = 'text, a number, `true`, `false`, or nothing (taken from the caller)';
const envValue = oneOf(ENV_VALUE, z.string().max(MAX_ENV_LENGTH), z.number(), z.boolean(), z.null())
  .superRefine(withoutExpressions('leave the value empty to take it from the caller, or name a secret under `secrets`'))
  .transform((value) => (value === null ? null : String(value)));

/** Variables; numbers and booleans become texts, as on GitHub. */
export const env = recordOf(envName, envValue, 'a map of variable names to values').superRefine((map, context) => {
  for (const name of Object.keys(map).filter((name) => RESERVED_VARIABLE.test(name))) {
    addIssue(context, 'names that begin with GATELINE_, GITHUB_ or RUNNER_ are reserved', 'choose another name', [
      name,
    ]);
  }
});
export const RESERVED_VARIABLE = /^(?:GATELINE|GITHUB|RUNNER)_/i;

/** A path inside the workspace, normalized. */
export const path = text(1_024, 'a path relative to the workspace')
  .superRefine((value, context) => {
    const problem = pathProblem(value);
    if (problem) addIssue(context, `\`${value}\` ${problem.message}`, problem.hint);
  })
  .transform(normalizePath);

const glob = text(1_024, 'a glob such as `src/**/*.ts`')
  .superRefine((value, context) => {
    const problem = globProblem(value);
    if (problem) addIssue(context, `\`${value}\` ${problem.message}`, problem.hint);
  })
  .transform(normalizeGlob);

/** The last glob that matches a file decides, so at least one of them must include. */
const checkInclusion = (list: readonly string[], context: z.core.$RefinementCtx): void => {
  if (list.length === 0 || list.some((item) => !item.startsWith('!'))) return;
  addIssue(context, 'every glob excludes, so no file is left', 'first write what to include, such as `**`');
};
export const globs = oneOrList(glob, 0, 1_000, 'a glob or a list of globs').superRefine(checkInclusion);
export const globList = listOf(glob, 0, 1_000, 'a list of globs').superRefine(checkInclusion);

/** A condition in GitHub's expression language that may read these contexts, without `${{ }}`. */
export function conditionOn(contexts: readonly string[]) {
  return oneOf('a condition', text(21_000, 'a condition'), z.boolean()).transform((written, context) => {
    const condition = stripBraces(String(written));
    if (condition === undefined) {
      addIssue(context, 'text around `${{ }}` makes a condition always true', 'put all of it into one `${{ }}`');
      return z.NEVER;
    }
    const parsed = parseExpression(condition, contexts);
    if (!parsed.ok) addIssue(context, parsed.message, parsed.hint);
    return condition;
  });
}

/** With `write` for one of these an agent could approve its own output, or start runs. */
const READ_ONLY = ['actions', 'checks', 'statuses'];

/** Keys of a job in GitHub's spelling, which `compile` copies. */
export const job = jsonObject.superRefine(({ permissions }, context) => {
  const canWrite = (scope: string): boolean =>
    permissions === 'write-all' || (isJsonObject(permissions) && permissions[scope] === 'write');
  if (!READ_ONLY.some(canWrite)) return;
  const message = 'a job of an agent must not have `write` for `actions`, `checks` or `statuses`';
  addIssue(context, message, 'with it an agent could approve its own output', ['permissions']);
});
