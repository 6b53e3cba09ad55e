import type { Metrics } from '../../run/records/metrics.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import { howOf, KIND_MEANING } from '../wording.ts';
import { Buffer } from 'node:buffer';
import { factRows, gateFacts } from './gate-facts.ts';
import { code, said } from './markdown.ts';
import { selfAuditSection } from './self-audit.ts';
import { fileItem, issueItem, kindText, openAfter } from './gate-parts.ts';
import { firstNames } from '../../errors/first-names.ts';

/** The input for a checkpoint. */
export interface CheckpointInput {
  readonly unit: Unit;
  readonly graph: UnitGraph;
  readonly state: RunState;
  /** The command that continues the run. Default `gateline run`. */
  readonly command?: string;
}

/**
 * The Markdown checkpoint of one gate, the state guide's second output: the audit trail for people. It shows gate and
 * agent, status and score against the threshold, issues, whether the agent ran or an output was reused (and its
 * source), the agent's metrics (model, MCPs, tools, tokens, cost), files handed on, decisions, and the next step.
 *
 * GitHub Flavored Markdown, ends with a line break, at most 65,536 bytes of UTF-8, the size of one comment on GitHub;
 * omissions are counted. Text from agents is displayed only: markup and commands in it are escaped, for Markdown and
 * for terminals.
 */
export function checkpointMarkdown(input: CheckpointInput): string {
  const { unit, state } = input;
  const own = state.units.get(unit.key);
  const title = `# Checkpoint: gate ${unit.gate.number}, ${code(unit.key)}`;
  if (own === undefined) return `${title}\n\nThis run has no such gate.\n`;
  const ended = resultOf(own);
  const sections = [
    title,
    statusLine(own),
    factsTable(factRows(gateFacts(unit, own, state))),
    issuesSection(ended),
    decisionSection(own),
    metricsSection(ended?.metrics),
    filesSection(ended),
    selfAuditSection(unit, own, state),
    `## Next step\n\n${nextStep(input, own)}`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function statusLine(own: UnitState): string {
  const verdict = resultOf(own)?.verdict;
  const kind = kindText(own);
  const meaning = verdict === undefined || own.decided !== undefined ? '' : ` ${KIND_MEANING[verdict.kind]}`;
  if (meaning !== '' && (verdict?.status === 'failed' || isPlain(own))) return `**${own.status}**${kind}:${meaning}`;
  if (own.status === 'partial' || own.status === 'paused') return `**${own.status}**${kind}: ${said(own.reason)}.`;
  return `**${own.status}**${kind}: ${said(own.reason)}.${meaning}`.replace(/\.\.( |$)/, '.$1');
}

/** The facts below include everything in its reason: the attempt and its score. */
function isPlain(own: UnitState): boolean {
  return own.done && howOf(own) === 'ran' && own.decided === undefined;
}

function factsTable(rows: readonly string[]): string {
  return ['| | |', '| --- | --- |', ...rows].join('\n');
}

function issuesSection(ended: EndedRecord | undefined): string {
  const issues = ended?.verdict.issues ?? [];
  if (issues.length === 0) return '';
  const lines = issues.map((issue) => issueItem(issue));
  return `## Issues (${issues.length})\n\n${boundedList(lines, LIST_BUDGET)}`;
}

function decisionSection({ decided }: UnitState): string {
  if (decided === undefined) return '';
  const until = decided.until === undefined ? '' : `, until ${decided.until}`;
  const reason = decided.reason.trim() === '' ? '' : `: ${said(decided.reason)}`;
  return `## Decision\n\n${decided.decision} by ${said(decided.actor)} at ${decided.at}${until}${reason}`;
}

function metricsSection(metrics: Metrics | undefined): string {
  if (metrics === undefined) return '';
  const lines: string[] = [];
  if (metrics.model !== undefined) lines.push(`- Model: ${said(metrics.model)}`);
  if (metrics.session !== undefined) lines.push(`- Session: ${code(metrics.session)}`);
  if (metrics.mcps !== undefined) lines.push(`- MCPs executed: ${namesOf(metrics.mcps)}`);
  if (metrics.tools !== undefined) lines.push(`- Tools: ${namesOf(metrics.tools)}`);
  const tokens = [
    ...(metrics.inputTokens === undefined ? [] : [`${metrics.inputTokens} in`]),
    ...(metrics.outputTokens === undefined ? [] : [`${metrics.outputTokens} out`]),
  ];
  if (tokens.length > 0) lines.push(`- Tokens: ${tokens.join(', ')}`);
  if (metrics.costUsd !== undefined) lines.push(`- Cost: USD ${metrics.costUsd}`);
  return lines.length === 0 ? '' : `## Metrics reported by the agent\n\n${lines.join('\n')}`;
}

const SHOWN_NAMES = 20;

function namesOf(names: readonly string[]): string {
  const shown = names.map((name) => code(name)).filter((name) => name !== '');
  return shown.length === 0 ? 'none' : firstNames(shown, SHOWN_NAMES);
}

function filesSection(ended: EndedRecord | undefined): string {
  const isHandedOn = ended?.verdict.status !== 'failed';
  const handedOn = (ended?.files ?? []).map(fileItem);
  const touched = (ended?.touched ?? []).map(fileItem);
  const parts: string[] = [];
  if (handedOn.length > 0)
    parts.push(
      `## Files ${isHandedOn ? 'handed on' : 'kept, but not handed on'} (${handedOn.length})\n\n${boundedList(handedOn, LIST_BUDGET)}`,
    );
  if (touched.length > 0)
    parts.push(`## Files changed, but not handed on (${touched.length})\n\n${boundedList(touched, LIST_BUDGET)}`);
  return parts.join('\n\n');
}

function nextStep({ unit, graph, state, command = 'gateline run' }: CheckpointInput, own: UnitState): string {
  if (!own.done) {
    if (own.status === 'paused') return 'It waits for an approval. The gates after it wait too.';
    const advice = own.decided === undefined && own.status === 'failed' ? (own.ended?.verdict.advice ?? '') : '';
    return `${advice === '' ? '' : `${said(advice)} `}Then run ${code(command)} again. Gates that are done do not run again.`.replace(
      /^Then run/,
      'Run',
    );
  }
  const names = openAfter(unit, graph, state).map(
    ({ key, gate }) => `gate ${gate.number} ${code(key)} (${state.units.get(key)?.status})`,
  );
  if (names.length > 0) return `Next: ${firstNames(names, SHOWN_NAMES)}.`;
  if (state.status === 'completed') return 'Every gate is done.';
  const isNeeded = [...graph.values()].some(({ needs }) => needs.includes(unit.key));
  return isNeeded ? 'The gates after it are done.' : 'No gate needs this one.';
}

/** Maximum bytes of one list of a checkpoint: three lists and everything else stay below its limit. */
const LIST_BUDGET = 10_000;

/**
 * Lines of a Markdown list in about that many UTF-8 bytes at most; a last line gives the number of the rest. Never cuts
 * a line.
 */
function boundedList(lines: readonly string[], budget: number): string {
  let left = budget;
  const kept: string[] = [];
  for (const line of lines) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  const rest = lines.length - kept.length;
  return rest === 0 ? kept.join('\n') : [...kept, `- … and ${rest} more`].join('\n');
}
