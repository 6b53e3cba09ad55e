import { z } from 'zod';
import {
  BRANCH_PATTERN,
  choiceOf,
  command,
  envName,
  listOf,
  mapOf,
  matching,
  number,
  text,
  yesOrNo,
} from './gateline-values.ts';
import { triggers } from './triggers.ts';

/*
 * The keys of gateline.yml that only the workflow of `gateline compile` uses. They are spelt as in a workflow, and
 * mean the same there.
 */

const PERMISSIONS = [
  'actions',
  'attestations',
  'checks',
  'contents',
  'deployments',
  'discussions',
  'id-token',
  'issues',
  'models',
  'packages',
  'pages',
  'pull-requests',
  'security-events',
  'statuses',
] as const;

/** With one of these an agent could approve its own output, or start runs. */
const ONLY_READ = ['actions', 'checks', 'statuses'] as const;

/** An action, as `uses` names it. */
const action = matching(
  /^(?:\.\/[\w./-]*|docker:\/\/[\w./:@-]+|[\w-]+\/[\w.-]+(?:\/[\w./-]+)?@[\w./-]+)$/,
  'an action such as `owner/name@ref`, `./path` or `docker://image`',
);
/** Id of a step or a service. */
const name = matching(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'a name of A-Z, a-z, 0-9, `_` and `-`');
const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'expected text, a number, `true` or `false`' });
const values = mapOf(name, scalar, 'a map of input names to values');
const variables = mapOf(envName, scalar, 'a map of variable names to values');

const LABELS = 'the label of a runner, a list of labels, or a map with `group` and `labels`';
const label = text(200, 'the label of a runner');
const oneOrMoreLabels = z.union([label, listOf(label, 1, 20, LABELS)], {
  error: 'expected the label of a runner, or a list of labels',
});
const runsOn = z
  .union([label, listOf(label, 1, 20, LABELS), z.strictObject({ group: label, labels: oneOrMoreLabels.optional() })], {
    error: `expected ${LABELS}`,
  })
  .optional();

const CREDENTIALS = 'expected a map with the keys `username` and `password`';
const image = text(1_024, 'a container image');
const container = z.union(
  [
    image,
    z.strictObject({
      image,
      credentials: z
        .strictObject({ username: text(1_024, 'a name'), password: text(1_024, 'a secret') }, { error: CREDENTIALS })
        .optional(),
      env: variables.optional(),
      ports: listOf(
        z.union([z.int(), text(50, 'a port')], { error: 'expected a port' }),
        1,
        100,
        'a list of ports',
      ).optional(),
      volumes: listOf(text(1_024, 'a volume'), 1, 100, 'a list of volumes').optional(),
      options: text(4_096, 'options').optional(),
    }),
  ],
  { error: 'expected a container image, or a map with the key `image`' },
);

const step = z
  .strictObject(
    {
      id: name.optional(),
      name: text(200, 'a name').optional(),
      if: z.union([text(21_000, 'a condition'), z.boolean()], { error: 'expected a condition' }).optional(),
      uses: action.optional(),
      with: values.optional(),
      env: variables.optional(),
      run: command.optional(),
      shell: text(1_024, 'a shell').optional(),
      'working-directory': text(1_024, 'a path').optional(),
      'continue-on-error': yesOrNo.optional(),
      'timeout-minutes': number(0.001, 4_320, 'a number of minutes above 0 and up to 4320').optional(),
    },
    { error: 'expected a step: a map with `uses` or `run`' },
  )
  .refine((one) => (one.uses === undefined) !== (one.run === undefined), 'expected either `uses` or `run`');
const steps = listOf(step, 0, 50, 'a list of at most 50 steps').optional();

/** How the files of gates are handed over when all gates have passed. */
const DELIVER_AS = ['pull-request', 'commit', 'patch'] as const;

const DELIVER = 'expected a map with the keys `gates` and `as`';
const ids = listOf(text(200, 'the id of a gate'), 1, 1_000, 'a list of gate ids');

const deliver = z
  .strictObject(
    {
      gates: z
        .union([text(200, 'the id of a gate'), ids], { error: 'expected the id of a gate, or a list of ids' })
        .describe('The gates whose files are delivered.'),
      as: choiceOf(...DELIVER_AS)
        .default('pull-request')
        .describe(
          '`pull-request`: a branch and a pull request. `commit`: a commit on the branch of the run. `patch`: an artifact.',
        ),
      allow: listOf(text(4_096, 'a path'), 1, 100, 'a list of paths')
        .optional()
        .describe(
          'Exact paths, from the top of the repository, that may be delivered although something would run them by itself: files below `.github`, and hooks of git.',
        ),
      learnings: z
        .boolean({ error: 'expected true or false' })
        .default(false)
        .describe('Also add what agents learned to `.gateline/memory/learned-patterns.md`.'),
    },
    { error: DELIVER },
  )
  .optional()
  .describe(
    'In the workflow of `gateline compile`: a last job that delivers the files of gates, if the report is green.',
  );

