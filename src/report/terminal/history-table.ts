import type { HistoryEntry } from '../../history/entry.ts';
import { gateKey, type GateRow } from '../../history/query.ts';
import type { RunStatus } from '../../run/state/run-state.ts';
import { costText } from '../amounts.ts';
import { oneLine, type Paint, type Tone } from '../text.ts';
import { durationText, scoreText, toneOf } from '../wording.ts';
import { columnsTable, type Column } from './columns.ts';

/** How a table is drawn. */
interface TableLook {
  readonly width?: number;
  readonly paint?: Paint;
}

const TONES: Readonly<Record<RunStatus, Tone>> = {
  initializing: 'quiet',
  executing: 'strong',
  paused: 'warning',
  error: 'bad',
  completed: 'good',
  rollback: 'warning',
};

/** Runs as a table for terminals and logs, in the given order. Texts are escaped. */
export function runsTable(entries: readonly HistoryEntry[], look: TableLook = {}): string {
  const pipelines = new Set(entries.map(({ pipeline }) => pipeline)).size;
  const columns: Column<HistoryEntry>[] = [
    { head: 'run', cell: ({ run }) => String(run), side: 'right' },
    { head: 'pipeline', cell: ({ pipeline }) => (pipelines > 1 ? pipeline : '') },
    { head: 'subject', cell: ({ subject }) => oneLine(subject), most: 32 },
    { head: 'status', cell: statusCell },
    { head: 'started (UTC)', cell: ({ started }) => timeText(started) },
    { head: 'time', cell: ({ ms }) => durationText(ms), side: 'right' },
    { head: 'gates', cell: ({ passed, skipped, gates }) => `${passed + skipped}/${gates}`, side: 'right' },
    { head: 'reused', cell: ({ reused }) => (reused === 0 ? '' : String(reused)), side: 'right' },
    { head: 'iteration', cell: iterationCell, side: 'right' },
    { head: 'cost', cell: ({ cost }) => costText(cost), side: 'right' },
    { head: 'about', cell: aboutRun, most: 120 },
  ];
  return columnsTable(columns, entries, look);
}

function statusCell({ status, closedBy }: HistoryEntry): { text: string; tone: Tone } {
  return { text: closedBy === undefined ? status : 'closed', tone: TONES[status] };
}

function aboutRun({ failure, task, closedBy }: HistoryEntry): string {
  const why = failure === undefined ? '' : `${failure.gate}: ${failure.message ?? failure.kind ?? ''}`;
  const by = closedBy === undefined ? '' : `closed by ${closedBy}`;
  return [by, why, task ?? '']
    .map(oneLine)
    .filter((text) => text !== '')
    .join('; ');
}

/** A gate in its runs as a table, in the given order. Texts are escaped. */
export function gateTable(rows: readonly GateRow[], look: TableLook = {}): string {
  const columns: Column<GateRow>[] = [
    { head: 'run', cell: ({ run }) => String(run), side: 'right' },
    { head: 'subject', cell: ({ subject }) => oneLine(subject), most: 32 },
    { head: 'gate', cell: (row) => oneLine(gateKey(row)) },
    { head: 'status', cell: ({ status }) => ({ text: status, tone: toneOf(status) }) },
    { head: 'how', cell: ({ reused }) => (reused ? 'reused' : '') },
    { head: 'score', cell: ({ score }) => (score === undefined ? '' : scoreText(score)), side: 'right' },
    { head: 'attempts', cell: ({ attempts }) => (attempts === 0 ? '' : String(attempts)), side: 'right' },
    { head: 'iteration', cell: iterationCell, side: 'right' },
    { head: 'started (UTC)', cell: ({ started }) => timeText(started) },
    { head: 'time', cell: ({ ms, reused }) => (reused ? '' : durationText(ms)), side: 'right' },
    { head: 'cost', cell: ({ cost, reused }) => (reused ? '' : costText(cost)), side: 'right' },
    { head: 'model', cell: ({ model = '' }) => oneLine(model), most: 24 },
    { head: 'message', cell: ({ result = '', message = '' }) => oneLine(`${result} ${message}`), most: 120 },
  ];
  return columnsTable(columns, rows, look);
}

/** Blank if no work was sent back. */
function iterationCell({ iteration }: { readonly iteration?: number | undefined }): string {
  return iteration === undefined ? '' : String(iteration);
}

/** `2026-11-05 09:07`. */
function timeText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}
