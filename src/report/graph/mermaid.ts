import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { codeFence, forMermaid, truncateBytes } from '../../untrusted/escape.ts';
import { statusRows, type StatusRow } from '../status-rows.ts';
import type { Tone } from '../text.ts';
import { iconOf, toneOf } from '../wording.ts';
import { stepsOf } from './steps.ts';

/**
 * Larger graphs are not drawn: Mermaid refuses more than 500 edges or 50,000 characters, and they would be unreadable.
 */
const MOST_GATES = 80;
const MOST_EDGES = 300;
/** A longer chain is drawn from top to bottom. */
const LONGEST_LINE = 7;

/** Fill, border and text of a box: readable on a light and a dark page. */
const COLOURS: Readonly<Record<Tone, string>> = {
  good: 'fill:#dafbe1,stroke:#1a7f37,color:#1f2328',
  bad: 'fill:#ffebe9,stroke:#cf222e,color:#1f2328',
  warning: 'fill:#fff8c5,stroke:#9a6700,color:#1f2328',
  strong: 'fill:#ddf4ff,stroke:#0969da,color:#1f2328',
  quiet: 'fill:#f6f8fa,stroke:#8c959f,color:#1f2328',
};

/**
 * The gates and their needs as a fenced Mermaid flowchart for Markdown: {@link mermaidGraph}. '' for a pipeline that is
 * too large to draw, or has a single gate.
 */
export function gateGraph(pipeline: Pick<Pipeline, 'gates' | 'groups'>, state: RunState): string {
  const edges = pipeline.gates.reduce((sum, gate) => sum + gate.needs.length, 0);
  if (pipeline.gates.length < 2 || pipeline.gates.length > MOST_GATES || edges > MOST_EDGES) return '';
  return codeFence(mermaidGraph(pipeline, state), 'mermaid').trimEnd();
}

/**
 * The gates and their needs as a Mermaid flowchart, one box per gate, coloured by status, with a dashed border if it
 * was reused. Contains only ids and fixed words.
 * @param critical gates of the critical path: their boxes have a thick border
 */
export function mermaidGraph(
  pipeline: Pick<Pipeline, 'gates' | 'groups'>,
  state: RunState,
  critical: readonly string[] = [],
): string {
  const rows = new Map(statusRows(state, pipeline).map((row) => [row.number, row]));
  const ids = new Map(pipeline.gates.map(({ id }, at) => [id, `n${at}`]));
  const tones = new Set<Tone>();
  const nodes = new Map(
    pipeline.gates.map((gate) => {
      const row = rows.get(String(gate.number));
      const tone = row?.status === undefined ? 'quiet' : toneOf(row.status);
      tones.add(tone);
      return [gate.id, `${ids.get(gate.id)!}[${labelOf(gate.id, row)}]:::${tone}`] as const;
    }),
  );
  const reused = pipeline.gates.filter((gate) => rows.get(String(gate.number))?.how === 'reused');
  return [
    `flowchart ${stepsOf(pipeline.gates).length > LONGEST_LINE ? 'TB' : 'LR'}`,
    ...grouped(pipeline, nodes),
    ...pipeline.gates.flatMap((gate) => gate.needs.map((need) => `  ${ids.get(need)!} --> ${ids.get(gate.id)!}`)),
    ...[...tones].sort().map((tone) => `  classDef ${tone} ${COLOURS[tone]}`),
    ...reused.map((gate) => `  style ${ids.get(gate.id)!} stroke-dasharray:5 3`),
    ...critical.map((gate) => `  style ${ids.get(gate)!} stroke-width:4px`),
  ].join('\n');
}

function labelOf(gate: string, row: StatusRow | undefined): string {
  const how = row?.how === 'reused' ? ', reused' : '';
  const legs =
    row !== undefined && row.how === '' && /^\d+ of \d+ legs? done$/.test(row.reason) ? `<br/>${row.reason}` : '';
  const status = row?.status === undefined ? '' : `<br/>${iconOf(row.status)} ${row.status}${how}`;
  return `"${inner(gate)}${status}${legs}"`;
}

function grouped({ gates, groups }: Pick<Pipeline, 'gates' | 'groups'>, nodes: ReadonlyMap<string, string>): string[] {
  const left = new Map(nodes);
  const boxes = groups.flatMap((group, at) => {
    const members = group.gates.flatMap((gate) => {
      const node = left.get(gate);
      left.delete(gate);
      return node === undefined ? [] : [`    ${node}`];
    });
    return members.length === 0
      ? []
      : [`  subgraph s${at}["${inner(group.id)}"]`, ...members, '  end', `  style s${at} fill:none,stroke:#8c959f`];
  });
  return [...gates.flatMap(({ id }) => (left.has(id) ? [`  ${left.get(id)!}`] : [])), ...boxes];
}

/** An id without a label's quotes. */
function inner(id: string): string {
  return forMermaid(truncateBytes(id, 80)).slice(1, -1);
}
