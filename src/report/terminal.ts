import type { UnitKey } from '../pipeline/pipeline.ts';
import type { UnitPlan } from '../run/events.ts';
import { MEETS_CONTRACT, STATUS_PHRASES } from '../run/status.ts';
import { verdictText } from '../verdict/verdict.ts';
import { countOf, formatDuration, formatMoney, formatScore, groupDigits, listNames } from './amounts.ts';
import { cut } from './markdown.ts';
import { plain, renderTable, safeText, type Column, type Screen, type Tone } from './table.ts';
import type { AttemptView, Figures, NextStep, RunStatus, RunView, UnitStatus, UnitView } from './view.ts';

/** A status of a unit or of a run. */
export type Status = UnitStatus | RunStatus;

export const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  pending: 'quiet',
  running: 'strong',
  passed: 'good',
  partial: 'warning',
  failed: 'bad',
  lost: 'bad',
  paused: 'warning',
  skipped: 'warning',
  'not-applicable': 'quiet',
  blocked: 'quiet',
  initializing: 'quiet',
  executing: 'strong',
  completed: 'good',
  error: 'bad',
  rollback: 'warning',
  closed: 'quiet',
};

/** Units that are named with their whole reason below the table. */
const MAX_TROUBLES = 5;
/** Bytes: a task may be a whole document. */
const MAX_TASK = 400;
const MAX_ISSUES = 20;

export interface StatusOptions extends Screen {
  /** ISO 8601: how long agents have been working. */
  readonly now?: string;
  /** What the next call would do: gates that would run again are named. */
  readonly plan?: readonly UnitPlan[];
  /** Units whose agents ran in the call that ends: what they changed is named. */
  readonly ran?: readonly UnitKey[];
}

/** How a run stands: what reuse saved, a table of its gates, a summary, what a call changed, and what to do next. */
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

function changeLines({ units, next, clone }: RunView, { ran = [] }: StatusOptions): string[] {
  const changed = units.filter(({ key, changes }) => ran.includes(key) && changes.length > 0);
  if (changed.length === 0) return [];
  return [
    ...changed.map(
      ({ key, changes }) =>
        `${key} changed ${countOf(changes.length, 'file')}: ${listNames(changes.map(({ path }) => path))}`,
    ),
    clone === undefined
      ? `${next.command === 'gateline diff' ? 'Undo it' : 'See it with `gateline diff`, and undo it'} with \`gateline rollback --all\`.`
      : 'See it with `gateline diff`.',
  ];
}

function againLines({ units }: RunView, { plan = [] }: StatusOptions): string[] {
  const done = new Set(units.flatMap((unit) => (unit.done ? [unit.key] : [])));
  const again = plan.filter(({ unit, choice }) => choice === 'run' && done.has(unit));
  if (again.length === 0) return [];
  return [`Would run again: ${listNames(again.map(({ unit, reason }) => `${unit} (${reason})`))}`];
}

/** `3 of 6 gates used again: saved $1.84 and 12 min`; undefined if nothing was. */
export function savedText({ used, units, savedMs, savedUsd }: Figures): string | undefined {
  if (used === 0) return undefined;
  const saved = [formatMoney(savedUsd), formatDuration(savedMs)];
  const amounts = saved.filter((text) => text !== '').join(' and ');
  return `${used} of ${countOf(units, 'gate')} used again${amounts === '' ? '' : `: saved ${amounts}`}`;
}

