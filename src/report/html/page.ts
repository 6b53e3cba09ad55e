import { criticalPath } from '../graph/critical-path.ts';
import { graphSvg } from '../graph/graph-svg.ts';
import { durationText } from '../wording.ts';
import { Room } from './bounds.ts';
import type { ReportContent } from './content.ts';
import { sayWith, section, time, wide } from './elements.ts';
import { gateSection } from './gate-section.ts';
import { decisions, overview } from './overview.ts';
import { POLICY, STYLE } from './style.ts';
import { timeline } from './timeline.ts';
import { trends } from './trends.ts';

/** Sections by id, in order. */
const TITLES = {
  overview: 'Overview',
  graph: 'Graph',
  timeline: 'Timeline',
  gates: 'Gates',
  decisions: 'Decisions',
  history: 'History',
} as const;

/**
 * A run as one page of HTML: no script, no network, nothing that agents wrote is more than text. At most 20 MB; what is
 * left out is named with its size, its digest and the command that shows it.
 */
export function htmlReport(content: ReportContent): string {
  const { pipeline, state, now, refresh, history } = content;
  const say = sayWith(content.redact);
  const room = new Room();
  const keys = [...state.units.keys()];
  const bodies = {
    overview: overview(content, say, keys),
    graph: graph(content, say),
    timeline: timeline(content, say),
    gates: '',
    decisions: decisions(content, say),
    history: trends(history, say),
  };
  for (const body of Object.values(bodies)) room.take(body);
  const gates = new Map(pipeline.gates.map((gate) => [gate.id, gate]));
  bodies.gates = [...state.units.values()]
    .map((unit, at) => gateSection(unit, gates.get(unit.gate), content.attempts.get(unit.key) ?? [], { at, say, room }))
    .join('\n');
  const parts = Object.entries(TITLES).filter(([id]) => bodies[id as keyof typeof TITLES] !== '');
  const title = `${say(pipeline.id)}, run ${state.runNumber}: ${state.status}`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    ...(refresh === undefined ? [] : [`<meta http-equiv="refresh" content="${refresh}">`]),
    `<title>${title}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<header><h1>${title}</h1></header>`,
    `<nav aria-label="Sections"><ul>${parts.map(([id, name]) => `<li><a href="#${id}">${name}</a></li>`).join('')}</ul></nav>`,
    '<main>',
    ...parts.map(([id, name]) => section(id, name, bodies[id as keyof typeof TITLES])),
    '</main>',
    `<footer><p class="note">Written ${time(now)}${refresh === undefined ? '' : '; the page loads itself again until the run ends'}.</p></footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function graph({ pipeline, state }: ReportContent, say: (text: string) => string): string {
  const path = criticalPath(pipeline, state);
  const takes = path.milliseconds === undefined ? '' : ` (${durationText(path.milliseconds)})`;
  const critical = `<p>Critical path: ${say(path.gates.join(', '))}${takes}.</p>`;
  return `${wide('Graph', graphSvg(pipeline, state, path, '').trimEnd())}\n${critical}`;
}
