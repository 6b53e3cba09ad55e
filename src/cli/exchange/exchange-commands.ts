import type { CommandSpec } from '../command.ts';
import { ACTOR, INPUT_OPTIONS, JSON_OPTION, RUN_OPTION, SUBJECT_OPTIONS } from '../options.ts';

const FORMAT = {
  name: 'FORMAT',
  required: true,
  help: 'state-guide, agent-flow, dev-loop or nexus',
  words: ['state-guide', 'agent-flow', 'dev-loop', 'nexus'],
} as const;

/** The commands for the files of other systems. */
export const EXCHANGE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'import',
    summary: 'take over the state of another system from its files',
    positionals: [
      FORMAT,
      {
        name: 'FILE',
        required: false,
        multiple: true,
        help: 'files of the system, below this folder or that of --from (default: all that are there)',
      },
    ],
    options: [
      ...SUBJECT_OPTIONS,
      ...INPUT_OPTIONS,
      { name: 'from', value: 'DIR', help: 'the folder that the files are in (default: where the system keeps them)' },
      { name: 'write', help: 'add missing keys and gates to the definition; comments stay' },
      { name: 'reason', value: 'TEXT', help: 'why outputs are adopted (default: imported from FORMAT)' },
      ACTOR,
      { name: 'dry-run', short: 'n', help: 'only check the files, and show what would be done' },
      JSON_OPTION,
    ],
    description:
      'Reads all files first, and imports all of them or nothing: each problem is named with its file and JSON pointer. What is completed there is adopted here, as `gateline adopt` does: it must meet the contract of its gate, and applies to the present request: repeat the `--input`, `--task`, `--metadata` and `--memory` of your runs. Documents for agents and the history of earlier runs are taken over, too. What has no place in Gateline is listed with the reason. A gate with a matrix needs an output for each leg, by its name.\nWithout a definition, gateline.yml is written. With one, the keys that it lacks are printed, and with --write added. No command is started. If the command is interrupted, run it again.\nFiles that are read where the system keeps them in the workspace are not inputs of gates: if git does not ignore them, a line for them is added to .git/info/exclude.',
    examples: [
      {
        command: 'gateline import nexus --from ~/.claude/skills/nexus/history --dry-run',
        what: 'show what would be imported',
      },
      {
        command: 'gateline import dev-loop --subject login --task "Users can log in"',
        what: 'for a task of a set',
      },
      {
        command: 'gateline import nexus .current-workflow.json --write',
        what: 'one file, with its gates added to gateline.yml',
      },
    ],
    load: () => import('./import.ts'),
  },
  {
    name: 'export',
    summary: 'write a run as another system writes it',
    positionals: [FORMAT],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      {
        name: 'to',
        value: 'DIR',
        help: 'the folder for the files (default: where the system keeps them, in the workspace)',
      },
      JSON_OPTION,
    ],
    description:
      "Writes the files of the newest run, or of that of --run. Each replaces the one before it by a rename; of one that Gateline did not write, a copy goes to .state/quarantine. Git must ignore files in the workspace, so that they are not inputs of gates: if it does not, the system's line is added to .git/info/exclude. A file that git tracks is refused, and so is a folder of the workspace with other tracked files.",
    examples: [
      { command: 'gateline export nexus --to /tmp/nexus', what: 'the files of the newest run, in another folder' },
    ],
    load: () => import('./export.ts'),
  },
];
