import type { UnitKey } from '../../../pipeline/pipeline.ts';
import type { UnitState } from '../../../run/state/run-state.ts';
import { statusRows, type StatusRow } from '../../status-rows.ts';
import { codeCell, linkTo, row, saidInCell, tableHead } from '../../markdown/markdown.ts';
import type { ArtifactLink, ReportLinks, RunReportInput } from '../report-input.ts';
import type { Piece, Section } from '../../markdown/section.ts';
import { isWell, reasonText, statusText } from '../status-words.ts';

/** Bytes of a reason in a cell. */
const REASON = 300;

/** The table of gates: groups as headings, the legs of a matrix gate below it, in file order. */
export function gatesTable(input: Pick<RunReportInput, 'pipeline' | 'state' | 'now' | 'links'>): Section {
  const artifacts = input.links?.artifacts;
  const outputs = artifacts !== undefined && artifacts.size > 0;
  const headings = ['#:', 'Gate', 'Status', 'How', 'Score:', 'Time:', ...(outputs ? ['Output'] : []), 'Why'];
  const rows = statusRows(input.state, input.pipeline, input.now);
  const pieces = rows.map((one): Piece => {
    const cells = [one.number, nameCell(one), statusText(one.status), one.how, one.score, one.time];
    const { key } = one;
    const unit = key === undefined ? undefined : input.state.units.get(key);
    const output = outputs ? [artifactsText((key !== undefined && artifacts.get(key)) || [])] : [];
    return { text: row([...cells, ...output, reasonCell(one, unit)]), passed: isWellRow(one) };
  });
  return { title: 'the table of gates', weight: 1, heading: '### Gates', head: tableHead(headings), pieces };
}

/**
 * The table for a comment: no reasons, the agents' lines if there are any, and for a large pipeline only gates that did
 * not pass.
 */
export function shortTable(input: Pick<RunReportInput, 'pipeline' | 'state' | 'now'>, most: number): Section {
  const rows = statusRows(input.state, input.pipeline, input.now);
  const says = rows.some(({ message }) => message !== '');
  const headings = ['Gate', 'Status', 'How', 'Score:', 'Time:', ...(says ? ['Message'] : [])];
  const pieces = rows.map((one): Piece => {
    const message = says ? [saidInCell(one.message, REASON)] : [];
    const cells = [nameCell(one), statusText(one.status), one.how, one.score, one.time, ...message];
    return { text: row(cells), passed: isWellRow(one) };
  });
  return {
    title: 'the table of gates',
    weight: 1,
    heading: '',
    head: tableHead(headings),
    pieces: withoutPassed(pieces, most, headings.length),
  };
}

/**
 * The rows unchanged, or, if there are more than `most`, those that did not pass and a row with the number of the rest.
 */
export function withoutPassed(pieces: readonly Piece[], most: number, columns: number): readonly Piece[] {
  if (pieces.length <= most) return pieces;
  const shown = pieces.filter(({ passed }) => passed !== true).slice(0, most);
  const filled = Array.from({ length: columns - 1 }, () => '');
  return [...shown, { text: row([`… and ${pieces.length - shown.length} more`, ...filled]) }];
}

/** Links to artifacts, in one cell or line. */
export function artifactsText(artifacts: readonly ArtifactLink[]): string {
  return artifacts
    .slice(0, 20)
    .map(({ name, url }) => linkTo(saidInCell(name, 100), url))
    .join(', ');
}

/** Links of one unit. */
export function artifactsOf(links: ReportLinks | undefined, key: UnitKey): readonly ArtifactLink[] {
  return links?.artifacts?.get(key) ?? [];
}

function reasonCell(one: StatusRow, unit: UnitState | undefined): string {
  const reason = unit === undefined || one.reason === '' ? one.reason : reasonText(unit);
  return saidInCell([reason, one.message].filter((text) => text !== '').join(': '), REASON);
}

function isWellRow({ status }: StatusRow): boolean {
  return status !== undefined && isWell(status);
}

function nameCell(one: StatusRow): string {
  if (one.heading) return `**${saidInCell(one.name, 200)}**`;
  return `${one.depth === 0 ? '' : '└ '.repeat(one.depth)}${codeCell(one.name, 120)}`;
}
