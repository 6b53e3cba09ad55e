import { gateOf } from '../../run/units.ts';
import { groupStatus } from '../run-view.ts';
import { STATUS_TONES } from '../unit-texts.ts';
import type { UnitView } from '../view.ts';
import { escapeText, scrollable, statusShape, type Links } from './elements.ts';

/** Most gates of a graph, which would not be readable with more; characters of a name that fit into a box. */
const [MAX_GATES, MAX_NAME] = [60, 15];
/** Pixels. */
const [HEIGHT, GAP_X, GAP_Y, MARGIN] = [46, 34, 18, 4];

interface Node {
  readonly gate: string;
  readonly units: readonly UnitView[];
  readonly needs: readonly string[];
  readonly column: number;
  /** Upper left corner. */
  x: number;
  y: number;
}

/** A line from a gate to one that needs it, with its highest and lowest point. */
interface Line {
  readonly path: string;
  readonly reach: readonly [top: number, bottom: number];
}

/**
 * The gates as SVG, from left to right by depth, with a line for each need. Each box links to its gate, and shows its
 * status by word, shape and colour.
 */
export function graph(units: readonly UnitView[], links: Links): string {
  const gates = Map.groupBy(units, ({ gate }) => gate);
  if (gates.size > MAX_GATES)
    return `<p class="note">A graph of ${gates.size} gates is not drawn: each gate below names what it needs.</p>`;
  const byGate = layOut(gates);
  const nodes = [...byGate.values()];
  const boxWidth = Math.max(0, ...nodes.map(widthOf));
  for (const node of nodes) node.x = node.column * (boxWidth + GAP_X);
  const middle = (Math.max(0, ...nodes.map(({ y }) => y)) + HEIGHT) / 2;
  const lines = nodes.flatMap((node) => node.needs.map((need) => lineTo(node, byGate.get(need)!, boxWidth, middle)));
  const top = Math.min(0, ...lines.map(({ reach }) => reach[0])) - MARGIN;
  const height = Math.max(middle * 2, ...lines.map(({ reach }) => reach[1])) + MARGIN - top;
  const width = Math.max(0, ...nodes.map(({ x }) => x)) + boxWidth + 2 * MARGIN;
  const svg = `<svg class="graph" width="${width}" height="${height}" viewBox="${-MARGIN} ${top} ${width} ${height}" role="group" aria-label="Gates and what they need">
${[...lines.map(({ path }) => path), ...nodes.map((node) => box(node, links, boxWidth))].join('\n')}
</svg>`;
  return scrollable('Graph', svg);
}

/** Places the gates in columns by depth; each column is sorted by the position of needs. */
function layOut(gates: ReadonlyMap<string, readonly UnitView[]>): Map<string, Node> {
  const nodes = new Map<string, Node>();
  const add = (gate: string): Node => {
    const units = gates.get(gate)!;
    const needs = [...new Set(units.flatMap((unit) => unit.needs.map(gateOf)))].filter((need) => gates.has(need));
    const column = needs.reduce((depth, need) => Math.max(depth, (nodes.get(need) ?? add(need)).column + 1), 0);
    const node = { gate, units, needs, column, x: 0, y: 0 };
    nodes.set(gate, node);
    return node;
  };
  for (const gate of gates.keys()) if (!nodes.has(gate)) add(gate);
  const inOrder = [...nodes.values()].toSorted((a, b) => a.column - b.column);
  const columns = [...Map.groupBy(inOrder, ({ column }) => String(column)).values()];
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

/** A curve from a gate to one that needs it. If it passes other columns, it bends around their boxes. */
function lineTo(to: Node, from: Node, boxWidth: number, middle: number): Line {
  const [x1, x2] = [from.x + boxWidth, to.x];
  const [y1, y2] = [from.y + HEIGHT / 2, to.y + HEIGHT / 2];
  const isFar = to.column - from.column > 1;
  const swing = isFar ? ((y1 + y2) / 2 < middle ? -1 : 1) * (HEIGHT + GAP_Y) : 0;
  const reach = isFar ? (x2 - x1) / 3 : GAP_X / 2;
  const path = `<path class="need" d="M${x1} ${y1}C${x1 + reach} ${y1 + swing} ${x2 - reach} ${y2 + swing} ${x2} ${y2}"/>`;
  // The extreme of a cubic curve is at three quarters of the way to its two control points.
  const peak = (y1 + y2) / 2 + 0.75 * swing;
  return { path, reach: [Math.min(y1, y2, peak), Math.max(y1, y2, peak)] };
}

const nameOf = ({ gate }: Node): string => (gate.length > MAX_NAME ? `${gate.slice(0, MAX_NAME - 1)}…` : gate);

function statusOf({ units }: Node): string {
  const legs = units.length === 1 ? '' : ` (${units.filter(({ done }) => done).length} of ${units.length})`;
  return `${groupStatus(units)}${legs}`;
}

/** Width in pixels that a box needs for its texts, by the mean width of characters. */
function widthOf(node: Node): number {
  return Math.ceil(Math.max(nameOf(node).length * 8.5, statusOf(node).length * 7)) + 50;
}

function box(node: Node, links: Links, width: number): string {
  const { gate, units, x, y } = node;
  const status = groupStatus(units);
  const text = statusOf(node);
  return `<a href="#${links.get(units[0]!.key)}" class="gate ${status} ${STATUS_TONES[status]}"><title>${escapeText(`${gate}: ${text}`)}</title><rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" rx="8"/>${statusShape(status, ` x="${x + 12}" y="${y + 15}" width="16" height="16"`)}<text x="${x + 38}" y="${y + 20}">${escapeText(nameOf(node))}</text><text class="small" x="${x + 38}" y="${y + 36}">${text}</text></a>`;
}
