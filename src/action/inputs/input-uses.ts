import type { InputName } from './inputs-schema.ts';
import { COMMAND_NAMES, type CommandName } from './command-names.ts';

/** With which command an input is used, and how it is treated with others. */
export interface InputUse {
  readonly commands: readonly CommandName[];
  /** With another command: an error if the user would expect an effect, otherwise a notice. */
  readonly elsewhere: 'error' | 'notice';
  /** It describes a gate or its pipeline: an error if a `gateline.yml` does so. */
  readonly describes?: true;
  /** Its value never appears in messages. */
  readonly silent?: true;
}

const GATE = ['run', 'begin', 'plan'] as const;
const WORK = ['run', 'begin', 'complete', 'plan'] as const;

const everywhere: InputUse = { commands: COMMAND_NAMES, elsewhere: 'notice' };
const description: InputUse = { commands: GATE, elsewhere: 'error', describes: true };
const ofCommand: InputUse = { commands: ['run', 'plan'], elsewhere: 'error', describes: true };

/** Every input, in the order of docs/reference/action.md. */
export const INPUT_USES: Readonly<Record<InputName, InputUse>> = {
  command: everywhere,
  gate: { commands: WORK, elsewhere: 'error' },
  pipeline: { ...everywhere, describes: true },
  subject: { commands: ['run', 'begin', 'plan', 'report', 'apply', 'comment'], elsewhere: 'notice' },
  file: everywhere,
  needs: { commands: ['run', 'begin', 'plan', 'report', 'apply', 'set'], elsewhere: 'notice' },

  run: { ...ofCommand, silent: true },
  shell: { ...ofCommand, elsewhere: 'notice' },
  'working-directory': { ...ofCommand, elsewhere: 'notice' },
  schema: description,
  score: description,
  threshold: description,
  partial: description,
  checks: description,
  exports: description,
  result: description,
  message: description,
  redact: description,
  inputs: description,
  files: description,
  env: { ...description, silent: true },
  secrets: { commands: WORK, elsewhere: 'error', describes: true, silent: true },
  tools: description,
  with: { ...description, silent: true },
  reuse: description,
  'max-age': description,
  retries: { ...ofCommand, elsewhere: 'notice' },
  'timeout-minutes': { ...description, elsewhere: 'notice' },

  task: { commands: GATE, elsewhere: 'notice', silent: true },
  metadata: { commands: GATE, elsewhere: 'notice', silent: true },
  input: { commands: GATE, elsewhere: 'error', silent: true },
  'input-file': { commands: GATE, elsewhere: 'error' },
  token: { commands: ['complete'], elsewhere: 'error', silent: true },
  outcome: { commands: ['complete', 'set'], elsewhere: 'error' },
  output: { commands: ['complete'], elsewhere: 'error', silent: true },
  'output-file': { commands: ['run', 'begin', 'complete'], elsewhere: 'error' },
  metrics: { commands: ['complete'], elsewhere: 'error', silent: true },
  'expose-output': { commands: ['run', 'begin', 'complete'], elsewhere: 'notice' },
  gates: { commands: ['apply'], elsewhere: 'error' },
  deliver: { commands: ['apply'], elsewhere: 'error' },
  allow: { commands: ['apply'], elsewhere: 'error' },
  learnings: { commands: ['apply'], elsewhere: 'error' },
  set: { commands: [...GATE, 'report', 'set', 'apply'], elsewhere: 'error' },
  'subject-files': { commands: GATE, elsewhere: 'error' },
  'only-set': { commands: ['set', 'apply'], elsewhere: 'error' },
  wave: { commands: ['set'], elsewhere: 'error' },
  older: { commands: ['clean'], elsewhere: 'error' },
  'dry-run': { commands: ['clean'], elsewhere: 'error' },
  workflow: { commands: ['comment'], elsewhere: 'error' },
  resume: { commands: ['run', 'begin', 'plan'], elsewhere: 'notice' },

  'github-token': { ...everywhere, silent: true },
  'retention-days': { commands: ['run', 'begin', 'complete', 'report', 'apply'], elsewhere: 'notice' },
  'max-artifacts': everywhere,
  'outage-minutes': { commands: ['run', 'begin', 'complete'], elsewhere: 'notice' },
  cache: { commands: [...WORK, 'report'], elsewhere: 'notice' },
  'git-timeout': everywhere,
  'secret-values': { commands: WORK, elsewhere: 'notice', silent: true },
  comment: { commands: ['run', 'begin', 'complete', 'report'], elsewhere: 'notice' },
  statuses: { commands: ['report'], elsewhere: 'notice' },
  summary: everywhere,
  history: { commands: ['report'], elsewhere: 'notice' },
  'html-report': { commands: ['report'], elsewhere: 'notice' },
  mirror: { commands: ['run', 'begin', 'complete', 'report'], elsewhere: 'notice' },
  'stand-in': { commands: ['run', 'begin', 'plan', 'report'], elsewhere: 'error' },
  'history-branch': { commands: ['plan', 'report', 'set'], elsewhere: 'notice' },

  'job-status': everywhere,
  matrix: everywhere,
  'workflow-file': everywhere,
  'workflow-repository': everywhere,
  'workflow-sha': everywhere,
  'check-run-id': everywhere,
};
