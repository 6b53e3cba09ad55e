import { z } from 'zod';
import { didYouMean } from '../json/did-you-mean.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { CHECK_CONTEXTS, stripBraces } from './expression.ts';
import { expandMatrix, MAX_LEGS, outputReferenceHint, parseOutputReference } from './matrix.ts';
import type {
  CommandDefinition,
  ContractSource,
  EntityDefinition,
  Gate,
  Matrix,
  OnFail,
  UsedAction,
} from './pipeline.ts';
import {
  amount,
  choiceOf,
  command,
  conditionOn,
  gateId,
  id,
  minutes,
  jsonObject,
  jsonValue,
  listOf,
  mapOf,
  matching,
  oneOf,
  oneOrList,
  path,
  pointer,
  recordOf,
  addIssue,
  text,
  wholeNumber,
  yesOrNo,
} from './values.ts';

/*
 * The keys of a gate that are maps (another action, the contract of the output, `on-fail`, the matrix), and entities.
 * Where it can, a schema yields the type of pipeline.ts.
 */

const pointers = oneOrList(pointer, 0, 100, 'a JSON pointer or a list of at most 100 JSON pointers');
const label = text(200, 'a label such as `APPROVED`');

/** The contract, and how the output is read and handed on. */
export type OutputEntry = Pick<Gate, 'contract' | 'exports' | 'extract'>;

export const output = mapOf({
  schema: oneOf('the path of a JSON Schema file, or a schema', path, jsonObject, z.boolean())
    .optional()
    .describe('JSON Schema (2020-12 or draft-07) that the output must meet: a path, or the schema itself.'),
  score: pointer.optional().describe('JSON pointer to the score (0-100) in the output. Default: the score is 100.'),
  threshold: amount(0, 100, 'from 0 to 100').optional().describe('The score that passes. Needs `score`. Default: 80.'),
  partial: choiceOf('block', 'continue', 'pause')
    .optional()
    .describe(
      'What a score below the threshold does: `block` later gates, `continue`, or `pause` until a person approves. Default: `block`.',
    ),
  checks: oneOrList(conditionOn(CHECK_CONTEXTS), 0, 100, 'a condition or a list of at most 100 conditions')
    .default([])
    .describe(
      "Conditions over `output`, `score`, `subject` and `metadata` that must all hold, in GitHub's expression language; `has(output, '/x')` tests for presence.",
    ),
  exports: pointers
    .default([''])
    .describe('JSON pointers of the parts of the output that later gates see. Default: all of it.'),
  result: mapOf({
    pointer: pointer.describe('JSON pointer to the label, a text.'),
    pass: oneOrList(label, 1, 100, 'a label or a list of 1 to 100 labels').describe(
      'The labels that pass. With any other the gate fails.',
    ),
  })
    .optional()
    .describe("The agent's own label for its result, such as `APPROVED`, and the labels that pass."),
  message: pointer.optional().describe('JSON pointer to a text in the output, shown for the gate when it passed.'),
  redact: pointers.default([]).describe('JSON pointers of values that are never stored: `***` takes their place.'),
  extract: choiceOf('json')
    .optional()
    .describe('`json`: the one JSON value in a code fence or between prose is taken as the output.'),
}).transform((entry, context): OutputEntry => {
  const { schema, score, threshold, partial, checks, exports, result, message, redact, extract } = entry;
  const hint = 'write `score` with the JSON pointer to the score in the output';
  for (const key of ['threshold', 'partial'] as const) {
    if (score === undefined && entry[key] !== undefined) addIssue(context, 'there is no `score`', hint, [key]);
  }
  const source = typeof schema === 'string' ? { path: schema } : { inline: schema as JsonValue };
  const contract: ContractSource = {
    schema: schema === undefined ? undefined : source,
    score,
    threshold: threshold ?? (score === undefined ? 0 : 80),
    partial: partial ?? 'block',
    checks,
    result,
    message,
    redact,
  };
  return { contract, exports, extract };
});

const ACTION = /^(?:\.\/[\w./-]*|docker:\/\/[\w./:@-]+|[\w-]+\/[\w.-]+(?:\/[\w./-]+)?@[\w./-]+)$/;
const action = matching(ACTION, 'an action such as `owner/name@ref`, `./path` or `docker://image`');

/** `with` is undefined in the short form: there the inputs of the action are the `with` of the gate, as in a step. */
export type UsesEntry = Omit<UsedAction, 'with'> & { readonly with?: JsonObject };

export const uses = oneOf(
  'an action such as `owner/name@ref`, or a map with the key `action`',
  action,
  mapOf({
    action: action.describe('The action, as in a step: `owner/name@ref`.'),
    with: jsonObject.prefault({}).describe('Its inputs, part of the request as they are written here.'),
    output: text(4_096, 'an expression')
      .transform((expression) => stripBraces(expression) ?? expression)
      .optional()
      .describe(
        'Expression of the output, such as `${{ steps.agent.outputs.result }}`. Default: the file that `GATELINE_OUTPUT` names.',
      ),
    local: command.optional().describe('The command that takes its place outside GitHub.'),
  }),
).transform((entry): UsesEntry => ({
  output: undefined,
  local: undefined,
  ...(typeof entry === 'string' ? { action: entry } : entry),
}));

export const onFail = mapOf({
  goto: gateId.describe('The gate that does its work again. It must come before.'),
  'max-iterations': wholeNumber(1, 100).default(3).describe('How often that gate may work, the first time included.'),
}).transform((entry): OnFail => ({ goto: entry.goto, maxIterations: entry['max-iterations'] }));

