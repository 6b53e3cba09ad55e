import type { OptionSpec } from './command.ts';

/** Options that say what to work on; every command that looks at a run takes them. */
export const SUBJECT_OPTIONS: readonly OptionSpec[] = [
  { name: 'file', short: 'f', value: 'FILE', help: 'the definition (default: gateline.yml here or above)' },
  {
    name: 'subject',
    short: 's',
    value: 'TEXT',
    help: "the subject of the run (default: the file's subject, else the branch)",
  },
];

/** Options that say what agents are given. */
export const INPUT_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'input',
    short: 'i',
    value: 'FILE',
    help: "JSON file with the caller's input, for every gate; - for standard input",
  },
  {
    name: 'metadata',
    short: 'm',
    value: 'KEY=VALUE',
    multiple: true,
    help: "override a value of the file's metadata; VALUE is JSON or plain text",
  },
];
