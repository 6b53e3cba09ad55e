import type { HistoryEntry } from '../../history/history-entry.ts';
import { because } from '../../run/unit-state.ts';
import { countOf, formatDuration, formatMoney, joinTexts } from '../amounts.ts';
import { historyTitle } from '../history-table.ts';
import { code, codeCell, fitSections, quote, tableHead, tableRow, type Section } from '../markdown.ts';
import { savedText } from '../unit-texts.ts';
import type { RunView, UnitView } from '../view.ts';
import { detailsOf, linkTo, runAddress, runLink, type GithubContext } from './context.ts';
import { RENDERED_SUMMARY_LIMIT } from './gate-summary.ts';
import { githubStep, stepText } from './next-step.ts';
import { outcomeOf } from './outcome.ts';
import {
  approvalSection,
  deltaText,
  fold,
  gatesSection,
  outputsSection,
  troublesSection,
  withDelta,
} from './sections.ts';

const MAX_TROUBLES = 20;
const MAX_ROWS = 1_000;

/**
 * The summary of a run, as Markdown: the result, what reuse saved and what to do, what is not done, outputs that wait for
 * a person with the line that approves each, the table of gates against the default branch, decisions and the last runs.
 * At most `maxBytes` of UTF-8.
 */
export function renderRunSummary(view: RunView, context: GithubContext, maxBytes = RENDERED_SUMMARY_LIMIT): string {
  const { decisions, history } = view;
  const page = context.page === undefined ? '' : linkTo('The report as a page', context.page);
  const texts = [`## ${titleText(view, context)}`, ...runTexts(view, context), page];
  const waiting = waitingUnits(view, context);
  return fitSections(
    [
      { title: 'the title', weight: 0, pieces: [joinTexts(texts, '\n\n')] },
      problemsSection(context),
      troublesSection(view, context, MAX_TROUBLES),
      approvalSection(waiting, context),
      outputsSection(waiting, context),
      gatesSection(view, context, MAX_ROWS),
      {
        title: 'the decisions',
        weight: 4,
        head: '### Decisions\n',
        // Without `complete`, which the engine decides.
        pieces: decisions
          .filter(({ decision }) => decision !== 'complete')
          .map(
            ({ decision, actor, reason, unit }) =>
              `- ${quote(decision)}${unit === undefined ? '' : ` ${code(unit)}`} by ${quote(actor)}${because(quote(reason, 500))}`,
          ),
      },
      historySection(history, context),
    ],
    maxBytes,
  );
}

/** Units whose output a person can approve. */
export function waitingUnits({ units }: RunView, context: GithubContext): readonly UnitView[] {
  return units.filter(({ done, key }) => !done && detailsOf(context, key).approval !== undefined);
}

/** ``❌ failed: `web` for `pr-42` `` */
export function titleText(view: RunView, context: GithubContext): string {
  const { icon, text } = outcomeOf(view, context);
  return `${icon} ${text}: ${code(view.pipeline)} for ${code(view.subject)}`;
}

/** Paragraphs: what reuse saved, task, figures, and the next step. */
export function runTexts(view: RunView, context: GithubContext): string[] {
  const { task, paused } = view;
  const saved = savedText(view.figures);
  return [
    view.status === 'paused' && !paused ? '**Nothing is broken: the check is red until a person decides.**' : '',
    saved === undefined ? '' : `**${saved}**`,
    task === undefined ? '' : `**Task:** ${quote(task)}`,
    paused ? `**Held by** ${quote(paused.actor)}: ${quote(paused.reason)}` : '',
    figuresText(view, context),
    stepText(githubStep(view, context)),
  ].filter((text) => text !== '');
}

/** Figures with their differences to the baseline. */
function figuresText({ figures, units }: RunView, context: GithubContext): string {
  const { done, ms, costUsd, tokens } = figures;
  const { baseline, sha, eventName } = context;
  const notDone = new Map<string, number>();
  for (const unit of units) if (!unit.done) notDone.set(unit.status, (notDone.get(unit.status) ?? 0) + 1);
  const parts = [
    `**${done} of ${countOf(units.length, 'gate')} done**`,
    ...[...notDone].map(([status, count]) => `${count} ${status}`),
    withDelta(formatDuration(ms), deltaText(ms, baseline?.ms, formatDuration)),
    withDelta(formatMoney(costUsd), deltaText(costUsd, baseline?.costUsd, formatMoney)),
    tokens === undefined ? '' : countOf(tokens, 'token'),
    `${runLink(context)}${sha === '' ? '' : ` at ${code(sha.slice(0, 7))}`} (${code(eventName)})`,
    baseline ? `in brackets: against ${historyLink(baseline, context)} of the default branch` : '',
  ];
  return joinTexts(parts, ' · ');
}

export function problemsSection({ problems = [] }: GithubContext): Section {
  const pieces = problems.map((problem) => `- ❌ ${quote(problem)}`);
  return { title: 'what was not checked', weight: 1, head: '### Not checked\n', pieces };
}

function historyLink({ run, runId = '' }: HistoryEntry, context: GithubContext): string {
  return linkTo(`run ${run}`, runAddress(context, runId));
}

function historySection(entries: readonly HistoryEntry[], context: GithubContext): Section {
  const pieces = entries.map((entry) => {
    const { subject, status, units, ms, costUsd: cost, savedMs, failure } = entry;
    const passed = units.filter((unit) => unit.status === 'passed').length;
    return tableRow([
      historyLink(entry, context),
      codeCell(subject, 100),
      status,
      `${passed} of ${units.length}`,
      formatDuration(ms),
      formatMoney(cost),
      formatDuration(savedMs),
      failure === undefined ? '' : quote(`${failure.unit}: ${failure.message}`, 200),
    ]);
  });
  const head = tableHead(['Run', 'Subject', 'Status', 'Passed', 'Time', 'Cost', 'Saved', 'First failure']);
  return fold({ title: 'the last runs', weight: 4, head, pieces }, historyTitle(entries));
}
