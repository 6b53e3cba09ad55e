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
  { name: 'task', value: 'TEXT', help: "the goal of the run, for every agent (default: the file's `task`)" },
  {
    name: 'metadata',
    short: 'm',
    value: 'KEY=VALUE',
    multiple: true,
    help: "override a value of the file's metadata; VALUE is JSON or plain text",
  },
  {
    name: 'memory',
    value: 'NAME',
    multiple: true,
    help: 'give this document to the gates that list it as `NAME?` under `memory`; part of their requests',
  },
];

/** One document for programs; nearly every command takes it. */
export const JSON_OPTION: OptionSpec = {
  name: 'json',
  help: 'one JSON document on standard output (docs/reference/json-output.md)',
};

/** The caller provides what needs have not. */
export const STAND_IN: OptionSpec = {
  name: 'stand-in',
  help: 'run even if a needed gate has no output: its state file or --input takes its place',
};

/** A set of subjects; `run`, `plan` and `status` take them. */
export const SET_OPTIONS: readonly OptionSpec[] = [
  { name: 'set', value: 'FILE', help: 'for each subject that the JSON file lists: a run of its own' },
  { name: 'only-set', value: 'NAME', help: 'with --set: only the subjects that belong to this set' },
];

/** How to run a set. */
export const HOW_TO_RUN_A_SET: readonly OptionSpec[] = [
  { name: 'max-parallel', value: 'N', help: 'with --set: at most N agents at a time, over all subjects (default: 4)' },
  {
    name: 'deliver',
    value: 'AS',
    help: 'with --set: put the files of each completed subject on a `branch` gateline/SUBJECT, or into a `patch` below .state/',
  },
];

/** Which run to read. */
export const RUN_OPTION: OptionSpec = {
  name: 'run',
  value: 'RUN',
  help: 'an earlier run: its number, or SUBJECT#NUMBER (default: the newest)',
};

/** The person who decides. */
export const ACTOR: OptionSpec = {
  name: 'actor',
  value: 'NAME',
  help: "who decides (default: git's user.email, else your account's name)",
};

/** The definition must be the one that the run has records of. */
export const STRICT: OptionSpec = {
  name: 'strict',
  help: 'refuse if gates that the run has records of were changed or removed since they ran',
};

/** Options that select gates; `run` and `resume` take them. */
export const WHICH_GATES: readonly OptionSpec[] = [
  {
    name: 'gate',
    short: 'g',
    value: 'GATE',
    multiple: true,
    help: 'run only these gates; reuse the others where possible',
  },
  { name: 'with-needs', help: 'with --gate: run what those gates need too' },
  { name: 'until', value: 'GATE', multiple: true, help: 'run this gate and what it needs, and nothing after it' },
  { name: 'max-gates', value: 'N', help: 'start at most N gates' },
  {
    name: 'max-iterations',
    value: 'N',
    help: 'in this call, how often on-fail may run a gate, instead of its own limit',
  },
  { name: 'sequential', help: 'run the gates of a group one at a time' },
  STRICT,
  STAND_IN,
  { name: 'force', value: 'GATE', multiple: true, help: 'run this gate again even if nothing changed' },
];

/** `--mirror`, which `loadFor` reads. */
export const MIRROR: OptionSpec = {
  name: 'mirror',
  value: 'FORMAT',
  multiple: true,
  help: 'keep the files of another system up to date during the run, here and next to agents: `state-guide`, `agent-flow`, `dev-loop` or `nexus` (default: `mirror` of gateline.yml)',
};

/** Options that say how agents run and what is shown; `run` and `resume` take them. */
export const HOW_TO_RUN: readonly OptionSpec[] = [
  ACTOR,
  { name: 'apply', help: 'when the run is completed, write the files its gates hand on into this folder' },
  MIRROR,
  { name: 'dry-run', short: 'n', help: 'only show what would be done' },
  { name: 'quiet', short: 'q', help: 'no agent output and no checkpoints' },
  JSON_OPTION,
];
