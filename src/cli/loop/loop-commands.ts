import type { CommandSpec, OptionSpec } from '../command.ts';
import { JSON_OPTION, SUBJECT_OPTIONS } from '../options.ts';

const FILE = [{ name: 'FILE', required: true, help: 'the file of the set: a task is a subject of it' }];

const LIMITS: readonly OptionSpec[] = [
  SUBJECT_OPTIONS[0]!,
  { name: 'max-failures', value: 'N', help: 'failed runs of a task before it gets a fix task (default: 2)' },
  { name: 'max-fixes', value: 'N', help: 'fix tasks of one task; then it has failed (default: 1)' },
];

/** Commands about the tasks of a set. */
export const LOOP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'loop',
    summary: 'do the tasks of a set one after another, and commit each',
    positionals: FILE,
    options: [
      ...LIMITS,
      { name: 'max-iterations', value: 'N', help: 'at most N runs in this call (default: 100)' },
      {
        name: 'commit-message',
        value: 'TEXT',
        help: 'the message of each commit; `{task}` and `{id}` are replaced (default: {task})',
      },
      { name: 'no-commit', help: 'write the files of each task into the folder, and commit nothing' },
      { name: 'quiet', short: 'q', help: 'no agent output' },
      JSON_OPTION,
    ],
    description:
      'Each task is a run of its own, which begins with your folder as the tasks before left it. When it is completed, its files are written into the folder and committed, and nothing else: by you, with your hooks. A task that fails is run again, in a new run; after --max-failures such runs, a fix task `ID-fix-1` runs first, with the reason as its text. Gates with `memory: [handoff]` get a summary of the previous run.\nThe loop ends when no task can run. It stops before a commit if there are staged changes, or if files of a task changed in your folder in the meantime. Repeat an interrupted call: no task is done or committed twice. `gateline close ID` cancels a task.',
    examples: [
      { command: 'gateline loop tasks.json', what: 'until every task is done, or none can run' },
      { command: 'gateline loop tasks.json --max-iterations 1', what: 'one task, or one more try' },
    ],
    load: () => import('./loop.ts'),
  },
  {
    name: 'tasks',
    summary: 'list the tasks of a set: which are done, and what the others wait for',
    positionals: FILE,
    options: [...LIMITS, JSON_OPTION],
    description: 'Reads the runs of each task: `gateline loop FILE` does those that can run.',
    examples: [{ command: 'gateline tasks tasks.json', what: 'what is done, and what comes next' }],
    load: () => import('./tasks.ts'),
  },
];
