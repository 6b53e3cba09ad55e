import { endedAfter } from '../../history/attempts.ts';
import { amountOf } from '../../history/amounts.ts';
import { iterationOf } from '../../run/records/reworks.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import { amountText } from '../amounts.ts';
import { bytesText } from '../text.ts';
import { changeOf, howOf, iconOf, KIND_MEANING, scoreFact, toneOf } from '../wording.ts';
import type { Room } from './bounds.ts';
import type { AttemptContent, Part } from './content.ts';
import { details, facts, table, time, toned, type Say } from './elements.ts';

/** Files, issues and differences of one attempt that are listed. */
const [MOST_FILES, MOST_ISSUES] = [200, 100];

/** A gate or leg with its attempts, the latest first and open. @param at its place, which makes its id */
export function gateSection(
  unit: UnitState,
  gate: Gate | undefined,
  attempts: readonly AttemptContent[],
  { at, say, room }: { readonly at: number; readonly say: Say; readonly room: Room },
): string {
  const id = `gate-${at + 1}`;
  const iteration = iterationOf(unit.reworks);
  const about = facts([
    ['Status', toned(toneOf(unit.status), `${iconOf(unit.status)} ${unit.status}`)],
    ['Reason', say(unit.reason)],
    ['How', howOf(unit)],
    ['Agent', say(gate?.agent ?? '')],
    ['Needs', say(gate?.needs.join(', ') ?? '')],
    ['Iteration', unit.reworks.length > 0 ? `${iteration}` : ''],
    ['Attempts in this run', `${unit.attempts}`],
  ]);
  const shown = attempts.toReversed().map((attempt, index) => {
    const html = attemptHtml(attempt, gate, say);
    const { status, kind } = attempt.ended?.verdict ?? {};
    const title = `Attempt ${attempt.number}: ${status === undefined ? 'not ended' : `${status} (${kind})`}`;
    return index === 0 ? `<h4>${title}</h4>\n${html}` : details(title, html);
  });
  const html = [
    `<article aria-labelledby="${id}">`,
    `<h3 id="${id}">${say(unit.key)}</h3>`,
    about,
    ...shown,
    '</article>',
  ];
  const whole = html.filter((one) => one !== '').join('\n');
  return room.take(whole) ? whole : tooMuch(id, unit, say);
}

function tooMuch(id: string, unit: UnitState, say: Say): string {
  const command = say(`gateline show ${unit.key}`);
  return `<article aria-labelledby="${id}"><h3 id="${id}">${say(unit.key)}</h3><p>${unit.status}. <span class="note">The page is full: <code>${command}</code> shows this gate.</span></p></article>`;
}

function attemptHtml({ claim, ended, parts, differences }: AttemptContent, gate: Gate | undefined, say: Say): string {
  const own = ended === undefined ? facts([['Started', time(claim?.at)]]) : outcome(ended, gate, say);
  return [
    own,
    ended && issues(ended, say),
    differencesHtml(differences, say),
    ended && files(ended, say),
    ...parts.map((part) => partHtml(part, say)),
  ]
    .filter((one) => one !== undefined && one !== '')
    .join('\n');
}

function outcome(ended: EndedRecord, gate: Gate | undefined, say: Say): string {
  const { verdict, metrics, exitCode, signal, source, rework } = ended;
  const score = scoreFact(verdict, gate?.contract);
  const exit = exitCode === undefined ? (signal ?? '') : `${exitCode}`;
  return facts([
    ['Verdict', `${toned(toneOf(verdict.status), verdict.status)}. ${KIND_MEANING[verdict.kind]}`],
    [
      'Score',
      score === undefined
        ? ''
        : `${score.score}${score.threshold === undefined ? '' : ` of at least ${score.threshold}`}`,
    ],
    ['Message', say(verdict.message ?? '')],
    ['Result', say(verdict.result ?? '')],
    ['Advice', say(verdict.advice ?? '')],
    ['Started', time(ended.startedAt)],
    ['Ended', time(ended.at)],
    ['Time and cost', amountText(amountOf(endedAfter(ended), metrics))],
    ['Model', say(metrics?.model ?? '')],
    ['Exit code', say(exit)],
    ['Iteration', rework === undefined ? '' : `${rework.iteration}`],
    [
      'Reused from',
      source === undefined
        ? ''
        : say(`run ${source.runNumber}${source.subject === undefined ? '' : ` of ${source.subject}`}`),
    ],
  ]);
}

function issues({ verdict }: EndedRecord, say: Say): string {
  const rows = verdict.issues
    .slice(0, MOST_ISSUES)
    .map(({ severity, message, pointer, rule }) => [severity, say(message), say(pointer ?? ''), say(rule ?? '')]);
  return (
    table('Issues', ['Severity', 'Message', 'Place', 'Rule'], rows) +
    more(verdict.issues.length - MOST_ISSUES, 'issues')
  );
}

function files({ files: handedOn, touched }: EndedRecord, say: Say): string {
  const all = [
    ...handedOn.map((file) => ({ file, what: 'handed on' })),
    ...touched.map((file) => ({ file, what: 'not handed on' })),
  ];
  if (all.length === 0) return '';
  const rows = all.slice(0, MOST_FILES).map(({ file, what }) => [say(file.path), changeOf(file), what]);
  return details(
    `Files (${all.length})`,
    table('Files that the gate changed', ['File', 'Change', 'Use'], rows) + more(all.length - MOST_FILES, 'files'),
  );
}

function differencesHtml(lines: readonly string[] | undefined, say: Say): string {
  if (lines === undefined) return '';
  const body = lines.length === 0 ? '<p>Request and output are the same.</p>' : `<pre>${say(lines.join('\n'))}</pre>`;
  return details('Differences from the previous attempt', body);
}

function more(left: number, what: string): string {
  return left > 0 ? `\n<p class="note">${left} more ${what} are not listed.</p>` : '';
}

function partHtml({ name, bytes, digest, text, left, command }: Part, say: Say): string {
  const rest =
    left === undefined
      ? ''
      : `<p class="note">${say(left)} ${bytes === undefined ? '' : `In all ${bytesText(bytes)}, `}<code>${say(digest)}</code>: <code>${say(command)}</code></p>`;
  const body = text === undefined ? '' : `<pre>${say(text)}</pre>`;
  return details(
    bytes === undefined ? name : `${name} (${bytesText(bytes)})`,
    [rest, body].filter((one) => one !== '').join('\n'),
  );
}
