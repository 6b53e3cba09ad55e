import type { CommandSpec } from './command.ts';
import { JSON_OPTION, RUN_OPTION, SUBJECT_OPTIONS } from './options.ts';

/** Commands that only show something. */
export const INSPECT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'graph',
    summary: 'show the gates, their needs and the critical path',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'text', help: 'a table (default)' },
      { name: 'mermaid', help: 'a Mermaid flowchart, for Markdown on GitHub' },
      { name: 'svg', help: 'an SVG image' },
      { name: 'names', help: 'only the ids of the gates, one per line' },
      JSON_OPTION,
    ],
    description:
      'Gates of one step do not depend on each other. Status and times are those of the newest run, or of --run. The critical path is the chain of gates that takes longest: a run cannot be faster. Of a gate with legs the slowest counts, of a reused output the attempt that made it. Before the first run it is the chain with the most gates.',
    examples: [
      { command: 'gateline graph', what: 'what runs when, and what the run waits for longest' },
      { command: 'gateline graph --svg > graph.svg', what: 'a picture' },
    ],
    load: () => import('./inspect/graph.ts'),
  },
  {
    name: 'logs',
    summary: 'print what the agent of a gate printed',
    positionals: [{ name: 'GATE', required: true, help: 'the gate, or gate/leg' }],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'attempt', value: 'K', help: 'this attempt of the gate in the run, by number (default: the latest)' },
      { name: 'follow', help: 'continue until the agent and its retries have ended' },
    ],
    description:
      'Prints both streams of the latest attempt: while the agent works and with --follow in the order of its lines, afterwards standard output, then standard error. Secrets are redacted. `gateline show GATE stdout` prints one stream.\nOf an attempt that was killed it prints what was seen.',
    examples: [
      { command: 'gateline logs review', what: 'what the agent printed, or has printed so far' },
      { command: 'gateline logs review --follow', what: 'in a second terminal, while `gateline run` works' },
    ],
    load: () => import('./inspect/logs.ts'),
  },
  {
    name: 'watch',
    summary: 'follow a run that another process works on',
    positionals: [],
    options: [...SUBJECT_OPTIONS, RUN_OPTION, { name: 'quiet', short: 'q', help: 'no agent output' }],
    description:
      'Shows the newest run, or that of --run, as `gateline run` shows its own: on a terminal a live table, elsewhere lines. If no run has begun, it waits for one. It ends when the run ends, or nothing has worked on it for 10 seconds, and then prints what `gateline status` prints. Changes nothing: Ctrl-C ends only the watching.',
    examples: [
      { command: 'gateline watch', what: 'in a second terminal, while `gateline run` works' },
      { command: 'gateline watch --quiet', what: 'without what agents print' },
    ],
    load: () => import('./inspect/watch.ts'),
  },
  {
    name: 'doctor',
    summary: 'check the records and files of this workspace',
    positionals: [],
    options: [
      SUBJECT_OPTIONS[0]!,
      {
        name: 'repair',
        help: 'list, then carry out: move what cannot be read to quarantine, make state files, index and history again',
      },
      JSON_OPTION,
    ],
    description:
      'Reads every record and every content, compares them with their names and digests, and compares state files, index and history with the records. Also looks at the lock, at interrupted calls, and at what is left in quarantine and of work trees. Changes nothing without --repair, which needs the lock of the workspace, and deletes no record and no content.\nErrors and warnings end with exit code 1. Notes do not: they are what a killed command leaves, and the next command settles them. docs/reference/state-files.md explains each finding.\nRecords and contents are those of all pipelines of this workspace; state files are those of this definition.',
    examples: [
      { command: 'gateline doctor', what: 'after a crash, a full disk or a restored backup' },
      { command: 'gateline doctor --repair', what: 'and rebuild what can be rebuilt from records' },
    ],
    load: () => import('./inspect/doctor.ts'),
  },
  {
    name: 'report',
    summary: 'write a run as one page of HTML',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      RUN_OPTION,
      { name: 'html', value: 'FILE', help: 'the file to write; one that exists is replaced' },
      { name: 'follow', help: 'write it again every 2 seconds until the run ends; a browser that shows it follows' },
      JSON_OPTION,
    ],
    description:
      'One file with everything about a run: graph, timeline, each gate with its attempts, verdicts, requests, outputs and logs, decisions, earlier runs. It has no script and loads nothing, so it can be sent to others. Secrets are redacted. It shows at most 64 KiB of a value and 200 lines of a log, and has at most 20 MB; of the rest it names the size, the digest and the command that shows it.',
    examples: [
      { command: 'gateline report --html report.html', what: 'the newest run, for a browser' },
      {
        command: 'gateline report --html report.html --follow',
        what: 'in a second terminal, while `gateline run` works',
      },
    ],
    load: () => import('./inspect/report.ts'),
  },
  {
    name: 'completion',
    summary: 'print the script that completes commands in a shell',
    positionals: [{ name: 'SHELL', required: true, help: 'bash, zsh or fish', words: ['bash', 'zsh', 'fish'] }],
    options: [],
    description:
      'Completes commands, options, gates, files and fixed words. Each script says in its first lines how to load it.',
    examples: [
      { command: 'eval "$(gateline completion bash)"', what: 'in ~/.bashrc' },
      { command: 'gateline completion fish > ~/.config/fish/completions/gateline.fish', what: 'for fish' },
    ],
    load: () => import('./inspect/completion.ts'),
  },
];
