import { z } from 'zod';
import { IF_CONTEXTS } from './expression.ts';
import { commandSchema, entitySchema, entityUse, onFail, output, repeat, strategy, tools, uses } from './gate-parts.ts';
import {
  amount,
  choiceOf,
  command,
  conditionOn,
  duration,
  env,
  envName,
  gateId,
  globList,
  globs,
  id,
  job,
  jsonObject,
  jsonValue,
  listOf,
  mapOf,
  matching,
  minutes,
  oneOf,
  oneOrList,
  path,
  recordOf,
  addIssue,
  text,
  wholeNumber,
  yesOrNo,
} from './values.ts';

const MAX_GATES = 1_000;
/** Systems whose files can be kept up to date (`mirror`). */
const SYSTEMS = ['state-guide', 'agent-flow', 'dev-loop', 'nexus'] as const;

const SHELL = 'one of `bash`, `sh`, `pwsh`, `python`, `node`, or a command with `{0}` for the file of the script';
const shell = matching(/^(?:bash|sh|pwsh|python|node)$|^[^\0]*\{0\}[^\0]*$/, SHELL);
const documentName = matching(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of a-z, 0-9 and `-`, such as `learned-patterns`');

const gate = mapOf({
  run: command
    .optional()
    .describe('The command, as in a `run` step. Without it the agent works between `gateline begin` and `complete`.'),
  needs: oneOrList(gateId, 0, MAX_GATES, 'the id of a gate or a list of ids')
    .default([])
    .describe('Gates that must be done first. The agent gets their exports.'),
  uses: uses
    .optional()
    .describe('Another action as the agent, in the workflow of `gateline compile`. In place of `run`.'),
  number: wholeNumber(0, 9_999)
    .optional()
    .describe('The N of `gate{N}-output.json`. Unique. Default: the position in the file, from 0.'),
  agent: text(200, 'text').optional().describe('Name shown for the agent. Default: the id of the gate.'),
  shell: shell.optional().describe(`${SHELL[0]!.toUpperCase()}${SHELL.slice(1)}. Default: \`bash\`.`),
  'working-directory': path.optional().describe('Folder to run in, relative to the workspace. Default: `.`.'),
  if: conditionOn(IF_CONTEXTS)
    .optional()
    .describe(
      "Condition over `subject`, `metadata` and `needs.<gate>.status|score|output`, in GitHub's expression language. False: the gate is not applicable.",
    ),
  inputs: globs
    .optional()
    .describe(
      'Globs of the files that it reads; `[]`: none. Default: every file. Other files do not make it run again.',
    ),
  files: oneOf('`changed` or a list of globs', z.literal('changed'), globList)
    .optional()
    .describe('Globs of the files that it makes or changes, or `changed`: all that it changes. Default: none.'),
  memory: oneOrList(documentName, 0, 20, 'the name of a document or a list of names')
    .default([])
    .describe('Documents of `.gateline/memory/` that the agent gets; `handoff` is a summary of what was done before.'),
  env: env.default({}).describe('Variables of the agent. `{X: }` takes the value from the caller.'),
  with: jsonObject.prefault({}).describe('Your own values for the agent (`prompt`, `model`, …), in its request.'),
  tools: tools
    .default({})
    .describe(
      'Programs whose versions are part of the request: a list (`node` runs `node --version`), or a map of names to commands.',
    ),
  secrets: oneOrList(envName, 0, 100, 'the name of a variable or a list of names')
    .default([])
    .describe('Variables that hold secrets: given to the agent, and redacted everywhere.'),
  output: output.prefault({}).describe('The contract: what the output must meet, and which parts later gates see.'),
  retries: wholeNumber(0, 10)
    .default(0)
    .describe('Further attempts after a failed one, each with its verdict as feedback.'),
  repeat: repeat
    .optional()
    .describe('Several attempts for one request, judged together: `{times: 3, pass: 2}`. The output is the median.'),
  'timeout-minutes': minutes.default(60).describe('Minutes after which the agent is stopped. Fractions are allowed.'),
  'on-fail': onFail
    .optional()
    .describe(
      'Sends work back if the output fails its contract: the named gate runs again, with this output in its request.',
    ),
  approval: choiceOf('required')
    .optional()
    .describe('`required`: a person must approve the output before later gates may use it.'),
  'max-age': duration
    .optional()
    .describe('Age from which an output is not used any more: `30m`, `12h`, `7d`. Default: no limit.'),
  'stand-in': yesOrNo
    .default(false)
    .describe("Whether the caller's input replaces the output of a need that has none."),
  strategy: strategy.optional().describe('Runs the gate once for each leg of a matrix.'),
  ...entityUse,
  job: job.optional().describe("Keys of its job in the workflow of `gateline compile`, in GitHub's spelling."),
}).superRefine((entry, context) => {
  const single = (['files', 'creates', 'invalidates'] as const).find((key) => (entry[key]?.length ?? 0) > 0);
  const obstacle = entry.run === undefined ? 'without `run`' : single && `with \`${single}\``;
  if (entry.repeat && obstacle) addIssue(context, `a gate ${obstacle} cannot be repeated`, undefined, ['repeat']);
  if (entry.run === undefined || entry.uses === undefined) return;
  addIssue(context, 'a gate has either `run` or `uses`', 'the command outside GitHub is `uses: {action, local}`', [
    'uses',
  ]);
});

const members = listOf(gateId, 1, MAX_GATES, 'a list of gate ids');
const group = oneOf(
  'a list of gate ids, or a map with the key `gates`',
  members,
  mapOf({
    gates: members.describe('The gates of the group.'),
    mode: choiceOf('parallel', 'sequential').default('parallel').describe('`sequential`: one of its gates at a time.'),
  }),
).transform((entry) => (Array.isArray(entry) ? { gates: entry, mode: 'parallel' as const } : entry));

const retention = mapOf({
  days: wholeNumber(1, 100_000).optional().describe('Runs are kept for this many days.'),
  runs: wholeNumber(1, 100_000).optional().describe('This many runs of each subject are kept, the newest.'),
});

const database = mapOf({
  save: command.describe('Command that writes the database to the file `$GATELINE_DATABASE`.'),
  restore: command.describe('Command that replaces the database by the file `$GATELINE_DATABASE`.'),
});

/**
 * `gateline.yml` as written, with defaults filled in: the only definition of its structure, and the source of the JSON
 * Schema for editors and of the reference documentation. Keys are spelt as in GitHub workflows.
 */
export const fileSchema = mapOf({
  version: z.literal(1, { error: 'expected 1' }).default(1).describe('Version of this file format.'),
  pipeline: id.default('pipeline').describe('Id of the pipeline.'),
  subject: text(1_024, 'text')
    .optional()
    .describe(
      'What a run is about, part of every request. Default: `domain` and `feature` of the metadata, the pull request or the branch, as a name only.',
    ),
  task: text(100_000, 'text').optional().describe('The goal of a run, for every agent; `--task` overrides it.'),
  metadata: jsonObject.prefault({}).describe('Your own values, for every agent and for conditions.'),
  'max-parallel': wholeNumber(1, 256).default(2).describe('How many gates may run side by side.'),
  'max-cost': amount(0, 1e9, 'of US dollars')
    .optional()
    .describe('The most that a run may cost, in US dollars: at this amount no further gate starts.'),
  env: env.default({}).describe('Variables of every gate. `{X: }` takes the value from the caller.'),
  defaults: mapOf({
    run: mapOf({
      shell: shell.optional().describe('Shell of gates that name none.'),
      'working-directory': path.optional().describe('Folder of gates that name none.'),
    })
      .prefault({})
      .describe('Defaults of every `run`.'),
  })
    .prefault({})
    .describe('Defaults for gates.'),
  groups: recordOf(id, group, 'a map of group ids to lists of gate ids')
    .default({})
    .describe('Named groups of gates that are shown together: lists of ids, or maps with the keys `gates` and `mode`.'),
  ignore: globs.default([]).describe('Globs of scratch files: never inputs, never a change.'),
  'allow-secrets': oneOrList(path, 0, 1_000, 'a path or a list of paths')
    .default([])
    .describe('Files that are handed on although their content looks like a secret.'),
  mirror: oneOrList(choiceOf(...SYSTEMS), 0, SYSTEMS.length, 'a system or a list such as `[state-guide]`')
    .default([])
    .describe('Other systems whose state files are kept up to date, each in the folder of its system.'),
  checkpoints: yesOrNo.default(false).describe('Prints the Markdown checkpoint of each gate.'),
  snapshots: mapOf({ database: database.optional().describe('The database that gates change.') })
    .prefault({})
    .describe('What `gateline rollback` restores besides files.'),
  retention: retention.optional().describe('Which old runs the end of a run removes. Default: none.'),
  setup: command.optional().describe('Command that prepares a clone (`--isolated`, sets) once after it is made.'),
  entities: recordOf(id, entitySchema, 'a map of entities, keyed by name')
    .default({})
    .describe('Resources with a life, such as a session, that gates and commands require, create and invalidate.'),
  commands: recordOf(id, commandSchema, 'a map of commands, keyed by id')
    .default({})
    .describe('Commands that `gateline do` runs in your folder, any number of times.'),
  deliver: mapOf({
    gates: oneOrList(gateId, 1, MAX_GATES, 'the id of a gate or a list of ids').describe('Gates whose files it has.'),
    allow: oneOrList(path, 0, 1_000, 'a path or a list of paths')
      .default([])
      .describe('Files that run by themselves, such as workflows, and are delivered all the same.'),
  })
    .optional()
    .describe('The workflow of `gateline compile` opens a pull request when all gates have passed.'),
  on: jsonValue.optional().describe("What starts the workflow of `gateline compile`, in GitHub's spelling."),
  job: job.optional().describe("Keys of every job in that workflow, in GitHub's spelling."),
  gates: recordOf(id, gate, 'a map of gates, keyed by gate id')
    .default({})
    .describe('The gates, keyed by id, in order. Required, unless there are `commands`.'),
}).superRefine(({ gates, commands, entities }, context) => {
  const count = Object.keys(gates).length;
  if (count > MAX_GATES) addIssue(context, `${count} gates are more than ${MAX_GATES}`, undefined, ['gates']);
  const isEmpty = count + Object.keys(commands).length + Object.keys(entities).length === 0;
  if (isEmpty) addIssue(context, 'there is no gate', 'write `gates:`, and below it a key for each gate', ['gates']);
});

/** The file with every default filled in; references between its parts are not checked. */
export type GatelineFile = z.output<typeof fileSchema>;
export type GateEntry = GatelineFile['gates'][string];
