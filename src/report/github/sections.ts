import { sumOf } from '../../run/figures.ts';
import { MEETS_CONTRACT } from '../../run/status.ts';
import { codeFence, truncateBytes } from '../../untrusted/escape.ts';
import { verdictText } from '../../verdict/verdict.ts';
import { formatBytes, formatDuration, formatMoney, formatScore, listNames } from '../amounts.ts';
import { code, codeCell, quote, tableHead, tableRow, type Section } from '../markdown.ts';
import { gateRows, howText, scoreText, STOPPING_STATUSES } from '../unit-texts.ts';
import type { RunView, UnitStatus, UnitView } from '../view.ts';
import { detailsOf, fileAddress, linkTo, type GithubContext } from './context.ts';
import { findingAt, findingsOf, type Finding } from './findings.ts';

const ICONS: Readonly<Record<UnitStatus, string>> = {
  pending: '⏳',
  running: '🔄',
  passed: '✅',
  partial: '⚠️',
  failed: '❌',
  lost: '❌',
  paused: '⏸️',
  skipped: '⏭️',
  'not-applicable': '➖',
  blocked: '⛔',
};

/** `✅ passed`, in which no line breaks. */
export function statusText(status: UnitStatus): string {
  return `${ICONS[status]}\u00a0${status}`;
}

/** A quoted text as a sentence. */
export function sentence(text: string): string {
  const safe = quote(text);
  return safe === '' || /[.!?…]$/.test(safe) ? safe : `${safe}.`;
}

/** Makes a section collapsible. */
export function fold({ head = '', foot = '', ...section }: Section, label: string): Section {
  return {
    ...section,
    head: `<details><summary>${label}</summary>\n${head && `\n${head}`}`,
    foot: `${foot && `${foot}\n`}\n</details>`,
  };
}

/** Default of the bytes that are shown of an output or of learnings. */
const MAX_FENCE = 20_000;

/** The start of an agent's text in a fence. Lines like `/gateline …` are escaped, so that nobody copies them as a command. */
export function fence(text: string, lang = '', maxBytes = MAX_FENCE): string {
  const short = truncateBytes(text, maxBytes);
  const note = short.length < text.length ? `\n… (${formatBytes(Buffer.byteLength(text))} in all)` : '';
  const block = codeFence(short + note, lang).trimEnd();
  return block.replace(/^([^\S\n]*)\/(?=gateline)/gim, String.raw`$1\/`);
}

/** Outputs as JSON. */
export function outputsSection(units: readonly UnitView[], context: GithubContext): Section {
  const pieces = units.flatMap(({ key }) => {
    const { output } = detailsOf(context, key);
    if (output === undefined) return [];
    return `### Output of ${code(key)}\n\n${fence(JSON.stringify(output, null, 2), 'json')}`;
  });
  return { title: 'the outputs', weight: 6, pieces };
}

/** The difference to the baseline: `−5`; empty if it is unknown or zero. */
export function deltaText(value: number | undefined, base: number | undefined, format: (amount: number) => string) {
  if (value === undefined || base === undefined) return '';
  const difference = sumOf([value, -base])!;
  const text = format(Math.abs(difference));
  return text === '' || text === '0' ? '' : `${difference > 0 ? '+' : '−'}${text}`;
}

/** Time and cost of a unit in this run, with the differences to the baseline. */
export function amountsOf({ key, attempts, verdict }: UnitView, { baseline }: GithubContext) {
  const ran = attempts.filter(({ how }) => how === 'ran');
  const earlier = baseline?.units.find(({ unit }) => unit === key);
  const base = ran.length === 0 ? undefined : earlier;
  const ms = sumOf(ran.map((attempt) => attempt.ms));
  const costUsd = sumOf(ran.map(({ metrics }) => metrics?.costUsd));
  return {
    time: withDelta(formatDuration(ms), deltaText(ms, base?.ms, formatDuration)),
    cost: withDelta(formatMoney(costUsd), deltaText(costUsd, base?.costUsd, formatMoney)),
    scoreDelta: deltaText(verdict?.score, earlier?.score, formatScore),
  };
}

export function withDelta(text: string, delta: string): string {
  return text === '' || delta === '' ? text : `${text} (${delta})`;
}

/** The score, with the difference to the baseline. */
export function scoreCell(unit: UnitView, context: GithubContext): string {
  return withDelta(scoreText(unit), amountsOf(unit, context).scoreDelta);
}

