import { digestOfJson, hexOf } from '../../json/digest.ts';
import { joinTexts } from '../amounts.ts';
import { code, fitSections } from '../markdown.ts';
import type { RunView } from '../view.ts';
import { linkTo, runAddress, runLink, type GithubContext } from './context.ts';
import { problemsSection, runTexts, titleText, waitingUnits } from './run-summary.ts';
import { approvalSection, fold, gatesSection, outputsSection, troublesSection } from './sections.ts';

/** A comment on GitHub has at most 65,536 characters. */
const MAX_COMMENT = 65_000;
/** The most gates that are listed with their issues, and the most issues of each. */
const MAX_TROUBLES = 5;
/** Bytes of an issue. */
const MAX_ISSUE = 400;
/** With more gates, only those that are not done are listed. */
const MAX_ROWS = 40;

/**
 * The comment on a pull request: a hidden marker in the first line, then the result in short, outputs that wait for a
 * person, and a link to the run. At most 65,000 bytes of UTF-8.
 */
export function renderComment(view: RunView, context: GithubContext): string {
  const texts = [`### ${titleText(view, context)}`, ...runTexts(view, context)];
  const sections = [
    { title: 'the title', weight: 0, pieces: [joinTexts(texts, '\n\n')] },
    problemsSection(context),
    troublesSection(view, context, MAX_TROUBLES, MAX_ISSUE),
    approvalSection(view.units, context),
    fold(outputsSection(waitingUnits(view, context), context), 'Look at the output first'),
    gatesSection(view, context, MAX_ROWS),
    {
      title: 'the link',
      weight: 0,
      pieces: [linkTo('Outputs, files and history', runAddress(context, String(context.runId)))],
    },
  ];
  return withMarker(view, context, 'ended', fitSections(sections, MAX_COMMENT));
}

/** The comment while the run is active. */
export function renderRunningComment(subject: CommentSubject, context: GithubContext): string {
  const at = context.sha === '' ? '' : ` at ${code(context.sha.slice(0, 7))}`;
  const text = `### 🔄 running: ${code(subject.pipeline)}\n\n${runLink(context)}${at} is running; its report follows here.\n`;
  return withMarker(subject, context, 'running', text);
}

/** A pull request has one comment for each pipeline and subject. */
export interface CommentSubject {
  readonly pipeline: string;
  readonly subject: string;
}

/** The first line of a comment. */
export interface CommentMarker {
  /** 16 hex digits, of pipeline and subject. */
  readonly topic: string;
  readonly runId: number;
  readonly runAttempt: number;
  readonly stage: 'running' | 'ended';
}

const MARKER = /^<!-- gateline-comment\/1 ([0-9a-f]{16}) (\d{1,16})\.(\d{1,6}) (running|ended) -->(?=\r?\n|$)/;

/**
 * Parses the marker of a comment, its whole first line. Agents cannot forge it, because their texts are below. Other people
 * can, so callers check the author too.
 */
export function parseMarker(body: string): CommentMarker | undefined {
  const [, topic, runId, runAttempt, stage] = MARKER.exec(body) ?? [];
  if (topic === undefined) return undefined;
  return { topic, runId: Number(runId), runAttempt: Number(runAttempt), stage: stage as CommentMarker['stage'] };
}

/** Whether a comment is of a later run or attempt, or of the end of the same one. */
export function isNewerThan(marker: CommentMarker, other: CommentMarker): boolean {
  const order =
    marker.runId - other.runId ||
    marker.runAttempt - other.runAttempt ||
    Number(marker.stage === 'ended') - Number(other.stage === 'ended');
  return order > 0;
}

function withMarker(
  { pipeline, subject }: CommentSubject,
  { runId, runAttempt }: GithubContext,
  stage: CommentMarker['stage'],
  text: string,
): string {
  const topic = hexOf(digestOfJson([pipeline, subject])).slice(0, 16);
  return `<!-- gateline-comment/1 ${topic} ${runId}.${runAttempt} ${stage} -->\n${text}`;
}