export const repeat = mapOf({
  times: wholeNumber(2, 20).describe('How many attempts.'),
  pass: wholeNumber(1, 20).describe('How many of them must pass.'),
}).superRefine(({ times, pass }, context) => {
  if (pass > times) addIssue(context, `expected at most ${times}, the number of attempts`, undefined, ['pass']);
});

const rows = listOf(jsonObject, 0, MAX_LEGS, 'a list of maps').optional();
const LISTS = 'a map of names to lists of values, or `${{ needs.GATE.output.KEY }}`';
const VALUES = `a list of 1 to ${MAX_LEGS} values`;
const matrix = oneOf(
  LISTS,
  z.string(),
  z
    .object({
      include: rows.describe('Maps that extend legs, or add legs, as on GitHub.'),
      exclude: rows.describe('Maps; a leg that has all values of one is left out, as on GitHub.'),
    })
    .catchall(oneOf(VALUES, matching(/\$\{\{|needs\./, VALUES), listOf(jsonValue, 1, MAX_LEGS, VALUES))),
).transform((entry, context) => {
  const fromOutput = (text: string, variable: string, path: string[]) => {
    const reference = parseOutputReference(text);
    if (reference !== undefined) return { from: { ...reference, variable } };
    addIssue(context, `expected ${LISTS}`, outputReferenceHint(text), path);
    return z.NEVER;
  };
  if (typeof entry === 'string') return fromOutput(entry, '', []);
  const { include = [], exclude = [], ...values } = entry;
  const lists: Record<string, JsonValue[]> = {};
  for (const [key, value] of Object.entries(values)) {
    if (!/^[A-Za-z_][\w-]*$/.test(key))
      addIssue(context, 'expected a key of A-Z, a-z, 0-9, `_` and `-`', undefined, [key]);
    if (Array.isArray(value)) lists[key] = value;
    else if (Object.keys(entry).length === 1) return fromOutput(value, key, [key]);
    else addIssue(context, 'a list from an output must be the only key of its matrix', undefined, [key]);
  }
  for (const [index, key] of exclude.flatMap((row, index) => Object.keys(row).map((key) => [index, key] as const))) {
    if (!Object.hasOwn(values, key))
      addIssue(context, 'the matrix has no such key', didYouMean(key, Object.keys(values)), ['exclude', index, key]);
  }
  const result = expandMatrix({ lists, include, exclude });
  if ('legs' in result) return result;
  addIssue(context, result.problem);
  return z.NEVER;
});

export const strategy = mapOf({
  matrix: matrix.describe(
    'Names to lists of values: the gate runs once for each combination, at most 256 times. Or `${{ needs.GATE.output.KEY }}`, for all values or for one name: once for each item of that list.',
  ),
  'max-parallel': wholeNumber(1, MAX_LEGS).optional().describe('How many legs may run side by side.'),
  'fail-fast': yesOrNo.default(true).describe('Whether a failed leg stops the legs that have not started.'),
}).transform((entry): Matrix => ({
  maxParallel: entry['max-parallel'],
  failFast: entry['fail-fast'],
  ...entry.matrix,
}));

const TOOL = matching(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/, 'the name of a program');
export const tools = oneOf(
  'a list of programs, or a map of programs to the commands that print their versions',
  listOf(TOOL, 0, 50, 'a list of at most 50 programs'),
  recordOf(TOOL, command, 'a map of programs to commands'),
).transform((entry) =>
  Array.isArray(entry) ? Object.fromEntries(entry.map((name) => [name, `${name} --version`])) : entry,
);

const names = oneOrList(id, 0, 100, 'the name of an entity or a list of names').default([]);

/** Keys of gates and commands about the entities that they use. */
export const entityUse = {
  requires: names.describe('Entities that must be valid before it starts.'),
  creates: names.describe('Entities that are valid after it passed. Its output is their value.'),
  invalidates: names.describe('Entities that are invalid from its start on, whether or not it passes.'),
  'on-invalid': choiceOf('fail', 'recover')
    .default('fail')
    .describe(
      'If a required entity is not valid: `recover` first runs the commands without arguments that create it, `fail` does not start.',
    ),
};

export const entitySchema = mapOf({
  format: text(200, 'a format such as `resource_{id}`')
    .optional()
    .describe('How an instance is named: `resource_{id}`. Default: there is one instance.'),
  properties: listOf(text(200, 'the name of a property'), 0, 100, 'a list of names')
    .default([])
    .describe('Properties that its value should have.'),
  'depends-on': names.describe('It becomes invalid with one of these entities.'),
  'expires-at': pointer.optional().describe('JSON pointer to the time in its value at which it becomes invalid.'),
})
  .nullable()
  .transform((entry): EntityDefinition => ({
    format: entry?.format,
    properties: entry?.properties ?? [],
    dependsOn: entry?.['depends-on'] ?? [],
    expiresAt: entry?.['expires-at'],
  }));

export const commandSchema = mapOf({
  syntax: text(4_096, 'a command line such as `agent-browser click <ref>`').describe(
    'The program and its arguments, without a shell. `<name>` is an argument.',
  ),
  ...entityUse,
  returns: text(200, 'a name').optional().describe('Name of what it prints: the value of what it creates.'),
  setup: yesOrNo.default(true).describe('Whether it may run by itself to make what it creates valid again.'),
  'timeout-minutes': minutes.default(60).describe('Minutes after which it is stopped. Fractions are allowed.'),
}).transform(
  ({ returns, 'on-invalid': onInvalid, 'timeout-minutes': timeoutMinutes, ...entry }): CommandDefinition => ({
    ...entry,
    returns,
    onInvalid,
    timeoutMinutes,
  }),
);
