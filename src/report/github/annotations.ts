import type { Place } from '../../errors.ts';
import { truncateBytes } from '../../untrusted/escape.ts';
import { verdictText, type Issue } from '../../verdict/verdict.ts';
import { safeText } from '../table.ts';
import { STOPPING_STATUSES } from '../unit-texts.ts';
import type { UnitView } from '../view.ts';
import { detailsOf, type GithubContext } from './context.ts';
import { findingAt, findingsOf, type Finding } from './findings.ts';

/** A message at a line of a file, or about the run. Its texts are safe in a log. */
export interface Annotation {
  readonly level: Issue['severity'];
  readonly title: string;
  readonly message: string;
  readonly place?: Place;
}

/** GitHub shows ten of each level for a step. One error is reserved for the step itself. */
const MOST: Readonly<Record<Annotation['level'], number>> = { error: 9, warning: 10, notice: 10 };
const MAX_MESSAGE = 2_000;

/**
 * Annotations for the issues of units and the findings of their outputs, without duplicates. Units that are not done come
 * first, and the last annotation counts those that GitHub would not show. Errors of units that are done are warnings.
 */
export function annotationsOf(units: readonly UnitView[], context: GithubContext): readonly Annotation[] {
  const sorted = [...units.filter(({ done }) => !done), ...units.filter(({ done }) => done)];
  const byText = new Map<string, Annotation>();
  for (const annotation of sorted.flatMap((unit) => annotateUnit(unit, context))) {
    const { file, line } = annotation.place ?? {};
    const text = JSON.stringify([annotation.message, file, line]);
    if (!byText.has(text)) byText.set(text, annotation);
  }
  return (['error', 'warning', 'notice'] as const).flatMap((level) =>
    limit(
      [...byText.values()].filter((annotation) => annotation.level === level),
      MOST[level],
    ),
  );
}

function annotateUnit(unit: UnitView, context: GithubContext): Annotation[] {
  const { key, status, done, reason, verdict } = unit;
  const { output } = detailsOf(context, key);
  const issues = verdict?.issues ?? [];
  const annotate = (level: Annotation['level'], text: string, { file, line }: Partial<Finding> = {}): Annotation => ({
    level: done && level === 'error' ? 'warning' : level,
    title: `Gate ${safeText(key)}: ${status}`,
    message: safeText(truncateBytes(text, MAX_MESSAGE)),
    place: file === undefined ? undefined : { file, line },
  });
  // The reason is often the first issue, which is not repeated.
  const isIssue = issues.length > 0 && verdict !== undefined && reason === verdictText(verdict);
  const whole =
    !done && STOPPING_STATUSES.has(status) && !isIssue
      ? [annotate(status === 'paused' ? 'notice' : 'error', reason)]
      : [];
  const all = [
    ...whole,
    ...issues.map(({ severity, message, pointer }) => annotate(severity, message, findingAt(output, pointer))),
    ...findingsOf(output).map((finding) => annotate(finding.severity, finding.message, finding)),
  ];
  return all.filter(({ message }) => message !== '');
}

function limit(annotations: readonly Annotation[], most: number): readonly Annotation[] {
  if (annotations.length <= most) return annotations;
  const { level } = annotations[0]!;
  const rest = annotations.length - most + 1;
  const message = `${rest} more are in the summary`;
  return [...annotations.slice(0, most - 1), { level, title: 'Gateline', message }];
}
