import { z } from 'zod';
import { ENTITY_KEYS } from './gateline-entities.ts';
import { GITHUB_GATE_KEYS } from './github-keys.ts';
import {
  budgetAmount,
  choiceOf,
  documentName,
  command,
  duration,
  envMap,
  envName,
  glob,
  jsonObject,
  listOf,
  mapOf,
  matching,
  MATRIX_KEY_PATTERN,
  number,
  oneOrMore,
  pointer,
  relativePath,
  shell,
  text,
  TOOL_PATTERN,
  wholeNumber,
  yesOrNo,
} from './gateline-values.ts';

/** Maximum number of legs of a matrix gate, as on GitHub. */
export const MAX_LEGS = 256;

/** The longest label that `output.result.pass` may name. */
const MAX_LABEL_LENGTH = 200;

const condition = text(21_000, 'a condition');
const gateId = text(200, 'the id of a gate');
const label = text(MAX_LABEL_LENGTH, 'a label such as `APPROVED`');

const output = z
  .strictObject(
    {
      schema: z
        .union([relativePath, jsonObject, z.boolean()], {
          error: 'expected the path of a JSON Schema file, or a schema',
        })
        .optional()
        .describe(
          'JSON Schema (2020-12 or draft-07) that the output must meet: a path relative to the workspace, or the schema itself.',
        ),
      score: pointer
        .optional()
        .describe(
          'JSON pointer to the score (0-100) in the output. Without it, the score is 100 when all other conditions are met.',
        ),
      threshold: number(0, 100, 'a number from 0 to 100')
        .optional()
        .describe('The score that passes. Needs `score`. Default: 80.'),
      partial: choiceOf('block', 'continue', 'pause')
        .default('block')
        .describe(
          'What happens when the score is below the threshold: `block` later gates, `continue`, or `pause` until somebody approves.',
        ),
      checks: oneOrMore(condition, 0, 100, 'a condition or a list of at most 100 conditions')
        .default([])
        .describe(
          "Conditions over `output`, `score`, `subject` and `metadata` that must all hold, in the expression language of GitHub; `has(output, '/x')` tests for presence.",
        ),
      exports: oneOrMore(pointer, 0, 100, 'a JSON pointer or a list of at most 100 JSON pointers')
        .default([''])
        .describe('JSON pointers of the parts of the output that later gates see. Default: all of it.'),
      result: z
        .strictObject(
          {
            pointer: pointer.describe('JSON pointer to the label, a text.'),
            pass: oneOrMore(label, 1, 100, 'a label or a list of 1 to 100 labels').describe(
              'The labels that pass. With any other the gate fails.',
            ),
          },
          { error: 'expected a map with the keys `pointer` and `pass`' },
        )
        .optional()
        .describe("The agent's own label for its result, such as `APPROVED`, and the labels that pass."),
      message: pointer
        .optional()
        .describe('JSON pointer to a text in the output: the line that is shown for the gate when it passed.'),
      redact: oneOrMore(pointer, 0, 100, 'a JSON pointer or a list of at most 100 JSON pointers')
        .default([])
        .describe(
          'JSON pointers of values that are never stored: `***` takes their place before the output is checked.',
        ),
    },
    { error: 'expected a map with keys such as `schema` and `score`' },
  )
  .describe('The contract: what the output must meet, and which parts later gates get.');

const matrixValues = listOf(z.unknown(), 1, MAX_LEGS, 'a list of 1 to 256 values');
const matrixRows = listOf(
  mapOf(
    matching(MATRIX_KEY_PATTERN, 'a matrix key of A-Z, a-z, 0-9, `_` and `-`'),
    z.unknown(),
    'a map of matrix keys to values',
  ),
  0,
  MAX_LEGS,
  'a list of maps',
);

/** `strategy.matrix`. */
export const matrixSchema = z
  .object(
    {
      include: matrixRows.optional().describe('Maps that extend legs, or add new ones, as on GitHub.'),
      exclude: matrixRows.optional().describe('Maps; a leg that has all values of one is left out, as on GitHub.'),
    },
    { error: 'expected a map of names to lists of values' },
  )
  .catchall(matrixValues);

const strategy = z
  .strictObject(
    {
      matrix: z
        .union([matrixSchema, z.string()], { error: 'expected a map of names to lists of values, or `${{ needs.… }}`' })
        .describe(
          'Names to lists of values; the gate runs once for each combination, at most 256 times. Or `${{ needs.GATE.output.KEY }}`, a list in the output of a gate: once for each item.',
        ),
      'max-parallel': wholeNumber(1, MAX_LEGS)
        .optional()
        .describe('How many legs may run in parallel. Default: as many as the pipeline allows.'),
      'fail-fast': yesOrNo
        .default(true)
        .describe(
          'Whether a failed leg stops the legs that have not started. Where its failure sends work back, all legs end first.',
        ),
    },
    { error: 'expected a map with the key `matrix`' },
  )
  .describe('Runs the gate once for each leg of a matrix.');

const files = z
  .union([z.literal('changed'), listOf(glob, 0, 1_000, 'a list of globs')], {
    error: 'expected `changed` or a list of globs',
  })
  .default([])
  .describe(
    'Files handed on to later gates: `changed` (what git sees as changed since the gate began), or a list of globs.',
  );

const tools = z
  .union(
    [
      listOf(matching(TOOL_PATTERN, 'the name of a program'), 0, 50, 'a list of at most 50 programs'),
      mapOf(matching(TOOL_PATTERN, 'the name of a program'), command, 'a map of programs to commands'),
    ],
    { error: 'expected a list of programs, or a map of programs to the commands that print their versions' },
  )
  .optional()
  .describe(
    'Programs whose versions are part of the fingerprint: a list (`node` runs `node --version`), or a map of names to commands that print the version.',
  );

