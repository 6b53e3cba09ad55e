import type { CommandSpec } from './command.ts';
import { ACTOR, JSON_OPTION, RUN_OPTION, SUBJECT_OPTIONS } from './options.ts';

/** The commands that compare and change the user's folder. */
export const FOLDER_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'diff',
    summary: 'show the changes that the gates of a run made',
    positionals: [
      {
        name: 'GATE',
        required: false,
        help: 'everything this gate changed, or gate/leg (default: what all gates hand on)',
      },
    ],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'attempt', value: 'A..B', help: 'compare two attempts of the gate in this run, by number' },
      {
        name: 'runs',
        value: 'RUN..RUN',
        help: 'compare two runs: the status, score, time, cost and output of each gate',
      },
      JSON_OPTION,
    ],
    description:
      'Prints a patch; of binary files it has only the names. Between two attempts, differences of their requests and outputs come first. Agents work in their own work trees; your folder does not change until you run `gateline apply`.\nAttempts are numbered in the order in which they began in this run; a killed attempt has a number, but nothing to show.\nWith --runs, the gates of two runs are compared by their records; a run can be one of another subject (`pr-7#2..pr-8#1`).',
    examples: [
      { command: 'gateline diff implement', what: 'everything the gate changed, handed on or not' },
      { command: 'gateline diff review --attempt 1..2', what: 'what two attempts were asked, answered and left' },
      { command: 'gateline diff --runs 3..4', what: 'what run 4 made different from run 3' },
    ],
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'apply',
    summary: 'write the changes that the gates of a run made into this folder',
    positionals: [{ name: 'RUN', required: false, help: 'number of the run, or SUBJECT#NUMBER (default: the newest)' }],
    options: [
      ...SUBJECT_OPTIONS,
      { name: 'gate', short: 'g', value: 'GATE', multiple: true, help: 'only what these gates hand on' },
      {
        name: 'deliver',
        value: 'AS',
        help: 'leave the folder as it is, and put the files of the completed run on a `branch` gateline/SUBJECT, or into a `patch` below .state/',
      },
      {
        name: 'set',
        value: 'FILE',
        help: 'with --deliver: the set of the subject; commits of the subjects that it needs come first on the branch',
      },
      { name: 'dry-run', short: 'n', help: 'only show what would be done' },
      JSON_OPTION,
    ],
    description:
      'Writes the files that gates hand on, unless your version changed since the gates began. Changed paths are conflicts: they are listed and not touched, and the exit code is 1. Replaced files are copied below .state/applied/ first. If the command is interrupted, run it again.\nWith --deliver, HEAD, the index and the folder stay as they are, as with `gateline run --set FILE --deliver`: a branch is made on the checked out commit, and an existing branch is never moved.',
    examples: [
      { command: 'gateline apply --gate implement', what: 'only what one gate hands on' },
      {
        command: 'gateline apply login#1 --set subjects.json --deliver branch',
        what: 'the branch gateline/login, with what run 1 of the subject login made',
      },
    ],
    load: () => import('./commands/apply.ts'),
  },
  {
    name: 'rollback',
    summary: 'undo what the gates of a run changed in this folder and in the database',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'to', value: 'GATE', help: 'restore what this gate left; gates that it does not need run again' },
      { name: 'all', help: 'restore what the run found' },
      { name: 'force', help: 'also overwrite files that were changed since; they are copied first' },
      { name: 'reason', value: 'TEXT', help: 'why; shown everywhere' },
      ACTOR,
      { name: 'dry-run', short: 'n', help: 'only show what would be done' },
      JSON_OPTION,
    ],
    description:
      'Prints the change to this folder as a patch, then makes it. Restores files that `gateline apply`, or gates that work in this folder, have changed in the newest run, or in that of --run, and the database if gateline.yml has `snapshots: {database}`. If a file was changed since, nothing is restored without --force. Replaced files are copied below .state/applied/ first. Commits, branches and the index stay as they are; files that were committed are listed.\nAfterwards the outputs of the gates that were rolled back are not used any more. With --to, the run is paused: `gateline resume` continues. With --all, it is over. If the command is interrupted, run it again.\nA run that only reused outputs has changed nothing: the error then names the run whose files are in the folder. The outputs of an earlier run that is rolled back are not used any more by later runs either.',
    examples: [
      { command: 'gateline rollback --to implement --dry-run', what: 'show what would be restored' },
      { command: 'gateline rollback --all --reason "wrong approach"', what: 'undo the whole run' },
      { command: 'gateline rollback --all --run 3', what: 'undo what run 3 changed, although there are later runs' },
    ],
    load: () => import('./commands/rollback.ts'),
  },
];
