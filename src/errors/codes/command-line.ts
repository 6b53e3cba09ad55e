import type { CodeMeaning } from '../code-meaning.ts';

/** Commands and options. */
export const COMMAND_LINE_CODES = {
  COMMAND_UNKNOWN: {
    from: ['user'],
    means: 'There is no such command.',
    remedy: '`gateline help` lists the commands.',
  },
  OPTION_UNKNOWN: {
    from: ['user'],
    means: 'The command has no such option.',
    remedy: 'Options come after the command: gateline COMMAND [options]. `gateline help` lists the commands.',
  },
  OPTION_VALUE: {
    from: ['user'],
    means: 'An option has no value, an unexpected value or an invalid value.',
    remedy: 'Write the value that the message expects.',
  },
  OPTION_CONFLICT: { from: ['user'], means: 'An option has no effect here.', remedy: 'Leave it out.' },
  ARGUMENT_MISSING: {
    from: ['user'],
    means: 'An argument of the command is missing.',
    remedy: '`gateline help COMMAND` lists its arguments and options.',
  },
  ARGUMENT_UNEXPECTED: {
    from: ['user'],
    means: 'There is an extra argument.',
    remedy: 'Put texts with spaces in quotes.',
  },
  LIBRARY_ARGUMENT_REFUSED: {
    from: ['user'],
    means: 'A function of the library was called with an argument of another shape than it takes.',
    remedy: 'docs/reference/library.md shows the shapes of all arguments.',
  },
  SUBJECT_EMPTY: { from: ['user'], means: 'The subject is empty.', remedy: 'Pass `--subject TEXT`.' },
  INPUT_INVALID: {
    from: ['user'],
    means: "The file with the caller's input cannot be read or is not JSON.",
    remedy: 'Name a file with one JSON value, or `-` for standard input.',
  },
  METADATA_INVALID: {
    from: ['user'],
    means: '`--metadata` is not of the form KEY=VALUE.',
    remedy: 'VALUE is JSON or plain text: `--metadata domain=shop`, `--metadata \'limits={"users": 5}\'`.',
  },
  RUN_UNKNOWN: {
    from: ['user'],
    means: 'The subject has no run of that number.',
    remedy: '`gateline status` shows the newest run, `gateline status --subjects` the subjects.',
  },
  MOMENT_UNKNOWN: {
    from: ['user'],
    means: '`--at` names no record of the subject, or several, and it is not a time.',
    remedy: 'Use the name of a file below `.state/runs/`, without pipeline and `.json`, or a time (ISO 8601).',
  },
  ATTEMPT_UNKNOWN: {
    from: ['user'],
    means: 'The gate has no attempt of that number in that run.',
    remedy: 'Attempts are numbered from 1 in the order in which they began in the run.',
  },
  GATE_UNKNOWN: {
    from: ['user'],
    means: 'The pipeline has no such gate, or no such leg of a gate.',
    remedy: 'Use one that the message lists.',
  },
  PART_UNKNOWN: {
    from: ['user'],
    means: 'A gate has no part of that name to show.',
    remedy: 'Use one that the message lists.',
  },
  PART_ABSENT: {
    from: ['user'],
    means: 'The gate has no such part: it did not get that far, or there was nothing to store.',
    remedy: '`gateline show GATE` shows how it ended.',
  },
  TEMPLATE_UNKNOWN: {
    from: ['user'],
    means: 'There is no such template.',
    remedy: '`gateline init --list` lists them.',
  },
  FILE_EXISTS: {
    from: ['user'],
    means: 'A file that `gateline init` would write already exists.',
    remedy: 'Use another folder, or move these files away.',
  },
  FILE_UNWRITABLE: {
    from: ['platform'],
    means: 'A file of `gateline init` or `gateline compile` cannot be written.',
    remedy: 'Check free space, and who owns the folder.',
  },
  WORKFLOW_FOREIGN: {
    from: ['user'],
    means: 'Where `gateline compile` would write the workflow is another file, or the workflow of another definition.',
    remedy:
      'Write `pipeline` with another id, name another file with `--output`, or overwrite this one with `--force`.',
  },
  DEFINITION_OUTSIDE: {
    from: ['user'],
    means: 'The definition is not in the repository, so a workflow could not find it.',
    remedy: 'Move it into the repository.',
  },
  DECISION_UNKNOWN: {
    from: ['user'],
    means: 'There is no such decision.',
    remedy: 'Use one that the message lists.',
  },
  REASON_MISSING: {
    from: ['user'],
    means: 'A decision was made without a reason.',
    remedy: 'Pass `--reason TEXT`; it is shown with the decision.',
  },
  ACTOR_UNKNOWN: {
    from: ['user'],
    means:
      "It is unknown who decides: no `--actor`, no `user.email` in git's settings, and the account is root's or a CI service's.",
    remedy: 'Pass `--actor NAME`, or set `git config user.email NAME@EXAMPLE.ORG`.',
  },
  OUTPUT_FAILED: {
    from: ['platform'],
    means: 'Standard output could not be written completely (usually a full disk).',
    remedy: 'Free some space; the printed output is incomplete.',
  },
  INTERNAL: {
    from: ['gateline'],
    means: 'An internal error: a bug in Gateline.',
    remedy: 'Report it with the lines that were printed.',
  },
  FORMAT_UNKNOWN: {
    from: ['user'],
    means: '`import` and `export` know no format of that name.',
    remedy: '`gateline help import` lists the formats.',
  },
  IMPORT_REFUSED: {
    from: ['user'],
    means:
      'A file of another system is not what its format says, contradicts another one, or says that a gate is completed whose output does not meet the contract. Nothing was imported.',
    remedy: 'Correct the file at the JSON pointer, or leave it out by naming the others.',
  },
  EXPORT_REFUSED: {
    from: ['user'],
    means:
      'A file of another system cannot be written where it belongs: git tracks it or does not ignore it, a link or something else is in its place, the folder has other files, or there is no repository that could ignore it.',
    remedy:
      'Name another folder with `--to DIR`. In a job, remove what is in the way from the commit, or leave the system out of `mirror`.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
