import type { Gate, Pipeline } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { forHtml } from '../../untrusted/escape.ts';
import { statusRows } from '../status-rows.ts';
import type { Tone } from '../text.ts';
import { toneOf } from '../wording.ts';
import type { CriticalPath } from './critical-path.ts';
import { stepsOf } from './steps.ts';

/** Pixels. Ids have at most 40 characters, of which this shows about 24. */
const [WIDTH, HEIGHT, ACROSS, BELOW, MARGIN] = [190, 46, 60, 20, 16];
const MOST_CHARACTERS = 24;

/** Classes of boxes by tone, readable on a light and a dark page. A page that contains the image needs them, too. */
export const GRAPH_STYLE = `
.graph text{font:13px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}
.graph .small{font-size:11px;fill:#59636e}
.graph rect{stroke-width:1;rx:6px}
.graph path{fill:none;stroke:#8c959f;stroke-width:1.5}
.graph .critical{stroke-width:3}
.graph .good{fill:#dafbe1;stroke:#1a7f37}
.graph .bad{fill:#ffebe9;stroke:#cf222e}
.graph .warning{fill:#fff8c5;stroke:#9a6700}
.graph .strong{fill:#ddf4ff;stroke:#0969da}
.graph .quiet{fill:#f6f8fa;stroke:#8c959f}`;

/** Where a box is: its left upper corner. */
interface Corner {
  readonly x: number;
  readonly y: number;
}

/**
 * The gates and their needs as an SVG document: a column for each step, a box for each gate with its status and time,
 * thick borders and arrows on the critical path. Needs no script, font or network. Contains only ids and fixed words.
 * @param style CSS inside the image; '' for a page that has {@link GRAPH_STYLE} itself
 */
export function graphSvg(
  pipeline: Pick<Pipeline, 'gates' | 'groups'>,
  state: RunState,
  path: CriticalPath,
  style = GRAPH_STYLE,
): string {
  const steps = stepsOf(pipeline.gates);
  const corners = cornersOf(steps);
  const rows = new Map(statusRows(state, pipeline).map((row) => [row.number, row]));
  const most = Math.max(...steps.map((step) => step.length));
  const width = 2 * MARGIN + steps.length * WIDTH + (steps.length - 1) * ACROSS;
  const height = 2 * MARGIN + most * HEIGHT + (most - 1) * BELOW;
  const arrows = pipeline.gates.flatMap(({ id, needs }) =>
    needs.map((need) => arrow(corners.get(need)!, corners.get(id)!, isNext(path, need, id))),
  );
  const boxes = pipeline.gates.map((gate) => {
    const { status, time = '', how = '' } = rows.get(String(gate.number)) ?? {};
    const about = [status ?? '', how === 'reused' ? how : '', time].filter((word) => word !== '').join(', ');
    const tone = status === undefined ? 'quiet' : toneOf(status);
    return box(gate, corners.get(gate.id)!, { about, tone, isCritical: path.gates.includes(gate.id) });
  });
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="graph" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Gates and their needs">`,
    ...(style === '' ? [] : [`<style>${style}\n</style>`]),
    ...arrows,
    ...boxes,
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/** Boxes of a step below each other, each near the middle of those that it needs. */
function cornersOf(steps: readonly (readonly Gate[])[]): ReadonlyMap<string, Corner> {
  const corners = new Map<string, Corner>();
  for (const [column, step] of steps.entries()) {
    const middle = ({ needs }: Gate): number =>
      needs.length === 0 ? 0 : needs.reduce((sum, need) => sum + corners.get(need)!.y, 0) / needs.length;
    const sorted = step.toSorted((a, b) => middle(a) - middle(b));
    for (const [row, { id }] of sorted.entries())
      corners.set(id, { x: MARGIN + column * (WIDTH + ACROSS), y: MARGIN + row * (HEIGHT + BELOW) });
  }
  return corners;
}

function arrow(from: Corner, to: Corner, isCritical: boolean): string {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  const head = `M${x2 - 6},${y2 - 4}L${x2},${y2}L${x2 - 6},${y2 + 4}`;
  const shape = `M${x1},${y1}C${middle},${y1} ${middle},${y2} ${x2},${y2}${head}`;
  return `<path${isCritical ? ' class="critical"' : ''} d="${shape}"/>`;
}

function box(
  { id }: Gate,
  { x, y }: Corner,
  { about, tone, isCritical }: { readonly about: string; readonly tone: Tone; readonly isCritical: boolean },
): string {
  const name = id.length > MOST_CHARACTERS ? `${id.slice(0, MOST_CHARACTERS - 1)}…` : id;
  const names = isCritical ? `${tone} critical` : tone;
  return [
    `<g><title>${forHtml(about === '' ? id : `${id}: ${about}`)}</title>`,
    `<rect class="${names}" x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text x="${x + 12}" y="${y + 20}">${forHtml(name)}</text>`,
    `<text class="small" x="${x + 12}" y="${y + 36}">${forHtml(about)}</text></g>`,
  ].join('');
}

function isNext({ gates }: CriticalPath, need: string, gate: string): boolean {
  const at = gates.indexOf(gate);
  return at > 0 && gates[at - 1] === need;
}