/** The table of gates; of more than `maxRows` only those that are not done. */
export function gatesSection(view: RunView, context: GithubContext, maxRows: number): Section {
  const all = gateRows(view);
  const open = all.length <= maxRows ? all : all.filter(({ unit }) => unit && !unit.done);
  const rows = open.map(({ name, status, unit }) => {
    if (unit === undefined) return tableRow([`**${codeCell(name)}**`, statusText(status), '', '', '', '', '']);
    const { time, cost } = amountsOf(unit, context);
    const label = linkTo(codeCell(unit.key), detailsOf(context, unit.key).job);
    const why = unit.reason === MEETS_CONTRACT ? '' : quote(unit.reason, 300);
    return tableRow([
      name === unit.key ? label : `└ ${label}`,
      statusText(status),
      quote(howText(unit)),
      scoreCell(unit, context),
      time,
      cost,
      why,
    ]);
  });
  const head = tableHead(['Gate', 'Status', 'How', 'Score', 'Time', 'Cost', 'Why']);
  return { title: 'the table of gates', weight: 3, head, pieces: rows };
}

/** Issues of a verdict as list items, with the file and line of the finding that they are about. */
export function issueItems({ key, verdict }: UnitView, context: GithubContext, maxBytes?: number): string[] {
  const { output } = detailsOf(context, key);
  return (verdict?.issues ?? []).map(({ severity, pointer, message, rule }) => {
    const at = pointer === undefined ? '' : pointer === '' ? ' at the whole output' : ` at ${code(pointer)}`;
    const place = `- **${severity}**${at}${placeText(findingAt(output, pointer), context)}:`;
    // The message of a check begins with its expression.
    if (rule !== undefined && message.startsWith(`${rule}: `))
      return `${place} ${code(rule, maxBytes)}: ${quote(message.slice(rule.length + 2), maxBytes)}`;
    const by = rule === undefined || message.includes(rule) ? '' : ` (${code(rule)})`;
    return `${place} ${quote(message, maxBytes)}${by}`;
  });
}

export function findingItem(finding: Finding, context: GithubContext, maxBytes = 500): string {
  const { severity, message, rule } = finding;
  const by = rule === undefined ? '' : ` (${code(rule)})`;
  return `- **${severity}**${placeText(finding, context)}: ${quote(message, maxBytes)}${by}`;
}

function placeText({ file, line }: Partial<Finding> = {}, context: GithubContext): string {
  if (file === undefined) return '';
  const label = code(line === undefined ? file : `${file}:${line}`);
  return ` in ${linkTo(label, fileAddress(context, file, line))}`;
}

/** Units that hold the run up, each with its first issues and findings; not those that only wait for a person. */
export function troublesSection({ units }: RunView, context: GithubContext, most: number, maxBytes?: number): Section {
  const troubles = units.filter(
    ({ key, done, status }) =>
      !done && STOPPING_STATUSES.has(status) && (status !== 'paused' || detailsOf(context, key).approval === undefined),
  );
  const pieces = troubles.slice(0, most).map((unit) => {
    const { key, status, reason, verdict } = unit;
    const issues = issueItems(unit, context, maxBytes);
    const messages = new Set(verdict?.issues.map(({ message }) => message));
    const findings = findingsOf(detailsOf(context, key).output).filter(({ message }) => !messages.has(message));
    const items = [...issues, ...findings.map((finding) => findingItem(finding, context, maxBytes))];
    const shown = items.slice(0, most).map((item) => `  ${item}`);
    if (items.length > most) shown.push(`  - … and ${items.length - most} more`);
    const isFirstIssue = verdict !== undefined && issues.length > 0 && reason === verdictText(verdict);
    const why = isFirstIssue ? ` (${verdict.kind})` : `: ${quote(reason, maxBytes)}`;
    const label = linkTo(code(key), detailsOf(context, key).job);
    return [`- ${ICONS[status]} **${label} ${status}**${why}`, ...shown].join('\n');
  });
  const rest = troubles.slice(most).map(({ key }) => code(key));
  if (rest.length > 0) pieces.push(`- Not done either: ${listNames(rest, most)}`);
  return { title: 'what is not done', weight: 1, head: '### Not done\n', pieces };
}

/** The lines that approve outputs, each in a block of its own. */
export function approvalSection(units: readonly UnitView[], context: GithubContext): Section {
  const isComment = context.pullRequest !== undefined;
  const pieces = units.flatMap((unit) => {
    const { key, done } = unit;
    const { approval } = detailsOf(context, key);
    if (done || approval === undefined) return [];
    const score = scoreText(unit);
    const output = `the output of ${code(key)}${score === '' ? '' : `, score ${score}`}`;
    if (approval === '') return `To accept ${output}, run the workflow on a branch: a run of a tag cannot continue.`;
    const how = isComment ? 'post this line as a comment of its own' : 'start the workflow with it';
    return `To accept ${output}, ${how}:\n\n${codeFence(approval, isComment ? 'text' : 'sh')}`;
  });
  const foot = isComment
    ? 'A reason may follow. `reject` instead of `approve` asks for another attempt. If no workflow answers comments, re-run the failed jobs afterwards.'
    : undefined;
  return { title: 'the lines that approve', weight: 1, head: '### A person must decide\n', pieces, foot };
}
