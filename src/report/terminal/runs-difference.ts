import type { GateOutcome, HistoryEntry } from '../../history/entry.ts';
import type { JsonDifference } from '../../json/json-difference.ts';
import { costText } from '../amounts.ts';
import { count, oneLine, type Paint } from '../text.ts';
import { durationText, scoreText } from '../wording.ts';
import { columnsTable, type Column } from './columns.ts';

/** A gate in two runs, as it is shown. */
export interface ComparedGate {
  readonly key: string;
  readonly before: GateOutcome | undefined;
  readonly after: GateOutcome | undefined;
  readonly sameRequest: boolean | undefined;
  readonly output: readonly JsonDifference[] | undefined;
}

/** Two runs as lines and a table: what is the same is shown once, else as `before → after`. Texts are escaped. */
export function runsDifferenceText(
  {
    before,
    after,
    gates,
  }: { readonly before: HistoryEntry; readonly after: HistoryEntry; readonly gates: readonly ComparedGate[] },
  look: { readonly width?: number; readonly paint?: Paint } = {},
): string {
  const of = (text: (outcome: GateOutcome) => string) => (row: ComparedGate) =>
    change(row.before && text(row.before), row.after && text(row.after));
  const columns: Column<ComparedGate>[] = [
    { head: 'gate', cell: ({ key }) => oneLine(key) },
    { head: 'status', cell: of(({ status, reused }) => (reused ? `${status} (reused)` : status)) },
    { head: 'score', cell: of(({ score }) => (score === undefined ? '' : scoreText(score))) },
    { head: 'attempts', cell: of(({ attempts }) => (attempts === 0 ? '' : String(attempts))) },
    { head: 'time', cell: of(({ ms, reused }) => (reused ? '' : durationText(ms))) },
    { head: 'cost', cell: of(({ cost, reused }) => (reused ? '' : costText(cost))) },
    { head: 'request', cell: ({ sameRequest }) => (sameRequest === undefined ? '' : sameRequest ? 'same' : 'changed') },
    { head: 'output', cell: ({ output }) => outputText(output) },
  ];
  return `${runText(before)}\n${runText(after)}\n\n${columnsTable(columns, gates, look)}`;
}

function runText({ run, subject, status, ms, cost }: HistoryEntry): string {
  const parts = [`run ${run} of ${oneLine(subject)}: ${status}`, durationText(ms), costText(cost)];
  return parts.filter((part) => part !== '').join(', ');
}

function change(before: string | undefined, after: string | undefined): string {
  if (before === after) return before ?? '';
  return `${before === undefined || before === '' ? '–' : before} → ${after === undefined || after === '' ? '–' : after}`;
}

function outputText(output: readonly JsonDifference[] | undefined): string {
  if (output === undefined) return '';
  return output.length === 0 ? 'same' : `${count(output.length, 'place')} changed`;
}
