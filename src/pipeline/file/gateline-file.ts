import { isTimezone } from '../timezone.ts';
import { z } from 'zod';
import { MIRROR_FORMATS } from '../job-settings.ts';
import { MAX_TASK_LENGTH } from '../pipeline.ts';
import { commands, entities } from './gateline-entities.ts';
import { gateSchema, onFail } from './gateline-gate.ts';
import { GITHUB_KEYS } from './github-keys.ts';
import {
  budgetAmount,
  choiceOf,
  command,
  duration,
  envMap,
  glob,
  id,
  jsonObject,
  listOf,
  oneOrMore,
  mapOf,
  number,
  relativePath,
  shell,
  size,
  text,
  wholeNumber,
} from './gateline-values.ts';

/** Maximum number of gates in a pipeline. */
export const MAX_GATES = 1_000;

/** What `gates` is. */
export const GATES = `a map of 1 to ${MAX_GATES} gates, keyed by gate id`;

const runDefaults = z
  .strictObject(
    {
      shell: shell.optional().describe('Shell of gates that set none.'),
      'working-directory': relativePath
        .optional()
        .describe('Folder, relative to the workspace, of gates that set none.'),
    },
    { error: 'expected a map with `shell` and `working-directory`' },
  )
  .describe('Defaults of every `run`.');

const members = listOf(text(200, 'the id of a gate'), 1, MAX_GATES, 'a list of gate ids');

const group = z.union(
  [
    members,
    z.strictObject({
      gates: members.describe('The gates of the group.'),
      mode: choiceOf('parallel', 'sequential', 'auto')
        .default('auto')
        .describe(
          'Whether its gates may run in parallel. `auto`: if the command in `available` succeeds. `--sequential` overrides it.',
        ),
      available: command
        .optional()
        .describe(
          'With `mode: auto`: a program (`claude` runs `claude --version`) or a command. If it fails, the gates run one at a time. Default: they may run in parallel.',
        ),
      'on-fail': onFail,
    }),
  ],
  { error: 'expected a list of gate ids, or a map with the key `gates`' },
);

const TIMEZONE = 'the name of a time zone such as `Europe/Berlin`';

const LINK = '`dependencies`, `none` or a list of globs';

const workspaceSettings = z
  .strictObject(
    {
      link: z
        .union([z.literal(['dependencies', 'none']), listOf(glob, 1, 1_000, LINK)], { error: `expected ${LINK}` })
        .default('dependencies')
        .describe(
          'Git-ignored files that are linked into work trees: `dependencies` (`node_modules`, `.venv`, `venv`), `none`, or a list of globs.',
        ),
      setup: command.optional().describe('Command that runs once in each work tree folder, and again when it changes.'),
      'max-untracked': size
        .default('100MB')
        .describe(
          'Largest untracked file that is copied into work trees: `250MB`, `2GB` or a number of bytes. All of them together may have ten times as much.',
        ),
      trees: text(1_024, 'the path of a folder')
        .optional()
        .describe(
          'Folder for work trees, outside of the repository: absolute, relative to the workspace, or below `~`. Default: the cache folder of the system. `GATELINE_TREES` overrides it.',
        ),
    },
    { error: 'expected a map with keys such as `link` and `setup`' },
  )
  .prefault({})
  .describe('The private work trees in which agents run. Not part of the request or the fingerprint.');

const snapshotSettings = z
  .strictObject(
    {
      every: wholeNumber(1, MAX_GATES)
        .default(1)
        .describe('Of which gates snapshots are kept: `2` means the second gate of the file, the fourth and so on.'),
      keep: wholeNumber(0, 100_000)
        .optional()
        .describe(
          'Of how many runs that are over the snapshots are kept: of the database, and of files. Those of open and pinned runs always are. Default: of all.',
        ),
      'max-size': size.optional().describe('Largest snapshot that is kept: `250MB`, `2GB` or a number of bytes.'),
      database: z
        .strictObject(
          {
            snapshot: command.describe('Command that writes the database to the file `$GATELINE_DATABASE_FILE`.'),
            restore: command.describe('Command that restores the database from the file `$GATELINE_DATABASE_FILE`.'),
            'timeout-minutes': number(0.001, 4_320, 'a number of minutes above 0 and up to 4320')
              .default(10)
              .describe('Time limit of each of the two.'),
          },
          { error: 'expected a map with the keys `snapshot` and `restore`' },
        )
        .optional()
        .describe('The database that gates change: `gateline rollback` restores it.'),
    },
    { error: 'expected a map with keys such as `every` and `database`' },
  )
  .prefault({})
  .describe('Which snapshots are kept, for `gateline rollback`. Not part of the request or the fingerprint.');

const retentionSettings = z
  .strictObject(
    {
      older: duration
        .default('30d')
        .describe('Age from which runs are removed: `12h`, `30d`, `8w`. It is that of their last record.'),
      keep: wholeNumber(1, 100_000)
        .default(10)
        .describe('How many runs of each subject are never removed, the newest.'),
      every: duration.default('7d').describe('Time between two removals.'),
    },
    { error: 'expected a map with keys such as `older` and `keep`' },
  )
  .optional()
  .describe(
    'Which old runs `gateline run` removes when it has ended, as `gateline clean` does. Default: none. Not part of the request or the fingerprint.',
  );

