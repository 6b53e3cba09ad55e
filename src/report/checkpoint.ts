import { hexOf } from '../json/digest.ts';
import type { Metrics } from '../run/entry.ts';
import { countOf, formatBytes, formatDuration, formatMoney, formatScore, joinTexts, listNames } from './amounts.ts';
import { changeItems, code, codeCell, factRows, fitSections, quote, tableHead, type Section } from './markdown.ts';
import { scoreText } from './unit-texts.ts';
import type { RunView, UnitView } from './view.ts';

/** A comment on GitHub has at most 65,536 characters. */
const MAX_BYTES = 65_000;
const MAX_NAMES = 20;

/**
 * The Markdown checkpoint of a gate, the audit trail of the state guide: what the agent did with which MCPs and tools,
 * how its output was judged, and a self-audit. At most 65,000 bytes; what is left out is counted.
 * @param stateFile path of the file that holds its state
 */
export function renderCheckpoint(view: RunView, unit: UnitView, stateFile?: string): string {
  const { verdict, attempts, changes, undeclared, key, number } = unit;
  const decisions = view.decisions.filter((decision) => decision.unit === key);
  return fitSections(
    [
      section('the title', 0, [`# Checkpoint: gate ${number}, ${code(key)}`, '', statusText(unit)]),
      { title: 'the facts', weight: 0, head: tableHead(['', '']), pieces: factsOf(view, unit, stateFile) },
      section(
        'the issues',
        3,
        (verdict?.issues ?? []).map(({ severity, pointer, message }) => {
          const at = pointer === undefined ? '' : ` at ${pointer === '' ? 'the whole output' : code(pointer)}`;
          return `- ${severity}${at}: ${quote(message)}`;
        }),
        'Issues',
      ),
      section(
        'the decisions',
        2,
        decisions.map(
          ({ decision, actor, reason, at }) => `- ${decision} by ${quote(actor)} at ${at}: ${quote(reason)}`,
        ),
        'Decisions',
      ),
      section(
        'the metrics',
        1,
        metricsItems(attempts.findLast(({ metrics }) => metrics)?.metrics),
        'Metrics reported by the agent',
      ),
      section('the files', 4, changeItems(changes), 'Files'),
      section(
        'undeclared files',
        4,
        undeclared.map((path) => `- ${code(path, 1_024)}`),
        'Files that changed meanwhile and are not declared',
      ),
      section('the self-audit', 0, auditItems(view, unit, stateFile), 'Self-audit'),
      section('the next step', 0, [nextText(view, unit)], 'Next step'),
    ],
    MAX_BYTES,
  );
}

function section(title: string, weight: number, pieces: readonly string[], heading?: string): Section {
  return { title, weight, pieces, head: heading && `## ${heading}\n` };
}

function statusText({ status, reason }: UnitView): string {
  return `**${status}**: ${quote(reason)}.`.replace(/\.\.$/, '.');
}

function factsOf({ pipeline, subject, run, task }: RunView, unit: UnitView, stateFile: string | undefined): string[] {
  const { agent, attempts, how, verdict, threshold, iteration, output, fingerprint } = unit;
  const last = attempts.at(-1);
  const score = scoreText(unit);
  return factRows([
    ['Pipeline', codeCell(pipeline)],
    ['Subject', codeCell(subject, 1_024)],
    ['Task', task && quote(task)],
    ['Agent', quote(agent)],
    ['Run', run === 0 ? undefined : String(run)],
    ['Attempt', last && String(last.n)],
    ['How', how],
    ['Iteration', iteration > 1 ? String(iteration) : undefined],
    ['Score', verdict && score && `${formatScore(verdict.score)}${threshold ? ` (threshold ${threshold})` : ''}`],
    ['Result', verdict?.result && quote(verdict.result)],
    ['Message', verdict?.message && quote(verdict.message)],
    ['Began', last?.started],
    ['Ended', last?.ended],
    ['Took', formatDuration(last?.ms)],
    ['Exit code', last?.exitCode?.toString()],
    ['Fingerprint', fingerprint && codeCell(fingerprint.slice('sha256:'.length, 19))],
    ['Output', output && `${codeCell(hexOf(output.digest).slice(0, 12))}, ${formatBytes(output.bytes)}`],
    ['State file', stateFile && codeCell(stateFile, 1_024)],
  ]);
}

function metricsItems(metrics: Metrics = {}): string[] {
  const { model, session, mcps, tools, plugins, inputTokens, outputTokens, costUsd } = metrics;
  const names = (list: readonly string[] | undefined) =>
    list &&
    (list.length === 0
      ? 'none'
      : listNames(
          list.map((name) => code(name)),
          MAX_NAMES,
        ));
  const tokens = [
    inputTokens === undefined ? '' : `${inputTokens} in`,
    outputTokens === undefined ? '' : `${outputTokens} out`,
  ];
  const facts: (readonly [name: string, text: string | undefined])[] = [
    ['Model', model && quote(model)],
    ['Session', session && code(session)],
    ['MCPs executed', names(mcps)],
    ['Tools', names(tools)],
    ['Plugins', names(plugins)],
    ['Tokens', joinTexts(tokens)],
    ['Cost', quote(formatMoney(costUsd))],
  ];
  return facts.flatMap(([name, text]) => (text ? [`- ${name}: ${text}`] : []));
}

/** The checklist of the guide's agents: the state is written, and inputs of the agent are loaded and checked. */
function auditItems({ units }: RunView, unit: UnitView, stateFile: string | undefined): string[] {
  const { output, needs, memory, learnings, attempts } = unit;
  if (attempts.length === 0) return [];
  const needed = units.filter(({ key }) => needs.includes(key));
  const loaded = needed.map(({ key, status }) => `${code(key)} (${status})`);
  const file = stateFile === undefined ? '' : ` in ${code(stateFile, 1_024)}`;
  const items: (readonly [isDone: boolean, text: string])[] = [
    [
      output !== undefined,
      output ? `State written${file}: output ${code(hexOf(output.digest).slice(0, 12))}` : 'State written: no output',
    ],
    [
      needed.every(({ done }) => done),
      `Outputs of earlier gates loaded and checked: ${listNames(loaded, MAX_NAMES) || 'it needs none'}`,
    ],
  ];
  if (memory.length > 0)
    items.push([
      true,
      `Documents given, where they exist: ${listNames(
        memory.map((name) => code(name)),
        MAX_NAMES,
      )}`,
    ]);
  if (learnings) items.push([true, `Learnings kept: ${countOf(learnings.bytes, 'byte')}`]);
  return items.map(([isDone, text]) => `- [${isDone ? 'x' : ' '}] ${text}`);
}

function nextText({ units, status }: RunView, { key, next }: UnitView): string {
  if (next) return `${quote(next.text)}${next.command === undefined ? '.' : `: ${code(next.command)}`}`;
  const later = units.filter(({ needs, done }) => needs.includes(key) && !done);
  if (later.length > 0)
    return `Next: ${listNames(
      later.map((unit) => `gate ${unit.number} ${code(unit.key)} (${unit.status})`),
      MAX_NAMES,
    )}.`;
  if (status === 'completed') return 'Every gate is done.';
  return units.some(({ needs }) => needs.includes(key)) ? 'The gates after it are done.' : 'No gate needs this one.';
}
