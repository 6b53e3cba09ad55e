import { count } from '../../text.ts';
import { endedAfter } from '../../../history/attempts.ts';
import { durationText } from '../../wording.ts';
import { sumOf, type Amount } from '../../../history/amounts.ts';
import { costText, tokensText } from '../../amounts.ts';
import { agentRan, reusedIn, spentOn, type Attempt } from '../../../history/attempts.ts';
import { codeCell, row, saidInCell, tableHead } from '../../markdown/markdown.ts';
import type { RunReportInput } from '../report-input.ts';
import type { Section } from '../../markdown/section.ts';
import { originText } from '../status-words.ts';

/** Reused outputs, their sources, and the amounts of the original attempts. */
export function reusedSection({ state, records }: RunReportInput): Section {
  const reused = reusedIn(state, records);
  const rows = reused.map(({ unit, ended, saved }) =>
    row([codeCell(unit.key, 130), ended.source === undefined ? '' : originText(ended.source), ...amountCells(saved)]),
  );
  const total = sumOf(reused.map(({ saved }) => saved));
  return {
    title: 'reused outputs',
    weight: 4,
    heading: '### Reused',
    head: tableHead(['Gate', 'Output from', 'Time saved:', 'Cost saved:', 'Tokens saved:']),
    pieces: [
      ...(rows.length > 1 ? [totalRow(['**All**', ''], total)] : []),
      ...rows.map((text) => ({ text, passed: true })),
    ],
  };
}

/** Cost and tokens that agents reported, by gate, for all attempts of this run. Not shown if none reported anything. */
export function costSection({ state }: RunReportInput, attempts: readonly Attempt[]): Section {
  const byUnit = Map.groupBy(attempts, ({ key }) => key);
  const known = [...state.units.keys()].flatMap((key) => {
    const own = byUnit.get(key) ?? [];
    const spent = spentOn(own);
    return spent.costUsd === undefined && spent.tokens === undefined ? [] : [{ key, own, spent }];
  });
  const total = sumOf(known.map(({ spent }) => spent));
  return {
    title: 'cost and tokens',
    weight: 5,
    heading: '### Cost reported by the agents',
    head: tableHead(['Gate', 'Model', 'Time:', 'Cost:', 'Tokens:']),
    pieces: [
      ...(known.length > 1 ? [totalRow(['**All**', ''], total)] : []),
      ...known.map(({ key, own, spent }) => ({
        text: row([codeCell(key, 130), modelsOf(own), ...amountCells(spent)]),
      })),
    ],
  };
}

/** Every attempt of units that had more than one. */
export function attemptsSection(attempts: readonly Attempt[]): Section {
  const tried = [...Map.groupBy(attempts.filter(agentRan), ({ key }) => key).values()].filter((own) => own.length > 1);
  const again = tried.reduce((sum, own) => sum + own.length - 1, 0);
  return {
    title: 'retries',
    weight: 6,
    heading: '',
    fold: `${again === 1 ? '1 retry' : `${again} retries`} of ${count(tried.length, 'gate')}`,
    head: tableHead(['Gate', 'Run attempt:', 'Attempt:', 'Result', 'Time:']),
    pieces: tried.flat().map((attempt) => ({ text: attemptRow(attempt) })),
  };
}

/** One attempt as a row: gate, run attempt, attempt, result and reason, time. */
export function attemptRow({ key, runAttempt, n, ended }: Attempt): string {
  const cells = [codeCell(key, 130), String(runAttempt), String(n)];
  if (ended === undefined) return row([...cells, 'no result', '']);
  const { status, kind, issues } = ended.verdict;
  const what = ended.how === 'reused' ? 'reused' : status === kind ? status : `${status} (${kind})`;
  const why = status === 'failed' && issues[0] !== undefined ? `: ${saidInCell(issues[0].message, 200)}` : '';
  return row([...cells, what + why, ended.how === 'reused' ? '' : durationText(endedAfter(ended))]);
}

function totalRow(cells: readonly string[], total: Amount): { text: string } {
  return { text: row([...cells, ...amountCells(total).map((cell) => (cell === '' ? '' : `**${cell}**`))]) };
}

function amountCells({ ms, costUsd, tokens }: Amount): string[] {
  return [durationText(ms), costText(costUsd), tokensText(tokens)];
}

function modelsOf(attempts: readonly Attempt[]): string {
  const models = new Set(attempts.flatMap(({ ended }) => ended?.metrics?.model ?? []));
  return [...models]
    .slice(0, 3)
    .map((model) => saidInCell(model, 100))
    .join(', ');
}
