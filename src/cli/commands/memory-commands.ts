import type { CommandSpec } from '../command.ts';
import { JSON_OPTION, RUN_OPTION, SUBJECT_OPTIONS } from '../options.ts';

/** Commands about what later agents get. */
export const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'memory',
    summary: 'list and edit the documents that agents get, and add what agents noted',
    positionals: [
      {
        name: 'ACTION',
        required: false,
        help: 'list (default), show, add, forget, promote, compile or refresh',
        words: ['list', 'show', 'add', 'forget', 'promote', 'compile', 'refresh'],
      },
      {
        name: 'NAME',
        required: false,
        help: 'show, add, compile, refresh: a document, such as learned-patterns; forget: the id of an entry; promote: a run (default: the newest)',
      },
      { name: 'TEXT', required: false, help: 'add: the entry; compile: a run (default: the newest)' },
    ],
    options: [
      ...SUBJECT_OPTIONS,
      { name: 'category', value: 'TEXT', help: 'add: the heading that the entry belongs to (default: Learnings)' },
      { name: 'to', value: 'NAME', help: 'promote: the document to add to (default: learned-patterns)' },
      {
        name: 'gate',
        value: 'GATE',
        help: 'compile, refresh deep-dive: the gate with the findings (default: synthesis)',
      },
      { name: 'focus', value: 'PATH', help: 'compile, refresh deep-dive: the folder that it is about (default: all)' },
      {
        name: 'stale-after',
        value: 'SHARE',
        help: 'compile, refresh deep-dive: it is stale when more of these files changed (default: 20%)',
      },
      { name: 'max-age', value: 'TIME', help: 'compile, refresh deep-dive: it is stale when it is older (30d, 12h)' },
      { name: 'force', help: 'refresh: even if it is not stale' },
      { name: 'dry-run', short: 'n', help: 'refresh: only say whether it is stale' },
      JSON_OPTION,
    ],
    description:
      'Documents are Markdown files in `.gateline/memory/`. A gate gets those that its `memory` names in gateline.yml, as inputs, and sees no others. Each item of a list in a document is an entry, under the heading above it; the rest of the text is kept as it is. Commit the files: then git is their history.\n`promote` adds what the agents of a run wrote to `GATELINE_LEARNINGS`, each learning once. An entry that differs only in case and white space is there already.\n`compile progress` adds the tasks of completed runs and the learnings of the newest one. `compile deep-dive` writes what agents found out about the code base, from the output of a gate; `refresh deep-dive` runs the pipeline again and does that, if too much has changed since. The options that say when it is stale are kept in the document.\nA document has at most 500 entries and 64 KiB.',
    examples: [
      { command: 'gateline memory', what: 'the documents, and whether agents noted something new' },
      { command: 'gateline memory promote', what: 'add the learnings of the newest run' },
      { command: 'gateline memory add learned-patterns "Tests need a real browser"', what: 'add one yourself' },
      { command: 'gateline memory refresh deep-dive', what: 'explore the code base again, if it changed a lot' },
    ],
    load: () => import('./memory.ts'),
  },
  {
    name: 'handoff',
    summary: 'show what a run hands on to the next run',
    positionals: [],
    options: [...SUBJECT_OPTIONS, RUN_OPTION, JSON_OPTION],
    description:
      'A summary of the newest run, or that of --run: gates that passed, gates that did not and why, decisions, and what agents noted. Gates with `memory: [handoff]` get it in the next run of the subject, in their request and as the file `GATELINE_HANDOFF`, and run again when it differs.',
    examples: [{ command: 'gateline handoff', what: 'what the next run gets' }],
    load: () => import('../memory/handoff.ts'),
  },
];