/** Keys at the top of the file that only `gateline compile` uses. */
export const GITHUB_KEYS = {
  on: triggers,
  'runs-on': runsOn.describe(
    'In the workflow of `gateline compile`: the runner of gates that name none. Default: `ubuntu-latest`.',
  ),
  'steps-before': steps.describe(
    'In the workflow of `gateline compile`: the steps between checkout and gate, for gates that set none.',
  ),
  workflow: z
    .strictObject(
      {
        env: variables.optional().describe('Variables of every job, for gates whose `env` leaves their value empty.'),
        statuses: choiceOf('auto', 'gates', 'never')
          .optional()
          .describe(
            'The input `statuses` of the report. `gates`: a commit status for each gate, too. Default: `auto`.',
          ),
        commands: yesOrNo
          .optional()
          .describe(
            'Gates read the commands that people give in comments of pull requests. Default: only gates that wait for an approval do.',
          ),
        'html-report': yesOrNo
          .optional()
          .describe('The input `html-report` of the report: it uploads the run as one page. Default: `false`.'),
        'history-branch': matching(BRANCH_PATTERN, 'the name of a branch, such as `gateline-history`')
          .optional()
          .describe(
            'The input `history-branch` of the report: it appends the outcome to this branch, with `contents: write`. Default: none.',
          ),
      },
      { error: 'expected a map with keys such as `env` and `statuses`' },
    )
    .optional()
    .describe('More of the workflow of `gateline compile`.'),
  deliver,
};

/** Keys of a gate that only its job in a compiled workflow uses; `uses` and `local` take the place of `run`. */
export const GITHUB_GATE_KEYS = {
  uses: z
    .strictObject(
      {
        action: action.describe('The action, as in a step: `owner/name@ref`.'),
        with: values
          .default({})
          .describe('Its inputs, part of the request. Expressions are part of it as they are written here.'),
        output: text(4_096, 'an expression')
          .optional()
          .describe(
            'Expression for the output, such as `${{ steps.agent.outputs.result }}`. Default: the file that `${{ steps.begin.outputs.output-file }}` names.',
          ),
        metrics: text(4_096, 'an expression')
          .optional()
          .describe(
            'Expression for what the work cost, such as `${{ steps.agent.outputs.execution_file }}`: JSON, or the path of a file with it. Default: the file that `${{ steps.begin.outputs.metrics-file }}` names.',
          ),
      },
      { error: 'expected a map with the key `action`' },
    )
    .optional()
    .describe('The agent is another action, in the workflow of `gateline compile`. In place of `run`.'),
  local: command.optional().describe('The command on your machine, where `uses` names an action.'),
  'runs-on': runsOn.describe(
    'In the workflow of `gateline compile`: the runner of the job. Default: `runs-on` at the top of the file.',
  ),
  container: container
    .optional()
    .describe('In the workflow of `gateline compile`: the container that the job runs in.'),
  services: mapOf(name, container, 'a map of names to containers')
    .optional()
    .describe('In the workflow of `gateline compile`: containers that run with the job.'),
  environment: z
    .union([text(255, 'a name'), z.strictObject({ name: text(255, 'a name'), url: text(2_048, 'a URL').optional() })], {
      error: 'expected the name of an environment, or a map with `name` and `url`',
    })
    .optional()
    .describe(
      'In the workflow of `gateline compile`: the environment of the job. Its rules, such as required reviewers, apply before the job starts.',
    ),
  permissions: z
    .partialRecord(choiceOf(...PERMISSIONS), choiceOf('read', 'write'), {
      error: 'expected a map of permissions to `read` or `write`',
    })
    .refine(
      (given) => ONLY_READ.every((one) => given[one] !== 'write'),
      'expected no `write` for `actions`, `checks` and `statuses`: an agent could approve its own output',
    )
    .optional()
    .describe(
      'In the workflow of `gateline compile`: permissions of the job in addition to those that Gateline needs. Never `write` for `actions`, `checks` or `statuses`.',
    ),
  'steps-before': steps.describe(
    'In the workflow of `gateline compile`: steps between checkout and gate. Default: `steps-before` at the top of the file.',
  ),
};

/** Ids of the steps of a compiled job. */
export const OWN_STEPS: ReadonlySet<string> = new Set(['gate', 'begin', 'agent', 'complete']);
