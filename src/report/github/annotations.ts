import type { UnitKey } from '../../pipeline/pipeline.ts';
import { resultOf, type UnitState } from '../../run/state/run-state.ts';
import type { Issue, Verdict } from '../../verdict/verdict.ts';
import type { JsonValue } from '../../json/json.ts';
import { truncateBytes } from '../../untrusted/escape.ts';
import { count, oneLine } from '../text.ts';
import { KIND_MEANING } from '../wording.ts';
import { findingsOf, placeAt, type Level } from './findings.ts';
import type { NamedPlace, PathOptions } from './named-place.ts';

/**
 * Maximum number of annotations of one level that GitHub shows per step (https://docs.github.com/rest/checks/runs, and
 * the runner's own limit for workflow commands).
 */
export const ANNOTATIONS_PER_LEVEL = 10;

const LONGEST_TITLE = 200;
const LONGEST_MESSAGE = 2_000;

/**
 * A message at a file's line, or for the run. Its texts are safe for logs; a caller that writes a workflow command must
 * escape it as a command.
 */
export interface GateAnnotation extends Partial<NamedPlace> {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
}

/** The input for annotations. */
export interface AnnotationsInput extends PathOptions {
  /** The units to annotate. Those that are not done come first. */
  readonly units: readonly UnitState[];
  /** Outputs, as far as they were read. */
  readonly values?: ReadonlyMap<UnitKey, JsonValue>;
  /**
   * How many annotations per level to return; default and maximum: {@link ANNOTATIONS_PER_LEVEL}. A step that ends red
   * reports one error itself.
   */
  readonly room?: Partial<Readonly<Record<Level, number>>>;
}

/**
 * The annotations of a step: for each unit the issues of its verdict, then its output's findings about places in files
 * (see `findingsOf`), with file and line if they are named. Never more per level than GitHub shows: the last one gives
 * the number of the rest. A unit that passed has no errors: errors in its output become warnings.
 */
export function annotationsOf(input: AnnotationsInput): GateAnnotation[] {
  const open = input.units.filter(({ done }) => !done);
  const done = input.units.filter((unit) => unit.done);
  const all = [...open, ...done].flatMap((unit) => ofUnit(unit, input.values?.get(unit.key), input));
  return (['error', 'warning', 'notice'] as const).flatMap((level) => {
    const most = Math.min(Math.max(0, input.room?.[level] ?? ANNOTATIONS_PER_LEVEL), ANNOTATIONS_PER_LEVEL);
    return limited(level, unique(all.filter((annotation) => annotation.level === level)), most);
  });
}

function ofUnit(unit: UnitState, value: JsonValue | undefined, options: PathOptions): GateAnnotation[] {
  const verdict = resultOf(unit)?.verdict;
  const title = titleOf(unit, verdict);
  const well = unit.status === 'passed' || unit.status === 'skipped' || unit.status === 'not-applicable';
  // For a unit below its threshold, the first issue says the same as the reason for its status.
  const isSaid = verdict?.kind === 'partial' && !unit.done;
  const issues = (verdict?.issues ?? [])
    .slice(isSaid ? 1 : 0)
    .map((issue) => annotation(issueLevel(issue, well), title, issue.message, issuePlace(issue, value, options)));
  const found = value === undefined ? [] : findingsOf(value, options);
  const findings = found.map(({ level, message, ...place }) =>
    annotation(well && level === 'error' ? 'warning' : level, title, message, place),
  );
  const told = issues.some(({ level }) => level === 'error') || well;
  return [...(told ? [] : whole(unit, verdict, title)), ...issues, ...findings];
}

/** The annotation of a stuck unit that names no error. */
function whole(unit: UnitState, verdict: Verdict | undefined, title: string): GateAnnotation[] {
  if (unit.unread !== undefined) return [annotation('error', `Gate ${unit.key}: unknown`, unit.unread)];
  if (unit.done || !['failed', 'lost', 'partial', 'paused'].includes(unit.status)) return [];
  const meaning = verdict?.status === 'failed' && unit.decided === undefined ? `${KIND_MEANING[verdict.kind]} ` : '';
  const level = unit.status === 'paused' ? 'notice' : 'error';
  return [annotation(level, title, meaning + (meaning !== '' && verdict?.advice ? verdict.advice : unit.reason))];
}

function titleOf(unit: UnitState, verdict: Verdict | undefined): string {
  const kind =
    verdict !== undefined && verdict.kind !== unit.status && unit.status === 'failed' ? ` (${verdict.kind})` : '';
  return `Gate ${unit.key}: ${unit.status}${kind}`;
}

function issueLevel({ severity }: Issue, well: boolean): Level {
  return well && severity === 'error' ? 'warning' : severity;
}

function issuePlace(issue: Issue, value: JsonValue | undefined, options: PathOptions): NamedPlace | undefined {
  return value === undefined || issue.pointer === undefined ? undefined : placeAt(value, issue.pointer, options);
}

function annotation(level: Level, title: string, message: string, place?: NamedPlace): GateAnnotation {
  return {
    level,
    title: truncateBytes(oneLine(title), LONGEST_TITLE),
    message: truncateBytes(oneLine(message), LONGEST_MESSAGE) || '(no message)',
    ...place,
  };
}

function unique(annotations: readonly GateAnnotation[]): GateAnnotation[] {
  const byText = new Map<string, GateAnnotation>();
  for (const one of annotations) {
    const text = JSON.stringify([one.file, one.line, one.message]);
    if (!byText.has(text)) byText.set(text, one);
  }
  return [...byText.values()];
}

function limited(level: Level, annotations: readonly GateAnnotation[], most: number): GateAnnotation[] {
  if (annotations.length <= most || most === 0) return annotations.slice(0, most);
  const rest = annotations.length - most + 1;
  const message = `GitHub shows ${most} of a step: the job summary has ${count(rest, `more ${level}`)}.`;
  return [...annotations.slice(0, most - 1), { level, title: 'Gateline', message }];
}
