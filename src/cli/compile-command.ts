import type { CommandSpec } from './command.ts';
import { JSON_OPTION, SUBJECT_OPTIONS } from './options.ts';

/** The command that writes workflows for GitHub. */
export const COMPILE: CommandSpec = {
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
      help: 'commit, tag or branch of gateline/gateline to use (default: the one in the existing workflow, else v1)',
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
};
