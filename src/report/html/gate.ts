import { placeText } from '../../errors.ts';
import { sumOf } from '../../run/figures.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import { formatDuration, formatMoney, groupDigits } from '../amounts.ts';
import { scoreText, verdictWord } from '../unit-texts.ts';
import type { DecisionView, NextStep, RunView, UnitView } from '../view.ts';
import {
  details,
  escapeSentence,
  escapeText,
  facts,
  lines,
  statusMark,
  table,
  time,
  unitLink,
  type Links,
} from './elements.ts';
import type { Excerpt } from './excerpt.ts';

/** A unit with facts, issues, attempts, files, decisions and excerpts. It is open unless the unit is done. */
export function gateDetails(unit: UnitView, view: RunView, links: Links, excerpts: readonly Excerpt[]): string {
  const { key, gate, status, done, attempts, verdict } = unit;
  const earlier = attempts.slice(0, -1).filter((attempt) => attempt.verdict?.issues.length);
  const body = lines(
    unitFacts(unit, links),
    issueTable(verdict),
    attemptTable(unit),
    ...earlier.map(({ n, verdict: old }) => details(`Issues of attempt ${n}`, issueTable(old))),
    fileDetails(unit),
    decisionTable(
      view.decisions.filter((decision) => decision.unit === key || decision.unit === gate),
      links,
    ),
    ...excerpts.map(({ name, text, note }) =>
      details(
        escapeText(name),
        `${note === undefined ? '' : `<p class="note">${escapeSentence(note)}</p>`}<pre tabindex="0">${escapeText(text, Infinity)}</pre>`,
      ),
    ),
  );
  const open = !done && attempts.length > 0 ? ' open' : '';
  return `<details class="gate"${open}><summary><h3>${escapeText(key)}</h3> ${statusMark(status)}</summary>
<div id="${links.get(key)}" class="body">
${body}
</div></details>`;
}

function unitFacts(unit: UnitView, links: Links): string {
  const { needs, agent, place, reason, done, next, verdict, iteration, source, memory } = unit;
  return facts('facts', {
    Why: escapeSentence(reason),
    Next: next === undefined ? '' : nextHtml(next),
    Verdict: verdictWord(verdict),
    Score: escapeText(scoreText(unit)),
    Result: escapeText(verdict?.result),
    Message: escapeText(verdict?.message),
    'What to do': done ? '' : escapeSentence(verdict?.advice),
    'Used from': source === undefined ? '' : `run ${source.run} of ${escapeText(source.subject)}`,
    Iteration: iteration > 1 ? String(iteration) : '',
    Needs: needs.map((need) => unitLink(links, need)).join(', '),
    Memory: escapeText(memory.join(', ')),
    Agent: escapeText(agent),
    'Defined at': escapeText(placeText(place)),
  });
}

/** A next step with its command. */
export function nextHtml({ text, command }: NextStep): string {
  const step = escapeSentence(text);
  return command === undefined ? step : `${step}: <code class="command">${escapeText(command)}</code>`;
}

function issueTable(verdict: Verdict | undefined): string {
  return table('Issues', verdict?.issues ?? [], {
    Severity: ({ severity }) => severity,
    Message: ({ message }) => escapeSentence(message),
    Place: ({ pointer }) => (pointer === '' ? 'the whole output' : code(pointer)),
    Rule: ({ rule, message }) => (rule !== undefined && message.includes(rule) ? '' : code(rule)),
  });
}

const code = (text = ''): string => (text === '' ? '' : `<code>${escapeText(text, 300)}</code>`);

function attemptTable(unit: UnitView): string {
  return table('Attempts in this run', unit.attempts.toReversed(), {
    Attempt: ({ n }) => String(n),
    How: ({ how }) => how,
    Verdict: ({ verdict }) => verdictWord(verdict),
    Score: ({ verdict }) => escapeText(verdict && scoreText({ ...unit, verdict, status: verdict.status })),
    Started: ({ started, ended }) => time(started ?? ended),
    Time: ({ ms }) => formatDuration(ms),
    Cost: ({ metrics }) => formatMoney(metrics?.costUsd),
    Tokens: ({ metrics }) => groupDigits(sumOf([metrics?.inputTokens, metrics?.outputTokens]) ?? 0).replace(/^0$/, ''),
    Model: ({ metrics }) => escapeText(metrics?.model),
    'Exit code': ({ exitCode }) => String(exitCode ?? ''),
    By: ({ actor, reason = '' }) => (actor === undefined ? '' : escapeText(`${actor}: ${reason}`)),
  });
}

function fileDetails({ changes, files, undeclared }: UnitView): string {
  const changed = new Set(changes.map(({ path }) => path));
  const rows = [
    ...changes.map(({ path, before, after, ignored }) => ({
      path,
      what: ignored ? 'ignored now' : before === null ? 'added' : after === null ? 'deleted' : 'changed',
    })),
    ...files.filter((path) => !changed.has(path)).map((path) => ({ path, what: 'as an earlier attempt left it' })),
    ...undeclared.map((path) => ({ path, what: 'changed, but not declared: counts as yours' })),
  ];
  const html = table('Files of the gate', rows, { File: ({ path }) => code(path), Change: ({ what }) => what });
  return details(`Files (${rows.length})`, html);
}

/** Decisions, the newest first. */
export function decisionTable(decisions: readonly DecisionView[], links: Links): string {
  return table('Decisions', decisions.toReversed(), {
    When: ({ at }) => time(at),
    Decision: ({ decision }) => escapeText(decision),
    Gate: ({ unit }) => (unit === undefined ? '' : unitLink(links, unit)),
    Who: ({ actor }) => escapeText(actor),
    Reason: ({ reason }) => escapeText(reason),
  });
}
