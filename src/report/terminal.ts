import { placeText } from '../errors.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { UnitPlan } from '../run/events.ts';
import { MEETS_CONTRACT, STATUS_PHRASES } from '../run/status.ts';
import { verdictText } from '../verdict/verdict.ts';
import { countOf, formatDuration, formatMoney, groupDigits, joinTexts, listNames } from './amounts.ts';
import { cut } from './markdown.ts';
import { plain, renderTable, safeText, type Column, type Screen, type Tone } from './table.ts';
import {
  gateRows,
  howText,
  savedText,
  scoreText,
  STATUS_TONES,
  STOPPING_STATUSES,
  verdictWord,
  type GateRow,
} from './unit-texts.ts';
import type { AttemptView, NextStep, RunView, UnitView } from './view.ts';

/** At most this many units are listed with their whole reason below the table. */
const MAX_TROUBLES = 5;
/** Bytes of a task: it may be a whole document. */
const MAX_TASK = 400;
const MAX_ISSUES = 20;

export interface StatusOptions extends Screen {
  /** ISO 8601. Default: running units show no time. */
  readonly now?: string;
  /** The plan of the next call, to name gates that would run again. */
  readonly plan?: readonly UnitPlan[];
  /** Units whose agents ran in this call, to name the files that they changed. */
  readonly ran?: readonly UnitKey[];
}

/** The status of a run: what reuse saved, its gates, a summary, files that a call changed, and what to do next. */
export function renderStatus(view: RunView, options: StatusOptions = {}): string {
  const saved = savedText(view.figures);
  return [
    ...(saved === undefined ? [] : [`${saved}\n\n`]),
    `${renderGates(view, options)}\n`,
    ...[...summaryLines(view), ...changeLines(view, options), ...againLines(view, options)].map(
      (line) => `${safeText(line)}\n`,
    ),
    nextLine(view.next),
  ].join('');
}

function changeLines({ units, next, clone, target = '' }: RunView, { ran = [] }: StatusOptions): string[] {
  const changed = units.filter(({ key, changes }) => ran.includes(key) && changes.length > 0);
  if (changed.length === 0) return [];
  const diff = `\`gateline diff${target}\``;
  return [
    ...changed.map(
      ({ key, changes }) =>
        `${key} changed ${countOf(changes.length, 'file')}: ${listNames(changes.map(({ path }) => path))}`,
    ),
    clone === undefined
      ? `${next.command?.startsWith('gateline diff') ? 'Undo it' : `See it with ${diff}, and undo it`} with \`gateline rollback --all${target}\`.`
      : `See it with ${diff}.`,
  ];
}

function againLines({ units }: RunView, { plan = [] }: StatusOptions): string[] {
  const done = new Set(units.flatMap((unit) => (unit.done ? [unit.key] : [])));
  const again = plan.filter(({ unit, choice }) => choice === 'run' && done.has(unit));
  if (again.length === 0) return [];
  return [`Would run again: ${listNames(again.map(({ unit, reason }) => `${unit} (${reason})`))}`];
}

function renderGates(view: RunView, { now, ...screen }: StatusOptions): string {
  const columns: Column<GateRow>[] = [
    { head: '#', cell: ({ number }) => number?.toString(), isNumber: true },
    { head: 'gate', cell: ({ name, unit }) => ({ text: name, tone: unit ? undefined : 'strong' }) },
    { head: 'status', cell: ({ status }) => ({ text: status, tone: STATUS_TONES[status] }) },
    { head: 'how', cell: ({ unit }) => unit && howText(unit) },
    { head: 'score', cell: ({ unit }) => unit && scoreText(unit), isNumber: true },
    { head: 'time', cell: ({ unit }) => unit && timeText(unit, now), isNumber: true },
    { head: 'why', cell: ({ unit }) => (unit?.reason === MEETS_CONTRACT ? '' : unit?.reason), max: 300 },
  ];
  return renderTable(columns, gateRows(view), screen);
}

function timeText({ attempts, status }: UnitView, now: string | undefined): string {
  const started = attempts.at(-1)?.started;
  if (status === 'running' && now && started) return formatDuration(Date.parse(now) - Date.parse(started));
  return formatDuration(attempts.reduce((sum, attempt) => sum + (attempt.ms ?? 0), 0));
}

