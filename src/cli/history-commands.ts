import type { CommandSpec, OptionSpec } from './command.ts';
import { ACTOR, JSON_OPTION, SUBJECT_OPTIONS } from './options.ts';

/** Which runs; every command about earlier runs takes them. */
const WHICH_RUNS: readonly OptionSpec[] = [
  SUBJECT_OPTIONS[0]!,
  { name: 'pipeline', value: 'ID', help: 'only runs of this pipeline (default: of all in this workspace)' },
  { name: 'subject', short: 's', value: 'TEXT', help: 'only runs of this subject' },
  { name: 'set', value: 'NAME', help: 'only runs of subjects that belong to this set' },
  {
    name: 'status',
    value: 'STATUS',
    multiple: true,
    help: 'only runs that are completed, error, paused or rollback; with --gate, the status of the gate. Separate several by commas',
  },
  {
    name: 'since',
    value: 'WHEN',
    help: 'only runs that began then or later: a day, a time (ISO 8601), or how long ago (30d, 12h)',
  },
  { name: 'until', value: 'WHEN', help: 'only runs that began before then; a day is included' },
  { name: 'contains', value: 'TEXT', help: 'only runs with this text in their task, subject or failure' },
];

const FROM: OptionSpec = {
  name: 'from',
  value: 'WHERE',
  help: '`local`, the history of this workspace (default); `branch`, the branch gateline-history of this clone, or `branch:NAME`; or a file with entries',
};

/** The commands about earlier runs. */
export const HISTORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'history',
    summary: 'list earlier runs and their outcomes',
    positionals: [],
    options: [
      ...WHICH_RUNS,
      { name: 'gate', short: 'g', value: 'GATE', help: 'show this gate, or gate/leg, in those runs' },
      { name: 'limit', short: 'l', value: 'N', help: 'at most N, the newest (default: 20; all for programs)' },
      FROM,
      {
        name: 'rebuild',
        help: 'first make the entries of runs that have records again; those of other runs stay',
      },
      JSON_OPTION,
      { name: 'csv', help: 'comma-separated values, for spreadsheets' },
    ],
    description:
      'One line for each run that is completed, failed, paused, closed or rolled back, the newest first. Entries outlive the records of their runs. `gateline status --run N` shows everything about one run.\nEntries never decide what is reused.',
    examples: [
      { command: 'gateline history --status error --since 7d', what: 'what failed in the last seven days' },
      { command: 'gateline history --gate review --limit 50', what: 'one gate in its last 50 runs' },
      { command: 'gateline history --csv > runs.csv', what: 'everything, for a spreadsheet' },
      { command: 'gateline history --from branch', what: 'what ran on GitHub, from the branch that reports write to' },
    ],
    load: () => import('./history/history.ts'),
  },
  {
    name: 'stats',
    summary: 'show success rates, times and cost of earlier runs',
    positionals: [],
    options: [
      ...WHICH_RUNS.filter(({ name }) => name !== 'status'),
      { name: 'gate', short: 'g', value: 'GATE', help: 'only this gate, or gate/leg; one line for each leg' },
      { name: 'daily', help: 'one line for each of the newest 90 days that have runs' },
      FROM,
      JSON_OPTION,
      { name: 'csv', help: 'with --daily: comma-separated values, for spreadsheets' },
    ],
    description:
      'For runs: the success rate (completed ones among those that were completed or failed), times and cost. For each gate: how often it passed, how often at the first attempt (without reused outputs), times, cost, and what reuse saved. p50 and p95 are by nearest rank, and need 5 values.\nA gate is flaky if the same request had different verdicts by the same contract.\nA run belongs to the day on which it began, in the `timezone` of gateline.yml, or UTC.',
    examples: [
      { command: 'gateline stats --since 30d', what: 'the last 30 days' },
      { command: 'gateline stats --daily', what: 'day by day' },
    ],
    load: () => import('./history/stats.ts'),
  },
  {
    name: 'clean',
    summary: 'remove old runs, and what only they needed',
    positionals: [],
    options: [
      ...SUBJECT_OPTIONS,
      { name: 'older', value: 'TIME', help: 'only runs whose last record is older: 12h, 30d, 8w (default: 30d)' },
      { name: 'keep', value: 'N', help: 'never the newest N runs of each subject, from 1 (default: 10)' },
      {
        name: 'history-older',
        value: 'TIME',
        help: 'also remove entries of the history of runs that ended before then and have no records (default: none)',
      },
      { name: 'pin', value: 'RUN', multiple: true, help: 'first pin this run: its number, or SUBJECT#NUMBER' },
      { name: 'unpin', value: 'RUN', multiple: true, help: 'first unpin this run' },
      { name: 'reason', value: 'TEXT', help: 'with --pin and --unpin: why' },
      ACTOR,
      { name: 'dry-run', short: 'n', help: 'only list what would be removed, and why other runs stay' },
      JSON_OPTION,
    ],
    description:
      'Removes runs of this pipeline whole, of all subjects: records, attempts and snapshots, copies of the files that they replaced below .state/applied/, and every output and version of files that no other run needs. Entries of the history stay.\nA run stays if it is one of the newest of its subject, not old enough, or pinned; while an agent works for it, a process of it runs, or a record of it cannot be read; and as long as a run that stays needs it: because it reused an output, is a fork, or has an output that a decision of the old run applies to. So no output that was rejected is ever used again.\n--older and --keep replace `retention` of gateline.yml. With `retention`, `gateline run` does the same when it has ended. A call that was interrupted is completed by the next one.',
    examples: [
      { command: 'gateline clean --dry-run', what: 'list what would be removed, and why other runs stay' },
      { command: 'gateline clean --older 14d --keep 3', what: 'remove more than by default' },
      { command: 'gateline clean --pin main#12 --reason "release 2.0"', what: 'keep run 12 of main for good' },
    ],
    load: () => import('./history/clean.ts'),
  },
];
