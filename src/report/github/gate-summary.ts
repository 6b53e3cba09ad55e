import { sumOf } from '../../run/figures.ts';
import { because } from '../../run/unit-state.ts';
import { countOf, formatDuration, formatMoney, formatSavings, formatScore, joinTexts } from '../amounts.ts';
import {
  changeItems,
  code,
  codeCell,
  factRows,
  fitSections,
  quote,
  tableHead,
  tableRow,
  type Section,
} from '../markdown.ts';
import { verdictWord } from '../unit-texts.ts';
import type { AttemptView, RunView, UnitView } from '../view.ts';
import { detailsOf, linkTo, runLink, type GithubContext } from './context.ts';
import { findingsOf } from './findings.ts';
import { githubUnitStep, stepText } from './next-step.ts';
import {
  amountsOf,
  approvalSection,
  fence,
  findingItem,
  fold,
  issueItems,
  outputsSection,
  scoreCell,
  sentence,
  statusText,
} from './sections.ts';

/** GitHub drops a step's summary of more than 1 MiB. This leaves room for masks, which may make it longer. */
export const RENDERED_SUMMARY_LIMIT = 900_000;
const MAX_FINDINGS = 50;

/**
 * Renders the summary of a gate's step as Markdown: what reuse saved, status and reason, score, time and cost with the
 * differences to the baseline, the line that approves it, issues, findings, the next step, output, files, needs, attempts
 * and learnings. At most `maxBytes` of UTF-8.
 */
export function renderGateSummary(
  view: RunView,
  unit: UnitView,
  context: GithubContext,
  maxBytes = RENDERED_SUMMARY_LIMIT,
): string {
  const { key, changes, undeclared, attempts } = unit;
  const { output, learnings } = detailsOf(context, key);
  const step = githubUnitStep(unit, context);
  const issues = issueItems(unit, context);
  const findings = findingsOf(output);
  return fitSections(
    [
      { title: 'the title', weight: 0, pieces: [headline(view, unit, context)] },
      { title: 'the facts', weight: 1, head: tableHead(['', '']), pieces: factsOf(view, unit, context) },
      approvalSection([unit], context),
      { title: 'the issues', weight: 2, head: `### Issues (${issues.length})\n`, pieces: issues },
      {
        title: 'the findings',
        weight: 3,
        head: `### Findings (${findings.length})\n`,
        pieces: findings.slice(0, MAX_FINDINGS).map((finding) => findingItem(finding, context)),
      },
      { title: 'the next step', weight: 0, pieces: step ? [stepText(step)] : [] },
      outputsSection([unit], context),
      fold({ title: 'the files', weight: 4, pieces: changeItems(changes) }, `Files (${changes.length})`),
      fold(
        { title: 'undeclared files', weight: 4, pieces: undeclared.map((path) => `- ${code(path, 1_024)}`) },
        `Files that changed meanwhile and are not declared (${undeclared.length})`,
      ),
      needsSection(view, unit),
      fold(
        {
          title: 'the attempts',
          weight: 4,
          head: tableHead(['Attempt', 'Result', 'Score', 'Time', 'Cost', 'Why']),
          pieces: attempts.length < 2 ? [] : attempts.map(attemptRow),
        },
        `Attempts (${attempts.length})`,
      ),
      fold({ title: 'the learnings', weight: 7, pieces: learnings ? [fence(learnings)] : [] }, 'Learnings'),
    ],
    maxBytes,
  );
}

function headline(view: RunView, unit: UnitView, context: GithubContext): string {
  const { key, number, status, reason } = unit;
  const { plan } = detailsOf(context, key);
  const saved = formatSavings(plan?.savesUsd, plan?.savesMs);
  const decision = view.decisions.findLast((other) => other.unit === key);
  const lines = [
    plan?.choice === 'use' ? `Used again${saved && `: saved ${saved}`}` : '',
    `## Gate ${number} ${code(key)}: ${statusText(status)}`,
    status === 'paused' ? '**Nothing is broken: the check is red until a person decides.**' : '',
    `**Status:** ${sentence(reason)}`,
    plan && plan.reason !== reason
      ? `**${plan.choice === 'use' ? 'Used' : plan.choice === 'run' ? 'Ran' : 'Decided'}:** ${sentence(plan.reason)}`
      : '',
    plan?.hint === undefined ? '' : `**Hint:** ${sentence(plan.hint)}`,
    decision
      ? `**Decision:** ${quote(decision.decision)} by ${quote(decision.actor)}${because(sentence(decision.reason))}`
      : '',
  ];
  return joinTexts(lines, '\n\n');
}

function factsOf({ subject, task }: RunView, unit: UnitView, context: GithubContext): string[] {
  const { key, agent, attempts, how, iteration, threshold, verdict, source } = unit;
  const { job } = detailsOf(context, key);
  const last = attempts.at(-1);
  const model = attempts.findLast(({ metrics }) => metrics?.model)?.metrics?.model;
  const tokens = sumOf(attempts.flatMap(({ metrics }) => [metrics?.inputTokens, metrics?.outputTokens]));
  const { time, cost } = amountsOf(unit, context);
  return factRows([
    ['Score', scoreCell(unit, context)],
    ['Threshold', threshold ? formatScore(threshold) : undefined],
    ['Result', verdict?.result && quote(verdict.result)],
    ['Message', verdict?.message && quote(verdict.message)],
    ['Agent', quote(agent)],
    ['Model', model && quote(model)],
    ['How', how],
    ['Output of', source && quote(`run ${source.run}, attempt ${source.n} of ${source.unit} for ${source.subject}`)],
    ['Attempt', last && String(last.n)],
    ['Iteration', iteration > 1 ? String(iteration) : undefined],
    ['Exit code', last?.exitCode?.toString()],
    ['Time', time],
    ['Cost', cost],
    ['Tokens', tokens ? countOf(tokens, 'token') : undefined],
    ['Subject', codeCell(subject, 1_024)],
    ['Task', task && quote(task)],
    ['Run', runLink(context)],
    ['Job', job && linkTo('log', job)],
  ]);
}

/** The needs of a unit with their results. */
function needsSection({ units }: RunView, { needs }: UnitView): Section {
  const pieces = units
    .filter(({ key }) => needs.includes(key))
    .map(({ key, status, how, reason }) =>
      tableRow([codeCell(key), statusText(status), how ?? '', quote(reason, 300)]),
    );
  const head = tableHead(['Gate', 'Status', 'How', 'Why']);
  return fold({ title: 'its needs', weight: 5, head, pieces }, `Needs (${pieces.length})`);
}

function attemptRow({ n, how, verdict, ms, metrics }: AttemptView): string {
  const { status, score, issues } = verdict ?? {};
  const result = verdictWord(verdict) || how;
  const scored = status === 'passed' || status === 'partial' ? formatScore(score!) : '';
  const why = quote(issues?.[0]?.message ?? '', 300);
  return tableRow([String(n), result, scored, formatDuration(ms), formatMoney(metrics?.costUsd), why]);
}
