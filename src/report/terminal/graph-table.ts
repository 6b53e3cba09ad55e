import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { statusRows } from '../status-rows.ts';
import { fit, pad, widthOf } from '../text.ts';
import { durationText } from '../wording.ts';
import type { CriticalPath } from './critical-path.ts';
import { stepsOf } from './steps.ts';

/**
 * The gates as a table for terminals and logs: the step in which each can start, its id, status, time and needs; `*`
 * marks the critical path, which follows. Ends with a line break. Contains only ids and fixed words.
 *
 * @param columns of the terminal; 0: no limit
 */
export function graphTable(
  pipeline: Pick<Pipeline, 'gates' | 'groups'>,
  state: RunState,
  path: CriticalPath,
  columns = 0,
): string {
  const rows = new Map(statusRows(state, pipeline).map((row) => [row.number, row]));
  const critical = new Set(path.gates);
  const table = stepsOf(pipeline.gates).flatMap((step, index) =>
    step.map((gate) => {
      const { status = '', time = '' } = rows.get(String(gate.number)) ?? {};
      const mark = critical.has(gate.id) ? '*' : '';
      return [String(index + 1), mark, gate.id, status, time, gate.needs.join(', ')];
    }),
  );
  const cells = [['step', '', 'gate', 'status', 'time', 'needs'], ...table];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column]!))));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const cut = columns > 0 ? lines.map((line) => fit(line, columns)) : lines;
  return `${cut.join('\n')}\n\n${pathText(path)}\n`;
}

/** `Critical path: design, code, review (3m 05s).` */
function pathText({ gates, milliseconds }: CriticalPath): string {
  const time = milliseconds === undefined ? '' : ` (${durationText(milliseconds)})`;
  return `Critical path: ${gates.join(', ')}${time}.`;
}
