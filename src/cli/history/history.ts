import { firstOf, gateRows, runsOf } from '../../history/query.ts';
import type { Unreadable } from '../../history/read.ts';
import { gateCsv, runsCsv } from '../../report/history-csv.ts';
import { count, type Paint } from '../../report/text.ts';
import { gateTable, runsTable } from '../../report/terminal/history-table.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { lookOf } from '../output/paint.ts';
import { jsonPieces, printPieces } from '../output/print-pieces.ts';
import { say } from '../output/say.ts';
import { filterOf, limitOf } from './filter.ts';
import { openHistory } from './sources.ts';

/** Rows that are shown to people if they ask for no number. */
const SHOWN = 20;

/** `gateline history`: the outcomes of earlier runs, or of one gate in them. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  if (options['json'] && options['csv']) throw new GatelineError('OPTION_CONFLICT', '--json and --csv: choose one');
  const limit = limitOf(options) ?? (options['json'] || options['csv'] ? Infinity : SHOWN);
  const { source, loaded } = await openHistory(invocation);
  const filter = filterOf(options, world.now(), loaded?.pipeline.timezone);
  const gate = textOption(options, 'gate');
  const unreadable: Unreadable = { lines: 0 };
  if (gate === undefined) {
    const runs = firstOf(runsOf(source, filter, unreadable), limit);
    return show(invocation, runs, unreadable, { format: 'gateline-runs/1', csv: runsCsv, table: runsTable });
  }
  const rows = firstOf(gateRows(source, gate, filter, unreadable), limit);
  return show(invocation, rows, unreadable, { format: 'gateline-gate-runs/1', csv: gateCsv, table: gateTable });
}

/** How a list is shown. */
interface Ways<T> {
  readonly format: string;
  readonly csv: (entries: Iterable<T>) => Iterable<string>;
  readonly table: (entries: readonly T[], look: { width: number; paint: Paint }) => string;
}

function show<T>(
  { world, options }: CommandInvocation,
  entries: Iterable<T>,
  unreadable: Unreadable,
  { format, csv, table }: Ways<T>,
): ExitCode {
  if (options['json'])
    printPieces(
      world,
      jsonPieces(format, entries, () => ({ unreadable: unreadable.lines })),
    );
  else if (options['csv']) printPieces(world, csv(entries));
  else {
    const rows = [...entries];
    const look = lookOf(world);
    if (rows.length > 0) world.out.write(table(rows, look));
    else say(world.err, 'No runs.');
  }
  noteUnreadable(world, unreadable.lines);
  return EXIT_CODES.ok;
}

/** Says how many lines are left out. */
export function noteUnreadable({ err }: Pick<CommandInvocation['world'], 'err'>, lines: number): void {
  if (lines === 0) return;
  const are = lines === 1 ? 'is' : 'are';
  say(err, `note: ${count(lines, 'line')} of the history cannot be read and ${are} left out`);
}
