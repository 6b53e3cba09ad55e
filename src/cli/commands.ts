import {
  HOW_TO_RUN,
  HOW_TO_RUN_A_SET,
  INPUT_OPTIONS,
  JSON_OPTION,
  RUN_OPTION,
  SET_OPTIONS,
  MIRROR,
  STAND_IN,
  STRICT,
  SUBJECT_OPTIONS,
  WHICH_GATES,
} from './options.ts';
import type { CommandSpec } from './command.ts';
import { DECIDE } from './decide-command.ts';
import { ENTITY_COMMANDS } from './entities/entity-commands.ts';
import { FOLDER_COMMANDS } from './folder-commands.ts';
import { INSPECT_COMMANDS } from './inspect-commands.ts';
import { HISTORY_COMMANDS } from './history-commands.ts';
import { MEMORY_COMMANDS } from './commands/memory-commands.ts';
import { LOOP_COMMANDS } from './loop/loop-commands.ts';
import { EXCHANGE_COMMANDS } from './exchange/exchange-commands.ts';

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'write a pipeline to start from',
    positionals: [],
    options: [
      { name: 'template', short: 't', value: 'NAME', help: 'which one (default: agents)' },
      { name: 'list', help: 'list the templates' },
      { name: 'workflow', help: 'also write the workflow of the pipeline for GitHub, as `gateline compile` does' },
      { name: 'dry-run', short: 'n', help: 'only list what would be written' },
      JSON_OPTION,
    ],
    description:
      'Writes gateline.yml and the files it needs into this folder. The pipeline runs as it is, with placeholders for agents. Existing files are never overwritten.',
    examples: [
      { command: 'gateline init --template single', what: 'one gate and its contract in one file' },
      { command: 'gateline init --workflow', what: 'pipeline, agents and the workflow for GitHub' },
    ],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'validate',
    summary: 'check the definition and every contract',
    positionals: [],
    options: [...SUBJECT_OPTIONS, JSON_OPTION],
    description:
      'Reports every error at once, with file, line, column, error code and hint. Runs nothing. If the definition needs `--subject`, pass it here, too.',
    examples: [{ command: 'gateline validate --file other.yml', what: 'check another definition' }],
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'compile',
    summary: 'write the workflow that runs the pipeline on GitHub',
    positionals: [],
    options: [
      SUBJECT_OPTIONS[0]!,
      {
        name: 'output',
        short: 'o',
        value: 'PATH',
        help: 'where to write it (default: .github/workflows/<pipeline>.yml of the repository)',
      },
      {
        name: 'action-ref',
        value: 'REF',
        help: 'commit, tag or branch of gateline/gateline to use (default: the one in the existing workflow, else the commit of this package, else v1)',
      },
      { name: 'check', help: 'write nothing; exit with 1 and show the difference if the workflow is not up to date' },
      { name: 'dry-run', short: 'n', help: 'write nothing; print the workflow' },
      { name: 'force', help: 'overwrite a file that was not compiled from this definition' },
      JSON_OPTION,
    ],
    description:
      'Writes one job for each gate, and a job that reports. Each job has the permissions that it needs and no others; the digest of each output goes from job to job. The same definition gives the same text, and the network is not used.\nActions that a workflow brings itself are pinned; a workflow that exists keeps its pins, so that a bot can update them. Keys such as `runs-on`, `steps-before` and `on` are in docs/reference/gateline-yml.md.',
    examples: [
      { command: 'gateline compile', what: 'write the workflow' },
      {
        command: 'gateline compile --check',
        what: 'in CI: fail if somebody changed gateline.yml and did not compile it',
      },
    ],
    load: () => import('./commands/compile.ts'),
  },
  {
    name: 'plan',
    summary: 'show what a run would do, and why',
    positionals: [],
    options: [...SUBJECT_OPTIONS, ...SET_OPTIONS, ...INPUT_OPTIONS, STAND_IN, STRICT, JSON_OPTION],
    description:
      'For each gate: keep, reuse, run, skip, blocked or depends, with the reason: which file, which variable, which upstream export changed, and where a reused output came from. If earlier runs show how long the gates take, their time is estimated. Writes nothing and starts nothing but the version commands under `tools`.',
    examples: [{ command: 'gateline plan', what: 'the same as gateline run --dry-run' }],
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'run',
    summary: 'run the pipeline, or continue a run that stopped',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      ...SET_OPTIONS,
      ...HOW_TO_RUN_A_SET,
      ...INPUT_OPTIONS,
      ...WHICH_GATES,
      { name: 'new', help: 'close the open run, and start a new one' },
      { name: 'reason', value: 'TEXT', help: 'why; required with --force' },
      ...HOW_TO_RUN,
    ],
    description:
      'Runs every gate whose needs are satisfied, and independent gates in parallel. Checks each output against its contract and keeps everything below .state/.\nA run stays open until it is completed: after a failure, a crash or Ctrl-C, run it again. It continues from what is done, and shows why each gate is reused or run. Once the run is completed, the next call starts a new run, which reuses every output that is still valid.\nWith --set, every subject of a file is a run of its own. A subject starts when those that it needs are completed, with the files that they handed on. Subjects that are completed and up to date stay as they are. Your folder does not change.',
    examples: [
      { command: 'gateline run', what: 'start a run, or continue one' },
      { command: 'gateline run --subject pr-42 --input story.json', what: 'another subject, with input from a file' },
      {
        command: 'gateline run --force review --reason "new model"',
        what: 'run review again, and the gates after it if its output changes',
      },
      {
        command: 'gateline run --set subjects.json --max-parallel 4',
        what: 'one run for each subject, four at a time',
      },
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'resume',
    summary: 'continue a run that failed or was paused, with a strategy',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      ...INPUT_OPTIONS,
      {
        name: 'strategy',
        value: 'NAME',
        help: 'retry-current (default), retry-previous, skip-current or from-checkpoint',
      },
      {
        name: 'from',
        value: 'GATE',
        multiple: true,
        listed: true,
        help: 'run this gate and everything downstream again; without a name, list the gates',
      },
      { name: 'keep', help: 'with --from: use the earlier outputs of all other gates, even if their inputs changed' },
      ...WHICH_GATES,
      { name: 'reason', value: 'TEXT', help: 'why; required with skip-current, --keep and --force' },
      ...HOW_TO_RUN,
    ],
    description:
      'Lifts a pause and continues the open run.\nretry-current runs failed gates again, as `gateline run` does. retry-previous also runs the gates that the failed ones need. skip-current skips the failed gates. from-checkpoint runs the gate named by --from and everything downstream again; earlier gates are reused if their inputs are unchanged.',
    examples: [
      { command: 'gateline resume --from implement', what: 'run implement again, and every gate after it' },
      {
        command: 'gateline resume --strategy skip-current --reason "reviewed by hand"',
        what: 'continue without the gates that failed',
      },
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'fork',
    summary: 'begin a new run from an earlier one',
    positionals: [{ name: 'RUN', required: true, help: 'the earlier run: its number, or SUBJECT#NUMBER' }],
    options: [
      ...SUBJECT_OPTIONS,
      ...INPUT_OPTIONS,
      { name: 'from', value: 'GATE', help: 'run this gate and everything downstream again' },
      { name: 'new', help: 'close the open run of the subject first' },
      { name: 'reason', value: 'TEXT', help: 'why; required' },
      ...HOW_TO_RUN,
    ],
    description:
      "Begins a new run and records which run it is a fork of. The earlier run does not change. Without --from, gates run again only if something changed. Earlier outputs of the other gates are reused if their requests are unchanged.\nThe new run belongs to the earlier run's subject, unless --subject names another one. A subject that you set is part of every request; the default subject is not.",
    examples: [
      { command: 'gateline fork 3 --from review --reason "new model"', what: 'repeat run 3 from review on' },
      { command: 'gateline fork pr-7#3 --from review --reason test --dry-run', what: 'only show what would run' },
    ],
    load: () => import('./commands/fork.ts'),
  },
  ...FOLDER_COMMANDS,
  {
    name: 'begin',
    summary: 'begin a gate for an agent that runs by itself',
    positionals: [{ name: 'GATE', required: true, help: 'the gate, or gate/leg' }],
    options: [
      ...SUBJECT_OPTIONS,
      ...INPUT_OPTIONS,
      STAND_IN,
      {
        name: 'tree',
        help: 'create a separate work tree for the agent, and print it as GATELINE_WORKSPACE (default: this folder)',
      },
      MIRROR,
      JSON_OPTION,
    ],
    description:
      "Loads and checks what the gate needs, claims it, writes its request, and prints the variables of the agent protocol as shell commands, for eval. The claim is valid until the gate's timeout.\nIf an earlier output can be reused, there is nothing to do and GATELINE_TOKEN is unset. If the gate cannot begin, the printed text ends the eval with begin's exit code.",
    examples: [
      {
        command: `eval "$(gateline begin design)" && [ -n "\${GATELINE_TOKEN:-}" ] && { my-agent; gateline complete --exit-code $?; }`,
        what: 'wrap any command that reads $GATELINE_REQUEST and writes $GATELINE_OUTPUT',
      },
    ],
    load: () => import('./commands/begin.ts'),
  },
  {
    name: 'complete',
    summary: 'complete a gate that was begun',
    positionals: [],
    options: [
      SUBJECT_OPTIONS[0]!,
      { name: 'token', value: 'TOKEN', help: 'what begin printed (default: $GATELINE_TOKEN)' },
      { name: 'exit-code', value: 'N', help: 'how the agent ended (default: 0)' },
      MIRROR,
      JSON_OPTION,
    ],
    description:
      "Checks the agent's output against the contract as it was when the gate began, and records the verdict.",
    examples: [
      { command: 'gateline complete --exit-code $?', what: 'also when the agent failed: the failure is recorded' },
    ],
    load: () => import('./commands/complete.ts'),
  },
  {
    name: 'status',
    summary: 'show the progress of a run',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      {
        name: 'at',
        value: 'MOMENT',
        help: 'the state at an earlier moment: a time (ISO 8601), or the name of a record or its beginning',
      },
      { name: 'subjects', help: 'list the subjects that have runs' },
      ...SET_OPTIONS,
      JSON_OPTION,
    ],
    description:
      "The state of every gate in the subject's newest run, derived from its records, and what to do next.\nWith --at, only records up to that moment are used. A record is named like its file below .state/runs/, without pipeline and .json: `review._.2.1.1.ended` is the end of the first attempt of review in the first call of run 2. Records of other gates are compared by their times.",
    examples: [
      { command: 'gateline status --json', what: 'for programs' },
      { command: 'gateline status --run 2 --at review._.2.1.1.ended', what: 'run 2 when review had ended' },
    ],
    load: () => import('./inspect/status.ts'),
  },
  {
    name: 'show',
    summary: "show a gate's verdict, request, output or logs",
    positionals: [
      { name: 'GATE', required: true, help: 'the gate, or gate/leg' },
      {
        name: 'PART',
        required: false,
        help: 'verdict (default), request, output, exports, record, stdout, stderr, learnings, contract',
        words: ['verdict', 'request', 'output', 'exports', 'record', 'stdout', 'stderr', 'learnings', 'contract'],
      },
    ],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'attempt', value: 'K', help: 'this attempt of the gate in the run, by number (default: the latest)' },
      JSON_OPTION,
    ],
    description:
      "Shows everything that is stored for a gate's latest attempt, or for an earlier one: its request, its output and its verdict.\nAttempts are numbered in the order in which they began in the run; a killed attempt has a number, too.",
    examples: [
      { command: 'gateline show review', what: 'why it failed, and what to do' },
      { command: 'gateline show review request', what: 'the request that the agent got' },
      { command: 'gateline show review output --run 2 --attempt 1', what: 'the first output of run 2' },
    ],
    load: () => import('./commands/show.ts'),
  },
  ...INSPECT_COMMANDS,
  ...HISTORY_COMMANDS,
  ...MEMORY_COMMANDS,
  ...LOOP_COMMANDS,
  ...EXCHANGE_COMMANDS,
  ...ENTITY_COMMANDS,
  DECIDE,
];
