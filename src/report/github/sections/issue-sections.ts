import { resultOf, type RunState, type UnitState } from '../../../run/state/run-state.ts';
import { count } from '../../text.ts';
import { iconOf, KIND_MEANING, scoreFact } from '../../wording.ts';
import { findingLines, issueLines, type IssueContext } from '../issue-lines.ts';
import { kindText } from '../../markdown/gate-parts.ts';
import { code, said } from '../../markdown/markdown.ts';
import type { RunReportInput } from '../report-input.ts';
import type { Piece, Section } from '../../markdown/section.ts';
import { isWell } from '../status-words.ts';

/** Maximum number of issues per gate in a report of the whole run; the gate's own summary has all. */
const ISSUES_OF_A_GATE = 10;

/** Issues: first those of gates that block the run, expanded; then those of gates that passed, folded. */
export function issueSections(input: RunReportInput): Section[] {
  const units = [...input.state.units.values()];
  const bad = troublesOf(input.state);
  const listed = new Set(bad);
  const well = units.filter((unit) => !listed.has(unit) && (resultOf(unit)?.verdict.issues.length ?? 0) > 0);
  const issues = well.reduce((sum, unit) => sum + resultOf(unit)!.verdict.issues.length, 0);
  return [
    {
      title: 'the problems',
      weight: 2,
      heading: '### Problems',
      pieces: bad.flatMap((unit) => troubleLines(unit, input, ISSUES_OF_A_GATE).map((text) => ({ text }))),
    },
    {
      title: 'issues of gates that passed',
      weight: 9,
      heading: '',
      fold: `${count(issues, 'issue')} of ${count(well.length, 'gate')} that did not stop the run`,
      pieces: well.flatMap((unit) =>
        troubleLines(unit, input, ISSUES_OF_A_GATE).map((text): Piece => ({ text, passed: true })),
      ),
    },
  ];
}

const TROUBLES = ['failed', 'lost', 'partial', 'paused'] as const;

/** The units that block the run themselves, not because of an earlier unit: failed ones first, unreadable ones last. */
export function troublesOf(state: RunState): UnitState[] {
  const open = [...state.units.values()].filter(({ done }) => !done);
  const unread = open.filter((unit) => unit.unread !== undefined);
  return [...TROUBLES.flatMap((status) => open.filter((unit) => unit.status === status)), ...unread];
}

/**
 * A unit's heading line, then its issues as a list, at most `most`, with `quoted` bytes of each message; the rest is
 * counted.
 */
export function troubleLines(unit: UnitState, input: RunReportInput, most: number, quoted = 1_000): string[] {
  const verdict = resultOf(unit)?.verdict;
  const context = { ...issueContext(unit, input), quoted };
  const issues = verdict?.issues ?? [];
  const lines = issueLines(issues.slice(0, most), context);
  const more = issues.length > most ? [`- … and ${issues.length - most} more`] : [];
  return [`\n${troubleHead(unit, input)}\n`, ...lines, ...more, ...findingLines(context, most - lines.length)];
}

/** The context of `issueLines` for a unit. */
export function issueContext(
  unit: UnitState,
  input: Pick<RunReportInput, 'values' | 'links' | 'workspace'>,
): IssueContext {
  return {
    value: input.values?.get(unit.key),
    files: input.links?.files,
    ...(input.workspace !== undefined && { workspace: input.workspace }),
  };
}

function troubleHead(unit: UnitState, { pipeline }: RunReportInput): string {
  const verdict = resultOf(unit)?.verdict;
  const head = `${iconOf(unit.status)} **${code(unit.key, 130)}** ${unit.status}`;
  if (isWell(unit.status)) return head;
  if (verdict === undefined || unit.unread !== undefined || unit.decided !== undefined || verdict.status === 'passed')
    return `${head}: ${said(unit.reason, 500)}`;
  const scored = verdict.kind === 'partial' || verdict.kind === 'check';
  const contract = pipeline.gates.find(({ id }) => id === unit.gate)?.contract;
  const fact = scored ? scoreFact(verdict, contract) : undefined;
  const threshold = fact?.threshold === undefined ? '' : `, threshold ${fact.threshold}`;
  const score = fact === undefined ? '' : ` Score ${fact.score}${threshold}.`;
  return `${head}${kindText(unit)}: ${KIND_MEANING[verdict.kind]}${score}`;
}
