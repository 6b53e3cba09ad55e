import { SUBJECT_STATUSES, type SubjectStatus } from '../../run/subjects/subject-states.ts';
import { costText } from '../amounts.ts';
import { gatesOf, type SetRow } from '../set-rows.ts';
import { count, fit, oneLine, pad, plain, widthOf, type Paint, type Tone } from '../text.ts';

const TONES: Readonly<Record<SubjectStatus, Tone>> = {
  pending: 'quiet',
  ready: 'strong',
  blocked: 'quiet',
  running: 'strong',
  interrupted: 'warning',
  paused: 'warning',
  failed: 'bad',
  completed: 'good',
};

/** The tone of a subject's status. */
export function toneOfSubject(status: SubjectStatus): Tone {
  return TONES[status];
}

/** If less room than this is left, a reason goes on its own line. */
const ROOM_FOR_REASON = 24;
const LONGEST_ID = 40;
const LONGEST_REASON = 300;

/**
 * The subjects of a set as a table for terminals and logs: subject, status, run, gates, cost, reason. Ends with a line
 * break. Text from agents is escaped.
 * @param options.width columns of the terminal; 0: no limit
 */
export function setTable(
  rows: readonly SetRow[],
  options: { readonly width?: number; readonly paint?: Paint } = {},
): string {
  const paint = options.paint ?? plain;
  const width = options.width ? Math.max(options.width, 20) : Infinity;
  const cells = rows.map(cellsOf);
  const head = { id: 'subject', run: 'run', gates: 'gates', cost: 'cost', status: 'status' };
  const widest = (key: keyof typeof head): number => Math.max(...[head, ...cells].map((row) => widthOf(row[key])));
  const draw = (row: typeof head, tone: Tone): string =>
    [
      pad(row.id, widest('id')),
      paint(tone, row.status) + ' '.repeat(widest('status') - row.status.length),
      pad(row.run, widest('run'), 'left'),
      pad(row.gates, widest('gates'), 'left'),
      pad(row.cost, widest('cost'), 'left'),
    ].join('  ');
  const taken = Object.keys(head).reduce((sum, key) => sum + widest(key as keyof typeof head) + 2, 0);
  const room = Math.min(LONGEST_REASON, width - taken);
  const lines = cells.flatMap((row) => {
    const drawn = draw(row, TONES[row.status]);
    if (room >= ROOM_FOR_REASON) return [`${drawn}  ${fit(row.reason, room)}`.trimEnd()];
    return row.reason === '' ? [drawn.trimEnd()] : [drawn.trimEnd(), fit(`    why: ${row.reason}`, width)];
  });
  return `${[`${draw(head, 'quiet')}  why`, ...lines].join('\n')}\n`;
}

function cellsOf(
  row: SetRow,
): { id: string; status: SubjectStatus; reason: string } & Record<'run' | 'gates' | 'cost', string> {
  const { done, total } = gatesOf(row);
  const run = row.run?.runNumber ?? 0;
  return {
    id: fit(oneLine(row.subject.id), LONGEST_ID),
    status: row.status,
    run: run === 0 ? '' : String(run),
    gates: total === 0 ? '' : `${done}/${total}`,
    cost: costText(row.costUsd),
    reason: oneLine(row.reason),
  };
}

/** `30 subjects: 28 completed, 1 failed, 1 blocked`. */
export function setSummary(rows: readonly Pick<SetRow, 'status'>[]): string {
  const counts = Map.groupBy(rows, ({ status }) => status);
  const parts = SUBJECT_STATUSES.toReversed().flatMap((status) => {
    const number = counts.get(status)?.length ?? 0;
    return number === 0 ? [] : [`${number} ${status}`];
  });
  return `${count(rows.length, 'subject')}: ${parts.join(', ')}`;
}
