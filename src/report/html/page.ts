import type { HistoryEntry } from '../../history/history-entry.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { MEETS_CONTRACT } from '../../run/status.ts';
import { sumOf } from '../../run/figures.ts';
import { formatDuration, formatMoney, formatSavings, groupDigits } from '../amounts.ts';
import { historyTitle } from '../history-table.ts';
import { gateRows, howText, scoreText, STATUS_TONES } from '../unit-texts.ts';
import type { RunStatus, RunView } from '../view.ts';
import {
  escapeSentence,
  escapeText,
  facts,
  lines,
  statusMark,
  statusShape,
  table,
  time,
  unitLink,
  type Links,
} from './elements.ts';
import type { Excerpt } from './excerpt.ts';
import { decisionTable, gateDetails, nextHtml } from './gate.ts';
import { graph } from './graph.ts';
import { POLICY, STYLE, SYMBOLS } from './style.ts';

/** The content of a page. Texts are redacted, not escaped. */
export interface HtmlReport {
  readonly view: RunView;
  /** Time of writing, ISO 8601. */
  readonly now: string;
  /** Excerpts of outputs, requests and logs. */
  readonly excerpts: ReadonlyMap<UnitKey, readonly Excerpt[]>;
  /** Problems that make the report red even if all gates passed. */
  readonly problems?: readonly string[];
}

/** How every page begins: other files are not overwritten. */
export const PAGE_START = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"`;

/** Renders a run as one page of HTML, without scripts and network. Texts of agents are only text. */
export function renderHtml({ view, now, excerpts, problems = [] }: HtmlReport): string {
  const { units, decisions, history } = view;
  const links = new Map(units.map(({ key }, at) => [key, `gate-${at + 1}`]));
  const details = units.map((unit) => gateDetails(unit, view, links, excerpts.get(unit.key) ?? []));
  const sections = [
    ['problems', 'Not checked', problems.map((problem) => `<p>${escapeText(problem)}</p>`).join('')],
    ['graph', 'Graph', graph(units, links)],
    ['gates', 'Gates', gateTable(view, links)],
    ['details', 'In detail', lines(...details)],
    ['decisions', 'Decisions', decisionTable(decisions, links)],
    ['history', 'Last runs', historyTable(history)],
  ].filter(([, , html]) => html !== '') as [id: string, title: string, html: string][];
  const status = problems.length > 0 ? 'error' : view.status;
  const title = `${escapeText(view.pipeline)} for ${escapeText(view.subject, 200)}: ${problems.length > 0 ? 'not everything was checked' : status}`;
  return `${PAGE_START} content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
${SYMBOLS}
<a class="skip" href="#main">Skip to the gates</a>
${header(view, title, status)}
<nav aria-label="Sections"><ul>${sections.map(([id, name]) => `<li><a href="#${id}">${name}</a></li>`).join('')}</ul></nav>
<main id="main" tabindex="-1">
${sections.map(([id, name, html]) => `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${name}</h2>\n${html}\n</section>`).join('\n')}
</main>
<footer><p class="note">Written by Gateline, ${time(now)}. Texts come from agents.</p></footer>
</body>
</html>
`;
}

/** The state of the run, and what to do next. */
function header(view: RunView, title: string, status: RunStatus): string {
  const { run, started, ended, task, paused, next } = view;
  const tone = STATUS_TONES[status];
  const times = [started && `started ${time(started)}`, ended && `ended ${time(ended)}`].filter(Boolean);
  return `<header>
<p class="over">Gateline · ${[run === 0 ? 'no run yet' : `run ${run}`, ...times].join(' · ')}</p>
<h1><span class="${tone}">${statusShape(status)}</span>${title}</h1>
${facts('facts', {
  Task: escapeText(task),
  'Held by': paused === undefined ? '' : escapeText(`${paused.actor}: ${paused.reason}`),
})}
<div class="next ${tone}" role="region" aria-label="Next step"><p><strong>Next:</strong> ${nextHtml(next)}</p></div>
${figures(view)}
</header>`;
}

function figures({ figures: { done, units, ran, used, ms, costUsd, tokens, savedMs, savedUsd } }: RunView): string {
  return facts('figures', {
    'Gates done': `${done} of ${units}`,
    'Agents ran': String(ran),
    Time: formatDuration(ms),
    Cost: formatMoney(costUsd),
    Tokens: tokens === undefined ? '' : groupDigits(tokens),
    'Used again': used === 0 ? '' : String(used),
    'Saved by that': formatSavings(savedUsd, savedMs),
  });
}

/** All gates; those of a group follow its name. */
function gateTable(view: RunView, links: Links): string {
  return table(
    'Gates and their status',
    gateRows(view),
    {
      Gate: ({ name, unit }) => {
        if (unit === undefined) return `<strong>${escapeText(name)}</strong>`;
        return `${name === unit.key ? '' : '└\u00a0'}${unitLink(links, unit.key)}`;
      },
      Status: ({ status }) => statusMark(status),
      How: ({ unit }) => (unit ? howText(unit) : ''),
      Score: ({ unit }) => escapeText(unit && scoreText(unit)),
      Time: ({ unit }) => formatDuration(sumOf(unit?.attempts.map(({ ms }) => ms) ?? [])),
      Cost: ({ unit }) => formatMoney(sumOf(unit?.attempts.map(({ metrics }) => metrics?.costUsd) ?? [])),
      Why: ({ unit }) => (unit?.reason === MEETS_CONTRACT ? '' : escapeSentence(unit?.reason, 300)),
    },
    Infinity,
  );
}

function historyTable(entries: readonly HistoryEntry[]): string {
  return table(historyTitle(entries), entries, {
    Run: ({ run }) => String(run),
    Subject: ({ subject }) => escapeText(subject),
    Status: ({ status }) => statusMark(status),
    Started: ({ started }) => time(started),
    Passed: ({ units }) => `${units.filter(({ status }) => status === 'passed').length} of ${units.length}`,
    Time: ({ ms }) => formatDuration(ms),
    Cost: ({ costUsd }) => formatMoney(costUsd),
    Saved: ({ savedMs }) => formatDuration(savedMs),
    'Task or failure': ({ task, failure }) => escapeText(failure ? `${failure.unit}: ${failure.message}` : task, 300),
  });
}
