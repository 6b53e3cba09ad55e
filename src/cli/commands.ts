import { INPUT_OPTIONS, SUBJECT_OPTIONS } from './options.ts';
import type { CommandSpec, OptionSpec } from './command.ts';

const JSON_OPTION: OptionSpec = {
  name: 'json',
  help: 'one JSON document on standard output (docs/reference/json-output.md)',
};
const STAND_IN: OptionSpec = {
  name: 'stand-in',
  help: 'where a need has no output yet, run all the same: the agent takes what it needs from --input',
};
const RUN_OPTION: OptionSpec = {
  name: 'run',
  value: 'RUN',
  help: 'an earlier run: its number, or SUBJECT#NUMBER (default: the newest)',
};
const ACTOR: OptionSpec = {
  name: 'actor',
  value: 'NAME',
  help: "who decides (default: git's user.email, else your account's name)",
};

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'write a pipeline to start from',
    positionals: [],
    options: [
      { name: 'template', short: 't', value: 'NAME', help: 'which one (default: agents)' },
      { name: 'list', help: 'list the templates' },
      { name: 'dry-run', short: 'n', help: 'only say what would be written' },
      JSON_OPTION,
    ],
    description:
      'Writes gateline.yml and what it needs into this folder. It runs as it is, with placeholders for agents; nothing that exists is written over.',
    examples: [{ command: 'gateline init --template single', what: 'one gate, contract and all in one file' }],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'validate',
    summary: 'check the definition and every contract',
    positionals: [],
    options: [SUBJECT_OPTIONS[0]!, JSON_OPTION],
    description:
      'Tells everything that is wrong at once, with file, line and column, a code, and what to do. Runs nothing.',
    examples: [{ command: 'gateline validate --file other.yml', what: 'check another definition' }],
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'plan',
    summary: 'say what a run would do, and why',
    positionals: [],
    options: [...SUBJECT_OPTIONS, ...INPUT_OPTIONS, STAND_IN, JSON_OPTION],
    description:
      'For each gate: keep, reuse, run, skip, blocked or depends, with the reason: which file, which variable, which upstream export changed, and where a reused output came from. Writes nothing and starts nothing but the version commands under `tools`.',
    examples: [{ command: 'gateline plan', what: 'the same as gateline run --dry-run' }],
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'run',
    summary: 'run the pipeline, or go on with a run that stopped',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      ...INPUT_OPTIONS,
      {
        name: 'gate',
        short: 'g',
        value: 'GATE',
        multiple: true,
        help: 'run only these gates; others are reused where they still hold',
      },
      { name: 'with-needs', help: 'with --gate: run what those gates need too' },
      STAND_IN,
      { name: 'force', value: 'GATE', multiple: true, help: 'run this gate again although nothing changed' },
      { name: 'reason', value: 'TEXT', help: 'why; required with --force' },
      ACTOR,
      { name: 'apply', help: 'when the run is completed, put what its gates hand on into this folder' },
      { name: 'dry-run', short: 'n', help: 'only say what would be done' },
      { name: 'quiet', short: 'q', help: 'no agent output and no checkpoints' },
      JSON_OPTION,
    ],
    description:
      'Runs every gate whose needs are satisfied, side by side where they do not need each other, checks each output against its contract, and keeps everything below .state/.\nA run stays open until it is completed: after a failure, a crash or Ctrl-C, run it again and it goes on from what is ready, and says why each gate is reused or run. Once completed, the next call begins a new run, which reuses what still holds.',
    examples: [
      { command: 'gateline run', what: 'run, or go on' },
      { command: 'gateline run --subject pr-42 --input story.json', what: 'another subject, with input from a file' },
      {
        command: 'gateline run --force review --reason "new model"',
        what: 'run review again, and what depends on it if it says something else',
      },
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'diff',
    summary: 'show what the gates of a run made',
    positionals: [
      {
        name: 'GATE',
        required: false,
        help: 'everything that this gate changed, or gate/leg (default: what all gates hand on)',
      },
    ],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'attempt', value: 'A..B', help: 'compare two attempts of the gate in this run, by number' },
      JSON_OPTION,
    ],
    description:
      'Prints a patch, which names binary files only. Agents work in work trees of their own; your folder stays as it is until you apply.\nAttempts are numbered in the order in which they began in this run; one that was killed counts, and has nothing to show.',
    examples: [{ command: 'gateline diff implement', what: 'all that the gate changed, handed on or not' }],
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'apply',
    summary: 'put what the gates of a run made into this folder',
    positionals: [{ name: 'RUN', required: false, help: 'number of the run, or SUBJECT#NUMBER (default: the newest)' }],
    options: [
      ...SUBJECT_OPTIONS,
      { name: 'gate', short: 'g', value: 'GATE', multiple: true, help: 'only what these gates hand on' },
      { name: 'dry-run', short: 'n', help: 'only say what would be done' },
      JSON_OPTION,
    ],
    description:
      'Writes the files that gates hand on, where your version is still the one that they began with. Other paths are conflicts: they are listed and left alone, and the exit code is 1. What is replaced is copied below .state/applied/ first. If it was cut short, do it again.',
    examples: [{ command: 'gateline apply --gate implement', what: 'only what one gate hands on' }],
    load: () => import('./commands/apply.ts'),
  },
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
        help: 'make a work tree of its own for the agent, and print it as GATELINE_WORKSPACE (default: this folder)',
      },
      JSON_OPTION,
    ],
    description:
      "Loads and checks what the gate needs, claims it, writes its request, and prints the variables of the agent protocol as shell commands, for eval. The claim holds for the gate's timeout.\nIf an earlier output still holds there is nothing to do: then GATELINE_TOKEN is unset. If it cannot begin, what is printed ends the eval with begin's exit code.",
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
      JSON_OPTION,
    ],
    description:
      'Judges what the agent wrote by the contract as it was when the gate was begun, and records what it came to.',
    examples: [
      { command: 'gateline complete --exit-code $?', what: 'also when the agent failed: the failure is recorded' },
    ],
    load: () => import('./commands/complete.ts'),
  },
  {
    name: 'status',
    summary: 'tell how far the run is',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'subjects', help: 'list the subjects that there are runs of' },
      JSON_OPTION,
    ],
    description: "The state of every gate in the subject's newest run, derived from its records, and what to do next.",
    examples: [{ command: 'gateline status --json', what: 'for programs' }],
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'show',
    summary: 'show what is kept of a gate',
    positionals: [
      { name: 'GATE', required: true, help: 'the gate, or gate/leg' },
      {
        name: 'PART',
        required: false,
        help: 'verdict (default), request, output, exports, record, stdout, stderr, learnings, contract',
      },
    ],
    options: [...SUBJECT_OPTIONS, RUN_OPTION, JSON_OPTION],
    description:
      "Everything that is kept of a gate's latest attempt: what it was asked, what it answered, and what was thought of it.",
    examples: [
      { command: 'gateline show review', what: 'why it failed, and what to do' },
      { command: 'gateline show review request', what: 'what the agent was given' },
    ],
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'decide',
    summary: 'approve, reject, skip or force a gate',
    positionals: [
      { name: 'DECISION', required: true, help: 'approve, reject, skip or force' },
      { name: 'GATE', required: true, help: 'the gate, or gate/leg' },
    ],
    options: [
      ...SUBJECT_OPTIONS,
      { name: 'reason', value: 'TEXT', help: 'why; required, shown everywhere' },
      ACTOR,
      { name: 'until', value: 'TIME', help: 'approve and skip end to count then (ISO 8601)' },
      { name: 'output', value: 'FILE', help: 'with skip: the output for later gates; it must meet the contract' },
      JSON_OPTION,
    ],
    description:
      "Records a person's word about a gate. It counts for what happened before it; gateline run goes on from there.",
    examples: [
      {
        command: 'gateline decide approve review --reason "score is low for a known reason"',
        what: 'let a paused gate pass',
      },
    ],
    load: () => import('./commands/decide.ts'),
  },
];
