import { fit, plain, widthOf, type Paint, type Tone } from '../text.ts';

/** One cell: safe text on one line, and how it looks. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

/** One column of a table. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => string | Cell;
  /** Numbers are aligned to the right. */
  readonly side?: 'left' | 'right';
  /** Most columns of the terminal that it takes; default 40. */
  readonly most?: number;
  /** Drawn even if every cell is empty. Default: it is left out. */
  readonly always?: boolean;
}

const GAP = '  ';

/**
 * Rows as a table for terminals and logs, with a line break at the end. A column in which every cell is empty is left
 * out, unless it is always drawn. The last column gets the rest of the width.
 * @param options.width columns of the terminal; 0: no limit
 */
export function columnsTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  options: { readonly width?: number; readonly paint?: Paint } = {},
): string {
  const paint = options.paint ?? plain;
  const total = options.width ? Math.max(options.width, 20) : Infinity;
  const drawn = columns
    .map((column) => ({ ...column, cells: rows.map((row) => asCell(column.cell(row))) }))
    .filter(({ cells, always }) => always === true || cells.some(({ text }) => text !== ''));
  const widths = drawn.map(({ head, cells, most = 40 }) =>
    Math.min(Math.max(most, widthOf(head)), Math.max(widthOf(head), ...cells.map(({ text }) => widthOf(text)))),
  );
  const line = (cellAt: (column: number) => Cell): string => {
    let [left, result] = [total, ''];
    for (const [at, { side = 'left' }] of drawn.entries()) {
      const width = Math.min(widths[at]!, left);
      if (width < 1) break;
      const { text, tone } = cellAt(at);
      const safe = fit(text, width);
      const spaces = ' '.repeat(Math.max(0, width - widthOf(safe)));
      const painted = tone === undefined ? safe : paint(tone, safe);
      result += side === 'right' ? spaces + painted + GAP : painted + spaces + GAP;
      left -= width + GAP.length;
    }
    return result.trimEnd();
  };
  const head = line((at) => ({ text: drawn[at]!.head }));
  return `${[paint('quiet', head), ...rows.map((_, row) => line((at) => drawn[at]!.cells[row]!))].join('\n')}\n`;
}

function asCell(cell: string | Cell): Cell {
  return typeof cell === 'string' ? { text: cell } : cell;
}