function summaryLines(view: RunView): string[] {
  const { run, pipeline, subject, status, figures, units, paused, task, clone, target = '' } = view;
  if (run === 0) return [`There is no run of ${pipeline} for ${subject} yet.`];
  const { done, ms, costUsd, tokens } = figures;
  const parts = [
    `${done} of ${countOf(units.length, 'gate')} done`,
    formatDuration(ms),
    formatMoney(costUsd),
    tokens === undefined ? '' : countOf(tokens, 'token'),
  ];
  const lines = [`Run ${run} of ${pipeline} for ${subject}: ${status}, ${joinTexts(parts)}`];
  if (task !== undefined) lines.push(`Task: ${cut(task, MAX_TASK)}`);
  if (clone !== undefined)
    lines.push(`Isolated: its files are in ${clone} until \`gateline apply${target}\` brings them here`);
  if (paused)
    lines.push(`${paused.decision === 'rollback' ? 'Rolled back' : 'Paused'} by ${paused.actor}: ${paused.reason}`);
  const troubles = units.filter((unit) => !unit.done && STOPPING_STATUSES.has(unit.status));
  lines.push(
    ...troubles
      .slice(0, MAX_TROUBLES)
      .map(({ key, status: word, reason }) => `${key} ${STATUS_PHRASES[word]}: ${reason}`),
  );
  const rest = troubles.slice(MAX_TROUBLES).map(({ key }) => key);
  if (rest.length > 0) lines.push(`Not done either: ${listNames(rest, 10)}`);
  return lines;
}

export function nextLine({ text, command }: NextStep): string {
  return `Next: ${safeText(text)}${command === undefined ? '' : `: \`${safeText(command)}\``}\n`;
}

/** A verdict with score, each issue with its pointer and rule, how the agent ended, and what to do. */
export function renderVerdict(unit: UnitView, attempt?: AttemptView, { paint = plain }: Screen = {}): string {
  const shown = attempt ?? unit.attempts.findLast(({ verdict }) => verdict !== undefined);
  const { key, status, reason, place } = unit;
  const verdict = shown?.verdict;
  if (shown === undefined || verdict === undefined)
    return `${safeText(`${key} ${STATUS_PHRASES[status]}: ${reason}`)}\n`;
  const { issues, advice, result, message } = verdict;
  const tone = STATUS_TONES[verdict.status];
  const score = scoreText({ ...unit, verdict, status: verdict.status });
  const isPlain = status === verdict.status && [MEETS_CONTRACT, message, verdictText(verdict)].includes(reason);
  const facts: (readonly [name: string, value: string | undefined])[] = [
    ['now', attempt || isPlain ? undefined : `${status}: ${reason}`],
    ['how', shown.how],
    ['score', score],
    ['result', result],
    ['message', message],
    ['by', shown.actor === undefined ? undefined : `${shown.actor}: ${shown.reason ?? ''}`],
    ['exit code', shown.exitCode?.toString()],
    ['took', formatDuration(shown.ms)],
    ['defined at', placeText(place)],
  ];
  const lines = facts.flatMap(([name, value = '']) => (value === '' ? [] : [`  ${name}: ${safeText(value)}`]));
  const listed = issues.slice(0, MAX_ISSUES).map(({ severity, pointer, rule, message: text }) => {
    const at = pointer === undefined ? '' : ` at ${pointer === '' ? 'the whole output' : pointer}`;
    const by = rule === undefined || text.includes(rule) ? '' : ` [${rule}]`;
    return `  ${safeText(`- ${severity}${at}: ${text}${by}`)}`;
  });
  if (issues.length > MAX_ISSUES)
    listed.push(`  and ${issues.length - MAX_ISSUES} more: \`gateline show ${key} verdict\` has them all`);
  if (advice !== '' && (attempt || !unit.done)) listed.push(`  what to do: ${safeText(advice)}`);
  return `${[`${key}, attempt ${shown.n}: ${paint(tone, verdictWord(verdict))}`, ...lines, ...listed].join('\n')}\n`;
}

const PLANNED: Readonly<Record<UnitPlan['choice'], readonly [text: string, tone: Tone]>> = {
  use: ['used', 'good'],
  run: ['to run', 'strong'],
  depends: ['not known yet', 'quiet'],
  wait: ['waiting for a person', 'warning'],
  busy: ['with an agent at work', 'warning'],
  skip: ['skipped', 'warning'],
  'not-applicable': ['not applicable', 'quiet'],
  blocked: ['blocked', 'bad'],
};

/** The plan of each gate with its reason, and the hints below. @param estimatedMs how long the call will take */
export function renderPlan(plans: readonly UnitPlan[], screen: Screen = {}, estimatedMs?: number): string {
  const counts = Object.entries(PLANNED).flatMap(([choice, [text]]) => {
    const count = plans.filter((plan) => plan.choice === choice).length;
    return count === 0 ? [] : [`${groupDigits(count)} ${text}`];
  });
  const columns: Column<UnitPlan>[] = [
    { head: 'gate', cell: ({ unit }) => unit },
    { head: 'plan', cell: ({ choice }) => ({ text: choice, tone: PLANNED[choice][1] }) },
    { head: 'saves', cell: ({ savesMs }) => formatDuration(savesMs), isNumber: true },
    { head: 'why', cell: ({ reason }) => reason, max: 300 },
  ];
  const hints = plans.flatMap(({ unit, hint }) => (hint === undefined ? [] : [`${safeText(`${unit}: ${hint}`)}\n`]));
  const duration = formatDuration(estimatedMs);
  const head = `${counts.join(', ')}${duration === '' ? '' : `; about ${duration}`}`;
  return `${countOf(plans.length, 'gate')}: ${head}\n${renderTable(columns, plans, screen)}${hints.join('')}`;
}
