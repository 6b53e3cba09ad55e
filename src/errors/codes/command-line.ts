import type { CodeMeaning } from '../error-codes.ts';

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
    remedy: '`gateline help COMMAND` lists its options; they come after the command.',
  },
  OPTION_VALUE: {
    from: ['user'],
    means: 'An option lacks its value, has one that it does not take, or one that cannot be right.',
    remedy: 'Write what the message expects.',
  },
  OPTION_CONFLICT: { from: ['user'], means: 'An option was given where it would do nothing.', remedy: 'Leave it out.' },
  ARGUMENT_MISSING: {
    from: ['user'],
    means: 'An argument of the command is missing.',
    remedy: '`gateline help COMMAND` tells what it takes.',
  },
  ARGUMENT_UNEXPECTED: {
    from: ['user'],
    means: 'There is one argument too many.',
    remedy: 'Put texts with spaces in quotes.',
  },
  SUBJECT_EMPTY: { from: ['user'], means: 'The subject is empty.', remedy: 'Pass `--subject TEXT`.' },
  INPUT_INVALID: {
    from: ['user'],
    means: "The file with the caller's input cannot be read or is not JSON.",
    remedy: 'Name a file that holds one JSON value, or `-` for standard input.',
  },
  METADATA_INVALID: {
    from: ['user'],
    means: '`--metadata` is not of the form KEY=VALUE.',
    remedy: 'Write `--metadata domain=shop`.',
  },
  RUN_UNKNOWN: {
    from: ['user'],
    means: 'The subject has no run of that number.',
    remedy: '`gateline status` tells the newest run, `gateline status --subjects` the subjects.',
  },
  GATE_UNKNOWN: {
    from: ['user'],
    means: 'The pipeline has no such gate, or no such leg of a gate.',
    remedy: 'Take one of those that the message lists.',
  },
  PART_UNKNOWN: {
    from: ['user'],
    means: 'A gate has no part of that name to show.',
    remedy: 'Take one of those that the message lists.',
  },
  PART_ABSENT: {
    from: ['user'],
    means: 'The gate has nothing of that sort: it did not come to it, or there was nothing to keep.',
    remedy: '`gateline show GATE` tells how it ended.',
  },
  TEMPLATE_UNKNOWN: {
    from: ['user'],
    means: 'There is no such template.',
    remedy: '`gateline init --list` lists them.',
  },
  FILE_EXISTS: {
    from: ['user'],
    means: 'A file that `gateline init` would write is there already.',
    remedy: 'Work in another folder, or move the file away.',
  },
  FILE_UNWRITABLE: {
    from: ['platform'],
    means: 'A file that `gateline init` makes cannot be written.',
    remedy: 'Check free space, and who owns the folder.',
  },
  DECISION_UNKNOWN: {
    from: ['user'],
    means: 'There is no such decision.',
    remedy: 'Decide `approve`, `reject`, `skip` or `force`.',
  },
  REASON_MISSING: { from: ['user'], means: 'A decision was made without a reason.', remedy: 'Pass `--reason TEXT`.' },
  ACTOR_UNKNOWN: {
    from: ['user'],
    means:
      "Whose decision it is cannot be told: no `--actor`, no `user.email` in git's settings, and the account is root's or a CI service's.",
    remedy: 'Pass `--actor NAME`, or set `git config user.email`.',
  },
  OUTPUT_FAILED: {
    from: ['platform'],
    means: 'Standard output could not be written to the end (a full disk, as a rule).',
    remedy: 'Free space; what was printed is not whole.',
  },
  INTERNAL: {
    from: ['gateline'],
    means: 'Something happened that should not be possible: a bug of Gateline.',
    remedy: 'Report it with the lines that were printed.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
