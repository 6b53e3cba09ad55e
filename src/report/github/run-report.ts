import { attemptsOf, spansOf, type Attempt } from '../../history/attempts.ts';
import { attemptsSection, costSection, reusedSection } from './sections/amount-sections.ts';
import { decideSection } from './sections/decide-section.ts';
import { gateGraph } from '../graph/mermaid.ts';
import { gatesTable } from './sections/gates-table.ts';
import { historySections } from './sections/history-sections.ts';
import { issueSections } from './sections/issue-sections.ts';
import { jobItem, unsatisfiedJobs, type UnsatisfiedJob } from './needed-jobs.ts';
import { nextStepOfRun } from './next-step.ts';
import type { RunReportInput } from './report-input.ts';
import { figuresText, runText, titleOf } from './sections/run-headline.ts';
import { said } from '../markdown/markdown.ts';
import { block, fitSummary, SUMMARY_LIMIT, type Section } from '../markdown/section.ts';
import { timelineLines } from './sections/timeline.ts';
import { bounded, problemsSection } from './sections/problems-section.ts';

/**
 * The report of a whole run as GitHub Flavored Markdown, for a job summary: the result and what to do, the table of
 * gates, their graph, problems, reused outputs and the savings, cost and tokens as reported by agents, attempts,
 * timeline, damaged records, needed jobs without a record, and the history of the last runs.
 *
 * Pure: the same input gives the same text. At most `maxBytes` UTF-8 bytes (see `fitSummary`); ends with a line break.
 * Text from agents is displayed only: markup and commands in it are escaped.
 */
export function runReport(input: RunReportInput, maxBytes: number = SUMMARY_LIMIT): string {
  const attempts = attemptsOf(input.records, input.state);
  const missing = unsatisfiedJobs(input.jobs ?? [], input.records, input.state);
  const graph = gateGraph(input.pipeline, input.state);
  const sections: Section[] = [
    block('the headline', 0, headline(input, attempts, missing)),
    sentBackSection(input),
    decideSection([...input.state.units.values()], input.links?.decide),
    ...missingJobs(missing),
    gatesTable(input),
    block('the graph', 6, graph),
    ...issueSections(input),
    reusedSection(input),
    costSection(input, attempts),
    attemptsSection(attempts),
    timelineSection(input, attempts),
    problemsSection(input),
    ...historySections(input),
  ];
  return fitSummary(sections, maxBytes, input.links?.run);
}

function headline(input: RunReportInput, attempts: readonly Attempt[], missing: readonly UnsatisfiedJob[]): string {
  const { state } = input;
  const isNamed = input.sentBack?.isStarted === true || (missing.length > 0 && state.status === 'completed');
  const next = isNamed ? '' : `\n\n**Next step:** ${nextStepOfRun(state)}`;
  const task = state.task === undefined ? '' : `**Task:** ${said(state.task)}\n\n`;
  const figures = figuresText(input, attempts);
  return `## ${titleOf(state, missing)}\n\n${task}${figures}\n\n${bounded(runText(input))}${next}`;
}

function sentBackSection({ sentBack }: RunReportInput): Section {
  const text = [sentBack?.said ?? '', sentBack?.steps ?? ''].filter((part) => part !== '').join('\n\n');
  return block('what was sent back', 1, text, '### Work that was sent back');
}

function missingJobs(missing: readonly UnsatisfiedJob[]): Section[] {
  const pieces = missing.map((job) => ({ text: jobItem(job) }));
  const title = missing.every(({ isSilent }) => isSilent) ? 'Jobs without a record' : 'Jobs that did not succeed';
  return [{ title: title.toLowerCase(), weight: 2, heading: `### ${title}`, pieces }];
}

function timelineSection(input: RunReportInput, attempts: readonly Attempt[]): Section {
  const lines = timelineLines(attempts, spansOf(attempts, input.state, input.now), input.state, input.now);
  return {
    title: 'the timeline',
    weight: 8,
    heading: '',
    fold: 'Timeline',
    head: '```text',
    pieces: lines.map((text) => ({ text })),
    foot: '```',
  };
}
