import { groupBy } from '../../history/statistics.ts';
import { gateOf } from '../../run/units.ts';
import { groupStatus } from '../run-view.ts';
import { STATUS_TONES } from '../terminal.ts';
import type { UnitView } from '../view.ts';
import { escapeText, scrollable, statusShape, type Links } from './elements.ts';

/** Gates of a graph that is drawn: more are not readable. Characters of a name that fit into a box. */
const [MAX_GATES, MAX_NAME] = [60, 15];
/** Pixels. */
const [WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN] = [176, 46, 44, 18, 4];

interface Node {
  readonly gate: string;
  readonly units: readonly UnitView[];
  readonly needs: readonly string[];
  readonly column: number;
  y: number;
}

/**
 * The gates from left to right by depth, with a line for each need, as SVG; each box leads to its gate. Status is said by
 * word, shape and colour.
 */
export function graph(units: readonly UnitView[], links: Links): string {
  const gates = groupBy(units, ({ gate }) => gate);
  if (gates.size > MAX_GATES)
    return `<p class="note">A graph of ${gates.size} gates is not drawn: each gate below names what it needs.</p>`;
  const byGate = layOut(gates);
  const nodes = [...byGate.values()];
  const width = Math.max(0, ...nodes.map(xOf)) + WIDTH + MARGIN;
  const height = Math.max(0, ...nodes.map(({ y }) => y)) + HEIGHT + 2 * MARGIN;
  const lines = nodes.flatMap((node) =>
    node.needs.map((need) => `<path class="need" d="${linePath(byGate.get(need)!, node, height)}"/>`),
  );
  const svg = `<svg class="graph" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="Gates and what they need">
${[...lines, ...nodes.map((node) => box(node, links))].join('\n')}
</svg>`;
  return scrollable('Graph', svg);
}

/** The gates by depth; in each column in the order of what they need. */
function layOut(gates: ReadonlyMap<string, readonly UnitView[]>): Map<string, Node> {
  const nodes = new Map<string, Node>();
  const add = (gate: string): Node => {
    const units = gates.get(gate)!;
    const needs = [...new Set(units.flatMap((unit) => unit.needs.map(gateOf)))].filter((need) => gates.has(need));
    const column = needs.reduce((depth, need) => Math.max(depth, (nodes.get(need) ?? add(need)).column + 1), 0);
    const node = { gate, units, needs, column, y: 0 };
    nodes.set(gate, node);
    return node;
  };
  for (const gate of gates.keys()) if (!nodes.has(gate)) add(gate);
  const inOrder = [...nodes.values()].toSorted((a, b) => a.column - b.column);
  const columns = [...groupBy(inOrder, ({ column }) => String(column)).values()];
  const most = Math.max(0, ...columns.map(({ length }) => length));
  for (const column of columns) {
    const heightOf = ({ needs }: Node): number => nodes.get(needs[0] ?? '')?.y ?? 0;
    const sorted = column.toSorted((a, b) => heightOf(a) - heightOf(b));
    sorted.forEach((node, row) => {
      node.y = (row + (most - column.length) / 2) * (HEIGHT + GAP_Y);
    });
  }
  return nodes;
}

const xOf = ({ column }: Node): number => MARGIN + column * (WIDTH + GAP_X);

/** A curve from a gate to one that needs it. One that passes other columns swings out, so that no box hides it. */
function linePath(from: Node, to: Node, height: number): string {
  const [x1, x2] = [xOf(from) + WIDTH, xOf(to)];
  const [y1, y2] = [from, to].map(({ y }) => MARGIN + y + HEIGHT / 2) as [number, number];
  const isFar = to.column - from.column > 1;
  const swing = isFar ? ((y1 + y2) / 2 < height / 2 ? -1 : 1) * (HEIGHT + GAP_Y) : 0;
  const reach = isFar ? (x2 - x1) / 3 : GAP_X / 2;
  return `M${x1} ${y1}C${x1 + reach} ${y1 + swing} ${x2 - reach} ${y2 + swing} ${x2} ${y2}`;
}

function box(node: Node, links: Links): string {
  const { gate, units } = node;
  const status = groupStatus(units);
  const legs = units.length === 1 ? '' : ` (${units.filter(({ done }) => done).length} of ${units.length})`;
  const [x, y] = [xOf(node), MARGIN + node.y];
  const name = gate.length > MAX_NAME ? `${gate.slice(0, MAX_NAME - 1)}…` : gate;
  return `<a href="#${links.get(units[0]!.key)}" class="gate ${status} ${STATUS_TONES[status]}"><title>${escapeText(`${gate}: ${status}${legs}`)}</title><rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="8"/>${statusShape(status, ` x="${x + 12}" y="${y + 15}" width="16" height="16"`)}<text x="${x + 38}" y="${y + 20}">${escapeText(name)}</text><text class="small" x="${x + 38}" y="${y + 36}">${status}${legs}</text></a>`;
}
