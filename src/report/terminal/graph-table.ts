import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { CriticalPath } from '../graph/critical-path.ts';
import { stepsOf } from '../graph/steps.ts';
import { statusRows } from '../status-rows.ts';
import { durationText } from '../wording.ts';
import { columnsTable, type Column } from './columns.ts';

/** One gate of the graph. */
interface GraphRow {
  readonly step: number;
  readonly mark: string;
  readonly gate: string;
  readonly status: string;
  readonly time: string;
  readonly needs: string;
}

const COLUMNS: readonly Column<GraphRow>[] = [
  { head: 'step', cell: ({ step }) => String(step), always: true },
  { head: '', cell: ({ mark }) => mark, always: true },
  { head: 'gate', cell: ({ gate }) => gate, always: true },
  { head: 'status', cell: ({ status }) => status, always: true },
  { head: 'time', cell: ({ time }) => time, always: true },
  { head: 'needs', cell: ({ needs }) => needs, always: true, most: Infinity },
];

/**
 * The gates as a table for terminals and logs: the step in which each can start, its id, status, time and needs; `*`
 * marks the critical path, which follows. Ends with a line break. Contains only ids and fixed words.
 *
 * @param width columns of the terminal; 0: no limit
 */
export function graphTable(
  pipeline: Pick<Pipeline, 'gates' | 'groups'>,
  state: RunState,
  path: CriticalPath,
  width = 0,
): string {
  const rows = new Map(statusRows(state, pipeline).map((row) => [row.number, row]));
  const critical = new Set(path.gates);
  const table = stepsOf(pipeline.gates).flatMap((gates, index) =>
    gates.map(({ id, number, needs }): GraphRow => {
      const { status = '', time = '' } = rows.get(String(number)) ?? {};
      const mark = critical.has(id) ? '*' : '';
      return { step: index + 1, mark, gate: id, status, time, needs: needs.join(', ') };
    }),
  );
  return `${columnsTable(COLUMNS, table, { width })}\n${pathText(path)}\n`;
}

/** `Critical path: design, code, review (3m 05s).` */
function pathText({ gates, milliseconds }: CriticalPath): string {
  const time = milliseconds === undefined ? '' : ` (${durationText(milliseconds)})`;
  return `Critical path: ${gates.join(', ')}${time}.`;
}