export interface GateRow {
  readonly number?: number;
  readonly name: string;
  readonly status: UnitStatus;
  readonly unit?: UnitView;
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

/** Gates in the order of the definition; those of a group stand together below its name. */
export function gateRows({ units, groups }: RunView): GateRow[] {
  const rows: GateRow[] = [];
  const listed = new Set<UnitKey>();
  for (const unit of units) {
    if (listed.has(unit.key)) continue;
    const group = groups.find(({ units: keys }) => keys.includes(unit.key));
    if (group) rows.push({ name: group.id, status: group.status });
    const members = group ? units.filter(({ key }) => group.units.includes(key)) : [unit];
    for (const member of members) {
      if (!listed.has(member.key))
        rows.push({
          number: member.number,
          name: indent(member, group !== undefined),
          status: member.status,
          unit: member,
        });
      listed.add(member.key);
    }
  }
  return rows;
}

/** White space at the start of a cell is not shown, so a mark stands for it. */
function indent({ key }: UnitView, isMember: boolean): string {
  return isMember ? `└ ${key}` : key;
}

/** An earlier attempt does not say how a unit is now. */
const isOpen = (status: UnitStatus): boolean => ['pending', 'running', 'blocked'].includes(status);

export function howText({ how, attempts, status }: UnitView): string {
  const tries = attempts.filter((attempt) => attempt.how === 'ran' || attempt.how === 'lost').length;
  if (how === undefined || how === status || isOpen(status)) return '';
  return how === 'ran' && tries > 1 ? `ran ${tries} times` : how;
}

export function scoreText({ verdict, threshold, status }: UnitView): string {
  if (verdict === undefined || threshold === undefined) return '';
  if (verdict.status === 'not-applicable' || status === 'lost' || isOpen(status)) return '';
  if (verdict.status === 'failed' && verdict.kind !== 'score' && verdict.kind !== 'check') return '';
  return formatScore(verdict.score) + (verdict.score < threshold ? ` < ${formatScore(threshold)}` : '');
}

function timeText({ attempts, status }: UnitView, now: string | undefined): string {
  const started = attempts.at(-1)?.started;
  if (status === 'running' && now && started) return formatDuration(Date.parse(now) - Date.parse(started));
  return formatDuration(attempts.reduce((sum, attempt) => sum + (attempt.ms ?? 0), 0));
}

function summaryLines(view: RunView): string[] {
  const { run, pipeline, subject, status, figures, units, paused, task, clone } = view;
  if (run === 0) return [`There is no run of ${pipeline} for ${subject} yet.`];
  const { done, ms, costUsd, tokens } = figures;
  const parts = [
    `${done} of ${countOf(units.length, 'gate')} done`,
    formatDuration(ms),
    formatMoney(costUsd),
    tokens === undefined ? '' : countOf(tokens, 'token'),
  ];
  const lines = [
    `Run ${run} of ${pipeline} for ${subject}: ${status}, ${parts.filter((text) => text !== '').join(', ')}`,
  ];
  if (task !== undefined) lines.push(`Task: ${cut(task, MAX_TASK)}`);
  if (clone !== undefined) lines.push(`Isolated: its files are in ${clone} until \`gateline apply\` brings them here`);
  if (paused)
    lines.push(`${paused.decision === 'rollback' ? 'Rolled back' : 'Paused'} by ${paused.actor}: ${paused.reason}`);
  const troubles = units.filter((unit) => !unit.done && TROUBLES.has(unit.status));
  lines.push(
    ...troubles
      .slice(0, MAX_TROUBLES)
      .map(({ key, status: word, reason }) => `${key} ${STATUS_PHRASES[word]}: ${reason}`),
  );
  const rest = troubles.slice(MAX_TROUBLES).map(({ key }) => key);
  if (rest.length > 0) lines.push(`Not done either: ${listNames(rest, 10)}`);
  return lines;
}

const TROUBLES: ReadonlySet<UnitStatus> = new Set<UnitStatus>(['failed', 'partial', 'lost', 'paused']);

export function nextLine({ text, command }: NextStep): string {
  return `Next: ${safeText(text)}${command === undefined ? '' : `: \`${safeText(command)}\``}\n`;
}

/** Everything about a verdict: score, each issue with its pointer and rule, how the agent ended, what to do. */
export function renderVerdict(unit: UnitView, attempt?: AttemptView, { paint = plain }: Screen = {}): string {
  const shown = attempt ?? unit.attempts.findLast(({ verdict }) => verdict !== undefined);
  const { key, status, reason, place } = unit;
  const verdict = shown?.verdict;
  if (shown === undefined || verdict === undefined)
    return `${safeText(`${key} ${STATUS_PHRASES[status]}: ${reason}`)}\n`;
  const { issues, kind, advice, result, message } = verdict;
  const word = verdict.status === kind ? kind : `${verdict.status} (${kind})`;
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
    ['defined at', `${place.file}${place.line === undefined ? '' : `:${place.line}`}`],
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
  return `${[`${key}, attempt ${shown.n}: ${paint(tone, word)}`, ...lines, ...listed].join('\n')}\n`;
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

/** What a call would do with each gate, and why; hints stand below. @param estimatedMs how long it will take */
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
