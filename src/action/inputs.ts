import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { GatelineError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { closestWord } from '../json/did-you-mean.ts';

/** A text; blank is no value. */
const text = z.string().transform((value) => (value.trim() === '' ? undefined : value));
const required = z.string().refine((value) => value.trim() !== '', 'must have a value');
/** Lines, or a list with commas. */
const list = z.string().transform((value) => value.split(/[\n,]/).flatMap((item) => item.trim() || []));
const lines = z.string().transform((value) => value.split('\n').flatMap((item) => item.trim() || []));
const boolean = z
  .string()
  .refine((value) => ['', 'true', 'false'].includes(value.trim()), 'must be true or false')
  .transform((value) => value.trim() === 'true');
const number = (limits: z.ZodNumber) =>
  z
    .string()
    .transform((value) => (value.trim() === '' ? undefined : Number(value)))
    .pipe(limits.optional());
const choice = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z
    .string()
    .transform((value) => value.trim() || values[0])
    .pipe(z.enum(values));

const common = {
  'github-token': required,
  'retention-days': number(z.int().min(1).max(400)),
};

/** Inputs that describe the gate of a step, and what it works on. */
const describedGate = {
  /** Path of the definition below `path`. */
  file: text,
  gate: text,
  /** A gate as YAML, with every key of gateline.yml. */
  definition: text,
  schema: text,
  checks: lines,
  score: text,
  threshold: number(z.number().min(0).max(100)),
  inputs: lines,
  files: lines,
  secrets: list,
  /** `toJSON(needs)` */
  needs: text,
  /** `toJSON(matrix)` */
  matrix: text,
  subject: text,
  task: text,
  /** The caller's input: JSON, or a text. */
  input: text,
  /** Id of an earlier run whose outputs may be used. */
  resume: text,
  /** Folder of the checkout. */
  path: text,
  'no-secret': choice('fail', 'skip'),
  'outage-minutes': number(z.number().min(0).max(360)),
  /** Lines NAME=VALUE, for callers that cannot set variables. */
  'secret-values': text,
  'job-status': text,
  ...common,
};

/** The inputs of each action, as in its action.yml. */
export const INPUTS = {
  gate: z.object({ ...describedGate, run: text }),
  begin: z.object(describedGate),
  complete: z.object({
    token: required,
    output: text,
    outcome: choice('success', 'failure', 'cancelled', 'skipped'),
    metrics: text,
    'secret-values': text,
    'github-token': required,
    'job-status': text,
  }),
  report: z.object({
    needs: required,
    file: text,
    path: text,
    subject: text,
    comment: boolean,
    html: boolean,
    'allow-skipped': list,
    dispatch: boolean,
    ...common,
  }),
  comment: z.object({ 'github-token': required, file: text }),
  apply: z.object({ needs: required, file: text, path: text, gates: list, allow: lines, 'github-token': required }),
} as const;

export type ActionName = keyof typeof INPUTS;
export type Inputs<Name extends ActionName> = z.output<(typeof INPUTS)[Name]>;

/**
 * The inputs of an action, as the runner hands them over: `INPUT_<NAME>`, a missing one as ''.
 * @throws GatelineError `usage` naming each input that is wrong, and the right name of one that is misspelt
 */
export function readInputs<Name extends ActionName>(name: Name, environment: Environment): Inputs<Name> {
  const schema = INPUTS[name];
  const names = Object.keys(schema.shape);
  const values = Object.fromEntries(names.map((input) => [input, environment[variableOf(input)] ?? '']));
  const parsed = schema.safeParse(values);
  const problems = [
    ...findMisspeltInputs(names, environment),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `the input \`${path.join('.')}\`: ${message}`),
  ];
  if (parsed.success && problems.length === 0) return parsed.data as Inputs<Name>;
  throw new GatelineError('usage', problems.join('\n'), { hint: `Correct the step that uses \`${name}\`.` });
}

/** Default of {@link outageMsOf}. */
export const OUTAGE_MS = 5 * 60_000;

/** Milliseconds in which calls of GitHub are tried again, by the input `outage-minutes`. */
export function outageMsOf({ 'outage-minutes': minutes }: Pick<Inputs<'begin'>, 'outage-minutes'>): number {
  return minutes === undefined ? OUTAGE_MS : minutes * 60_000;
}

export function variableOf(input: string): string {
  return `INPUT_${input.replaceAll(' ', '_').toUpperCase()}`;
}

/** Problems of misspelt inputs. The runner only warns of them, so a gate would be judged without its threshold. */
function findMisspeltInputs(names: readonly string[], environment: Environment): string[] {
  const known = new Set(names.map(variableOf));
  const unknown = Object.keys(environment).filter((variable) => variable.startsWith('INPUT_') && !known.has(variable));
  return unknown.flatMap((variable) => {
    const input = variable.slice('INPUT_'.length).toLowerCase();
    const meant = closestWord(input, names);
    return meant === undefined ? [] : [`there is no input \`${input}\`: did you mean \`${meant}\`?`];
  });
}

/** An input that may be JSON or a text. */
export function parseJsonInput(text: string | undefined): JsonValue {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/**
 * The variables of a step, with those of the input `secret-values` that are secrets of its gate.
 * @param text lines NAME=VALUE
 */
export function withSecretValues(
  environment: Environment,
  text: string | undefined,
  secrets: readonly string[],
): Environment {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => {
    const match = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line);
    if (match) return [match[1]!, match[2]!] as const;
    throw new GatelineError('usage', 'a line of the input `secret-values` is not NAME=VALUE', {
      hint: 'A value of several lines is no line: set it in `env` of a job that you write yourself.',
    });
  });
  return { ...environment, ...Object.fromEntries(pairs.filter(([name]) => secrets.includes(name))) };
}
