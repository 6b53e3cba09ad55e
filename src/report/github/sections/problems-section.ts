import { code, said } from '../../markdown/markdown.ts';
import type { RunReportInput } from '../report-input.ts';
import type { Section } from '../../markdown/section.ts';

/** Damaged records, and unreadable ones with the place they were moved to. */
export function problemsSection({ state, problems = [] }: RunReportInput): Section {
  // The fold also reports unreadable records, but not the place they were moved to.
  const folded =
    problems.length === 0 ? state.problems : state.problems.filter((one) => one.code !== 'UNREADABLE_RECORD');
  const unread = problems.map(({ code: kind, where, message, quarantine }) => {
    const kept = quarantine === undefined ? '' : `; kept in ${code(quarantine)}`;
    return `- \`${kind}\` ${code(where)}: ${said(message, 500)}${kept}`;
  });
  const lines = [...unread, ...folded.map((one) => `- \`${one.code}\` ${said(one.message, 500)}`)];
  return {
    title: 'invalid records',
    weight: 3,
    heading: '### Invalid records',
    pieces: lines.map((text) => ({ text })),
  };
}

/** Shortens a line of the part that is never left out. */
export function bounded(line: string): string {
  return line.length > 4_096 ? '' : line;
}
