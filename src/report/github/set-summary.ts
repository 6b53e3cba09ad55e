import { codeCell, saidInCell } from '../markdown/markdown.ts';
import { gatesOf, type SetRow } from '../set-rows.ts';

/** Rows of the table. The rest is counted. */
const SHOWN = 600;

/** The subjects of a set as a table, those that are not completed first. Safe Markdown. */
export function setSummaryTable(rows: readonly SetRow[]): string {
  const open = rows.filter(({ status }) => status !== 'completed');
  const sorted = [...open, ...rows.filter(({ status }) => status === 'completed')];
  const lines = sorted.slice(0, SHOWN).map((row) => {
    const { done, total } = gatesOf(row);
    const gates = total === 0 ? '' : `${done}/${total}`;
    return `| ${codeCell(row.subject.id)} | ${row.status} | ${gates} | ${saidInCell(row.reason, 300)} |`;
  });
  const more = rows.length > SHOWN ? [`\n${rows.length - SHOWN} more subjects are not shown.`] : [];
  return ['| subject | status | gates | why |', '| --- | --- | --- | --- |', ...lines, ...more].join('\n');
}