const budget = z
  .strictObject(
    {
      gate: budgetAmount
        .optional()
        .describe(
          'What all attempts of a gate may spend in one run, and what is reserved before it starts. A gate may set its own.',
        ),
      run: budgetAmount
        .optional()
        .describe('What one run may spend. In a job on GitHub, only the gates upstream are counted.'),
      day: budgetAmount
        .optional()
        .describe(
          'What all attempts of the pipeline that begin on one day may spend. On GitHub only `plan` checks it, with `history-branch`.',
        ),
      'on-unknown': choiceOf('allow', 'fail')
        .default('allow')
        .describe('What happens after an agent that reported no cost: later gates start, or none does.'),
      prices: relativePath
        .optional()
        .describe(
          'A JSON file with prices in US dollars for a million tokens, by model: `{"opus": {"input": 15, "output": 75}}`. Used where an agent reports its model and tokens, but no cost.',
        ),
    },
    { error: 'expected a map with keys such as `gate`, `run` and `day`' },
  )
  .optional()
  .describe(
    'What agents may spend: US dollars (`5`), or a map with `dollars`, `tokens` or `minutes`. A gate that does not fit does not start. Not part of the request or the fingerprint.',
  );

/**
 * `gateline.yml` as written: the only definition of its structure, of the JSON Schema for editors
 * (schema/gateline.schema.json) and of the key table in docs/reference/gateline-yml.md. Keys are spelled as in GitHub
 * workflows.
 */
export const gatelineFileSchema = z
  .strictObject(
    {
      version: z.literal(1, { error: 'expected 1' }).default(1).describe('Version of this file format.'),
      pipeline: id.default('pipeline').describe('Id of the pipeline.'),
      subject: text(1_024, 'text')
        .optional()
        .describe(
          'The subject of a run, part of every request. Default: `{metadata.domain}-{metadata.feature}` if the file has both, else `pr-<number>` in a pull request, else the branch; agents and conditions do not see the default.',
        ),
      task: text(MAX_TASK_LENGTH, 'text')
        .optional()
        .describe('The goal of the run, for every agent; `--task` overrides it. Part of the fingerprint.'),
      metadata: jsonObject.default({}).describe('Your own values for agents and conditions. Part of the fingerprint.'),
      timezone: text(64, TIMEZONE)
        .refine(isTimezone, { error: `expected ${TIMEZONE}` })
        .optional()
        .describe(
          'Time zone in which days begin, for `gateline history` and `gateline stats`: a name such as `Europe/Berlin`. Default: UTC. Not part of the request or the fingerprint.',
        ),
      'max-parallel': wholeNumber(1, 256).default(2).describe('How many gates may run in parallel.'),
      env: envMap
        .default({})
        .describe(
          "Variables of every gate. Part of the fingerprint. `{X: }` takes the value from the caller; `{X: ''}` is an empty value.",
        ),
      defaults: z
        .strictObject({ run: runDefaults.optional() }, { error: 'expected a map with the key `run`' })
        .optional()
        .describe('Defaults for gates.'),
      workspace: workspaceSettings,
      snapshots: snapshotSettings,
      retention: retentionSettings,
      learning: choiceOf('propose', 'auto')
        .default('propose')
        .describe(
          'What happens to what agents wrote to `GATELINE_LEARNINGS`: `gateline memory promote` adds it to `.gateline/memory/learned-patterns.md` (`propose`), or `gateline run` does so after a run that is completed (`auto`). Not part of the request or the fingerprint.',
        ),
      mirror: oneOrMore(
        choiceOf(...MIRROR_FORMATS),
        0,
        MIRROR_FORMATS.length,
        'a system or a list such as `[state-guide]`',
      )
        .default([])
        .describe(
          'Systems whose files agents find, on your machine and in jobs on GitHub, and which are kept up to date. Those of `state-guide`, below `.state/`, are always there on your machine. Not part of the request or the fingerprint.',
        ),
      budget,
      'max-reworks': wholeNumber(0, 1_000)
        .optional()
        .describe('How often work may be sent back in one run, in all loops together. Default: no common limit.'),
      groups: mapOf(id, group, 'a map of group ids to lists of gate ids, or to maps with the key `gates`')
        .default({})
        .describe('Named groups of gates that are shown together.'),
      entities,
      commands,
      ...GITHUB_KEYS,
      gates: mapOf(id, gateSchema, GATES).default({}).meta({
        description: 'The gates, keyed by id, in order. Required, unless there are `commands`.',
        maxProperties: MAX_GATES,
      }),
    },
    { error: 'expected a map with the key `gates`' },
  )
  .meta({
    title: 'gateline.yml',
    description: 'A pipeline of agent gates.',
    anyOf: [
      { required: ['gates'], properties: { gates: { minProperties: 1 } } },
      { required: ['commands'] },
      { required: ['entities'] },
    ],
  });

/** The file, with defaults filled in. */
export type GatelineFile = z.infer<typeof gatelineFileSchema>;
