import type { UnitStatus } from '../../run/state/run-state.ts';
import { count } from '../text.ts';
import { attemptsOf } from '../../history/attempts.ts';
import { markerLine, type CommentRevision } from './comment-marker.ts';
import { shortTable, withoutPassed } from './sections/gates-table.ts';
import { troubleLines, troublesOf } from './sections/issue-sections.ts';
import { code, codeCell, linkTo, row, tableHead } from '../markdown/markdown.ts';
import { jobItem, unsatisfiedJobs } from './needed-jobs.ts';
import { nextStepOfRun } from './next-step.ts';
import type { RunReportInput } from './report-input.ts';
import { figuresText, runText, titleOf } from './sections/run-headline.ts';
import { block, COMMENT_LIMIT, fitSummary, type Section } from '../markdown/section.ts';
import { bounded } from './sections/problems-section.ts';
import { isWell, statusText } from './status-words.ts';

/** Maximum number of rows in a comment's table; for a larger pipeline only gates that did not pass are listed. */
const MOST_ROWS = 40;
/** Maximum number of gates, and of issues per gate, that a comment shows in full. */
const MOST_TROUBLES = 5;
const MOST_ISSUES = 5;
/** Bytes of each issue's message. */
const QUOTED = 400;

/** A comment about a run whose records were all read. */
export interface ReportComment extends RunReportInput {
  readonly from: 'report';
  readonly revision: CommentRevision;
}

/** A comment about a running run of which only the names of records are known. */
export interface LiveComment {
  readonly from: 'names';
  readonly pipeline: string;
  readonly subject: string;
  readonly revision: CommentRevision;
  readonly rows: ReadonlyArray<{ readonly gate: string; readonly leg: string; readonly status: UnitStatus }>;
  /** Page of the workflow run. */
  readonly run?: string;
}

/**
 * The body of the sticky comment on a pull request: a hidden mark in the first line (see `parseCommentRevision`), the
 * run's result, a short table, the first failures, and a link to the run. At most {@link COMMENT_LIMIT} UTF-8 bytes.
 */
export function commentBody(input: ReportComment | LiveComment): string {
  const { revision } = input;
  if (input.from === 'names') return marked(input.pipeline, input.subject, revision, liveSections(input), input.run);
  const { pipeline, subject } = input.state;
  return marked(pipeline, subject, revision, reportSections(input), input.links?.run);
}

function marked(
  pipeline: string,
  subject: string,
  revision: CommentRevision,
  sections: readonly Section[],
  run: string | undefined,
): string {
  const marker = markerLine(pipeline, subject, revision);
  return `${marker}\n${fitSummary(sections, COMMENT_LIMIT - marker.length - 1, run)}`;
}

function reportSections(input: ReportComment): Section[] {
  const attempts = attemptsOf(input.records, input.state);
  const missing = unsatisfiedJobs(input.jobs ?? [], input.records, input.state);
  const troubles = troublesOf(input.state);
  const lines = troubles.slice(0, MOST_TROUBLES).flatMap((unit) => troubleLines(unit, input, MOST_ISSUES, QUOTED));
  const more =
    troubles.length > MOST_TROUBLES ? [`\n… and ${count(troubles.length - MOST_TROUBLES, 'more gate')}`] : [];
  return [
    block('the headline', 0, `### ${titleOf(input.state, missing)}\n\n${figuresText(input, attempts)}`),
    block('the note', 0, input.note ?? ''),
    {
      title: 'jobs that did not succeed',
      weight: 2,
      heading: '',
      pieces: missing.map((job) => ({ text: jobItem(job) })),
    },
    { title: 'the problems', weight: 3, heading: '', pieces: [...lines, ...more].map((text) => ({ text })) },
    shortTable(input, MOST_ROWS),
    block('the next step', 1, nextStep(input)),
    block('the link to the run', 0, bounded(`Report: ${runText(input)}`)),
  ];
}

/** The commands that a person may need are in the summary. */
function nextStep({ sentBack, state }: ReportComment): string {
  if (state.status === 'completed') return '';
  const step = `**Next step:** ${nextStepOfRun(state)}`;
  if (sentBack === undefined) return step;
  return sentBack.isStarted ? sentBack.said : `${sentBack.said}\n\n${step}`;
}

function liveSections({ pipeline, subject, rows, run, revision }: LiveComment): Section[] {
  const done = rows.filter(({ status }) => isWell(status) || status === 'skipped').length;
  const bad = rows.some(({ status }) => status === 'failed' || status === 'lost' || status === 'partial');
  const title = `### ${bad ? '❌' : '🔄'} ${code(pipeline)} for ${code(subject, 200)}`;
  const pieces = rows.map(({ gate, leg, status }) => ({
    text: row([codeCell(leg === '' ? gate : `${gate}/${leg}`, 130), statusText(status)]),
    passed: isWell(status),
  }));
  const which = linkTo(`run ${revision.runNumber}, run attempt ${revision.runAttempt}`, run);
  return [
    block(
      'the headline',
      0,
      `${title}\n\n**${done} of ${count(rows.length, 'gate')} done so far.** The report follows when all jobs are finished.`,
    ),
    {
      title: 'the table of gates',
      weight: 1,
      heading: '',
      head: tableHead(['Gate', 'Status']),
      pieces: withoutPassed(pieces, MOST_ROWS, 2),
    },
    block('the link to the run', 0, which),
  ];
}
