import { Option, type Command } from 'commander';
import { summarizeDays, summarizeGates, summarizeRuns } from '../../history/statistics.ts';
import { countOf } from '../../report/amounts.ts';
import { renderDays, renderHistory, renderStatistics } from '../../report/history-table.ts';
import { safeText } from '../../report/table.ts';
import {
  addFileOption,
  addTargetOptions,
  collectStatuses,
  parseTime,
  openGateline,
  parseWholeNumber,
  type TargetOptions,
} from '../options.ts';
import { screenOf, type AddAction } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';

interface HistoryOptions extends TargetOptions {
  readonly status?: string[];
  readonly since?: number;
  readonly until?: number;
  readonly contains?: string;
  readonly gate?: string;
  readonly limit: number;
  readonly all?: boolean;
  readonly stats?: boolean;
  readonly daily?: number | true;
}

/** `history`, `clean`, `check`: the state of a folder. */
export function addFolderCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  addHistory(context, program, addAction);

  const clean = addFileOption(program.command('clean'))
    .description('remove old runs of all subjects and pipelines, and everything that only they needed')
    .addOption(
      new Option('--days <n>', 'keep runs of the last n days; default: 30, unless --runs is given').argParser(
        parseWholeNumber(0),
      ),
    )
    .addOption(
      new Option('--runs <n>', 'keep the newest n runs of each subject; default: 1').argParser(parseWholeNumber(1)),
    )
    .option('-n, --dry-run', 'only show what would be removed');
  addAction<TargetOptions & { days?: number; runs?: number; dryRun?: boolean }>(
    clean,
    async ({ days, runs, dryRun = false, ...options }) => {
      const gateline = await openGateline(context, options);
      const cleaned = await gateline.clean({ days: days ?? (runs === undefined ? 30 : undefined), runs }, dryRun);
      const lines = cleaned.runs.map(
        ({ subject, run }) => `${dryRun ? 'would remove' : 'removed'} run ${run} of ${safeText(subject)}`,
      );
      return {
        json: cleaned,
        text: [
          ...lines,
          ...cleaned.commands.map(
            (command) => `${dryRun ? 'would remove' : 'removed'} files of ${safeText(command)}, which was killed`,
          ),
          `${countOf(cleaned.runs.length, 'run')} ${dryRun ? 'would be removed' : 'removed'}, ${countOf(cleaned.kept, 'run')} kept`,
        ].join('\n'),
      };
    },
  );

  const check = addFileOption(program.command('check'))
    .description('read all of .state/ and list what is wrong')
    .option('--repair', 'set unreadable lines of the log aside');
  addAction<TargetOptions & { repair?: boolean }>(check, async ({ repair = false, ...options }) => {
    const gateline = await openGateline(context, options);
    const problems = await gateline.check(repair);
    const lines = problems.map(
      ({ message, hint }) => `${safeText(message)}${hint === undefined ? '' : `\n  ${safeText(hint)}`}`,
    );
    return {
      json: { problems },
      text: lines.join('\n') || 'Nothing is wrong.',
      exit: problems.length > 0 && !repair ? 1 : 0,
    };
  });
}

function addHistory(context: ProcessContext, program: Command, addAction: AddAction): void {
  const command = addTargetOptions(program.command('history'))
    .description('list runs that ended, or their statistics')
    .addOption(
      new Option(
        '--status <words>',
        'completed, error, paused, closed or rollback; with --gate: passed, failed, …',
      ).argParser(collectStatuses),
    )
    .addOption(
      new Option('--since <time>', 'runs that began at or after this time, or within this duration').argParser(
        parseTime,
      ),
    )
    .addOption(new Option('--until <time>', 'runs that began before this time').argParser(parseTime))
    .option('--contains <text>', 'runs with this text in subject, task or failure')
    .option('--gate <gate>', 'runs of this gate')
    .addOption(new Option('--limit <n>', 'at most so many runs').argParser(parseWholeNumber(1)).default(20))
    .option('--all', 'every pipeline of the folder')
    .addOption(new Option('--stats', 'success rate, times and cost, by gate').conflicts('daily'))
    .addOption(new Option('--daily [days]', 'a summary for each day').argParser(parseWholeNumber(1)));
  addAction<HistoryOptions>(command, async (options) => {
    const { status, since, until, contains, gate, limit, all, stats, daily, subject } = options;
    const gateline = await openGateline(context, options);
    const isSummary = stats === true || daily !== undefined;
    const { entries, unreadable } = await gateline.history({
      ...(!all && { pipeline: gateline.definition.pipeline.id }),
      subject,
      status,
      since: since === undefined ? undefined : new Date(since).toISOString(),
      until: until === undefined ? undefined : new Date(until).toISOString(),
      contains,
      gate,
      limit: isSummary ? undefined : limit,
    });
    if (unreadable > 0) context.err.write(`${countOf(unreadable, 'line')} of the history cannot be read\n`);
    const screen = screenOf(context.out);
    if (daily !== undefined) {
      const days = summarizeDays(entries, daily === true ? undefined : daily);
      return { json: { days }, text: renderDays(days, screen) };
    }
    if (stats) {
      const [runs, gates] = [summarizeRuns(entries), summarizeGates(entries)];
      return { json: { runs, gates }, text: renderStatistics(runs, gates, screen) };
    }
    return { json: { runs: entries }, text: renderHistory(entries, gate, screen) };
  });
}
