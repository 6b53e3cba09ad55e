import type { OptionSpec } from './command.ts';

/** Options that select the subject and the run; every command that reads a run takes them. */
export const SUBJECT_OPTIONS: readonly OptionSpec[] = [
  { name: 'file', short: 'f', value: 'FILE', help: 'the definition (default: gateline.yml here or above)' },
  {
    name: 'subject',
    short: 's',
    value: 'TEXT',
    help: "the subject of the run (default: the file's subject, else {domain}-{feature} of its metadata, else the branch)",
  },
];

/** Options for the agents' input. */
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
