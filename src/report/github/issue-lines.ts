import type { JsonValue } from '../../json/json.ts';
import type { Issue } from '../../verdict/verdict.ts';
import { issueItem } from '../markdown/gate-parts.ts';
import { findingsOf, placeAt } from './findings.ts';
import { code, fileAddress, linkTo, said } from '../markdown/markdown.ts';
import type { NamedPlace, PathOptions } from './named-place.ts';

/** The context for lines about issues. */
export interface IssueContext extends PathOptions {
  /** The output that the issues are about. */
  readonly value?: JsonValue | undefined;
  /** Base address of files, see `ReportLinks.files`. */
  readonly files?: string | undefined;
  /** Maximum bytes of a message to quote. Default 1,500. */
  readonly quoted?: number;
}

/** One Markdown list item per issue: severity, pointer, message, file and line if the output names them, rule. */
export function issueLines(issues: readonly Issue[], context: IssueContext): string[] {
  return issues.map((issue) => {
    const { severity, pointer } = issue;
    const place =
      context.value === undefined || pointer === undefined ? undefined : placeAt(context.value, pointer, context);
    const where = place === undefined ? '' : `, in ${placeLink(place, context)}`;
    return issueItem(issue, `**${severity}**`, where, context.quoted);
  });
}

/** One list item per finding of the output about a place in a file, at most `most`; the rest is counted. */
export function findingLines(context: IssueContext, most: number): string[] {
  const found = context.value === undefined ? [] : findingsOf(context.value, context);
  const lines = found
    .slice(0, most)
    .map(
      (finding) =>
        `- **${finding.level}** in ${placeLink(finding, context)}: ${said(finding.message, Math.min(context.quoted ?? 500, 500))}`,
    );
  return found.length > most ? [...lines, `- … and ${found.length - most} more`] : lines;
}

function placeLink(place: NamedPlace, { files }: IssueContext): string {
  const text = place.line === undefined ? place.file : `${place.file}:${place.line}`;
  return linkTo(code(text), fileAddress(files, place.file, place.line));
}