/** `on-fail` of a gate or a group. */
export const onFail = z
  .strictObject(
    {
      goto: gateId.describe('The gate that does its work again. It must be upstream.'),
      'max-iterations': wholeNumber(1, 100)
        .default(3)
        .describe('How often that gate may run in this loop, the first time included.'),
    },
    { error: 'expected a map with the key `goto`' },
  )
  .optional()
  .describe(
    'Sends work back if the output fails the contract (schema, score, checks, result): the named gate runs again, with the failed output in its request.',
  );

const approval = z
  .union(
    [
      z.literal('required'),
      z
        .strictObject({
          by: oneOrMore(text(255, 'a name'), 1, 100, 'a name or a list of names')
            .optional()
            .describe('Who may approve: names as `--actor` and git give them, on GitHub logins.'),
          'not-author': yesOrNo
            .optional()
            .describe('The author of the commit, on GitHub of the pull request, may not approve.'),
          per: z
            .literal('commit', { error: 'expected `commit`' })
            .optional()
            .describe('An approval is for one commit: the next one needs another approval.'),
        })
        .refine((map) => Object.keys(map).length > 0, 'expected at least one key'),
    ],
    { error: 'expected `required`, or a map with the keys `by`, `not-author` and `per`' },
  )
  .optional()
  .describe(
    'A person must approve the output before later gates may use it: `required`, or the people who may. An approval is bound to the request and the output.',
  );

/** One gate of gateline.yml, in GitHub's spelling. Unknown keys are errors. */
export const gateSchema = z
  .strictObject(
    {
      number: wholeNumber(0, 9_999)
        .optional()
        .describe('The N of `gate{N}-output.json`. Unique. Default: the place in the file, from 0.'),
      agent: text(200, 'a name of at most 200 characters')
        .optional()
        .describe('Name shown for the agent. Default: the id of the gate.'),
      run: command
        .optional()
        .describe(
          'The command, as in a `run` step. Without it the agent runs by itself, around `gateline begin` and `gateline complete`.',
        ),
      shell: shell
        .optional()
        .describe(
          '`bash`, `sh`, `pwsh`, `python`, `node`, or a command with `{0}` for the file of the script. Default: `defaults.run.shell`, else `bash`.',
        ),
      'working-directory': relativePath
        .optional()
        .describe('Folder to run in, relative to the workspace. Default: `defaults.run.working-directory`, else `.`.'),
      workspace: choiceOf('tree', 'in-place')
        .default('tree')
        .describe(
          'Where the agent works: in a private work tree (`tree`), or in your folder (`in-place`), where the gate runs alone. Not part of the fingerprint.',
        ),
      needs: oneOrMore(gateId, 0, 1_000, 'the id of a gate or a list of ids')
        .default([])
        .describe('Gates that must pass first. Their exports are part of the request.'),
      if: z
        .union([condition, z.boolean()], { error: 'expected a condition' })
        .optional()
        .describe(
          'Condition over `subject`, `metadata` and `needs.<gate>.status|score|output`, in the expression language of GitHub. False: the gate is not-applicable.',
        ),
      inputs: oneOrMore(glob, 0, 1_000, 'a glob or a list of globs; `[]` for no files')
        .optional()
        .describe(
          'Globs of the input files; their contents are part of the fingerprint. `[]`: no files. Default: every file that git does not ignore; in a CI job, every tracked file.',
        ),
      memory: oneOrMore(documentName, 0, 20, 'the name of a document or a list of names')
        .default([])
        .describe(
          'Names of the documents in `.gateline/memory/` that the agent gets: `learned-patterns` is `.gateline/memory/learned-patterns.md`. They are inputs. The agent sees no other file of that folder. `handoff` is not a file but a summary of the previous run. With `?` after its name (`deep-dive?`), it gets a document only if `--memory` asks for it.',
        ),
      env: envMap
        .default({})
        .describe(
          "Variables for the agent. Part of the fingerprint. `{X: }` takes the value from the caller; `{X: ''}` is an empty value.",
        ),
      with: jsonObject.default({}).describe('Your own values for the agent (`prompt`, `model`, …), in its request.'),
      tools,
      secrets: oneOrMore(envName, 0, 100, 'the name of a variable or a list of names')
        .default([])
        .describe(
          'Names of environment variables that hold secrets: passed to the agent and redacted everywhere. Only their names are part of the fingerprint.',
        ),
      output: output.optional(),
      files,
      retries: wholeNumber(0, 10)
        .default(0)
        .describe('Further attempts after a failed one; each gets the previous verdict as feedback.'),
      approval,
      budget: budgetAmount
        .optional()
        .describe(
          'What its attempts may spend in one run: US dollars, or a map with `dollars`, `tokens` or `minutes`; of a matrix, each leg. Default: `budget.gate` of the file.',
        ),
      'on-fail': onFail,
      'timeout-minutes': number(0.001, 4_320, 'a number of minutes above 0 and up to 4320')
        .default(60)
        .describe('Minutes after which the agent is stopped. Fractions are allowed.'),
      reuse: choiceOf('auto', 'never')
        .default('auto')
        .describe('Whether an output with the same request may be reused.'),
      'max-age': duration
        .optional()
        .describe(
          'Age after which the gate runs again, and the old output is not used even if that fails: `30m`, `12h`, `7d`, `2w`. Default: no limit.',
        ),
      strategy: strategy.optional(),
      ...ENTITY_KEYS,
      ...GITHUB_GATE_KEYS,
    },
    { error: 'expected a map with keys such as `run` and `needs`' },
  )
  .describe('A gate: an agent and the contract that its output must meet.');

/** A gate as written in the file, with defaults filled in. */
export type GateEntry = z.infer<typeof gateSchema>;
