import { queryGates, queryRuns, type HistoryAnswer } from '../../history/query.ts';
import { gateCsv, runsCsv } from '../../report/history-csv.ts';
import { count } from '../../report/text.ts';
import { gateTable, runsTable } from '../../report/terminal/history-table.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { paintFor } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { filterOf, limitOf } from './filter.ts';
import { openHistory } from './sources.ts';

/** Rows that are shown to people if they ask for no number. */
const SHOWN = 20;

/** `gateline history`: the outcomes of earlier runs, or of one gate in them. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  if (options['json'] && options['csv']) throw new GatelineError('OPTION_CONFLICT', '--json and --csv: choose one');
  const filter = filterOf(options, world.now());
  const limit = limitOf(options) ?? (options['json'] || options['csv'] ? Infinity : SHOWN);
  const { source } = await openHistory(invocation);
  const gate = textOption(options, 'gate');
  const look = { width: world.out.columns, paint: paintFor(world.out, world.environment) };
  if (gate === undefined) {
    const found = queryRuns(source, filter, limit);
    if (options['json']) printJson(world, { format: 'gateline-runs/1', ...found });
    else if (options['csv']) world.out.write(runsCsv(found.entries));
    else if (found.entries.length > 0) world.out.write(runsTable(found.entries, look));
    return close(invocation, found);
  }
  const found = queryGates(source, gate, filter, limit);
  if (options['json']) printJson(world, { format: 'gateline-gate-runs/1', ...found });
  else if (options['csv']) world.out.write(gateCsv(found.entries));
  else if (found.entries.length > 0) world.out.write(gateTable(found.entries, look));
  return close(invocation, found);
}

/** What is missing from the answer. */
function close(
  { world: { err }, options }: CommandInvocation,
  { entries, unreadable }: HistoryAnswer<unknown>,
): ExitCode {
  if (unreadable > 0)
    say(
      err,
      `note: ${count(unreadable, 'line')} of the history cannot be read and ${unreadable === 1 ? 'is' : 'are'} left out`,
    );
  if (entries.length === 0 && !options['json'] && !options['csv']) say(err, 'No runs.');
  return EXIT_CODES.ok;
}
