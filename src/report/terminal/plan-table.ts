import { describeNames, type Difference } from '../../run/plan/difference.ts';
import type { Plan, PlanChoice, PlannedUnit } from '../../run/plan/plan.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import { graphOf, type UnitGraph } from '../../run/records/unit.ts';
import { count, fit, oneLine, pad, plain, widthOf, wrapWords, type Tone } from '../text.ts';
import type { TableOptions } from './status-table.ts';
import { legName } from '../wording.ts';

const TONES: Readonly<Record<PlanChoice, Tone>> = {
  keep: 'good',
  reuse: 'good',
  adopt: 'good',
  run: 'strong',
  'send-back': 'strong',
  wait: 'warning',
  skip: 'warning',
  'not-applicable': 'quiet',
  depends: 'quiet',
  blocked: 'bad',
};

/** The wording of each choice in the heading: `2 to run`. */
const COUNTED: Readonly<Record<PlanChoice, string>> = {
  keep: 'kept',
  reuse: 'reused',
  adopt: 'adopted',
  run: 'to run',
  'send-back': 'to send work back',
  wait: 'to be done by an external agent',
  skip: 'skipped',
  'not-applicable': 'not applicable',
  depends: 'not known yet',
  blocked: 'blocked',
};

/** Maximum number of differences listed for one gate; the rest is counted. */
const SHOWN_DIFFERENCES = 20;
const SHOWN_NOTICES = 10;
const LONGEST_LINE = 400;

/**
 * What a call will do: for each gate its choice and the reason, each difference from the last time on its own line, and
 * notices. Ends with a line break. Safe for terminals and logs.
 */
export function planTable(plan: Plan, graph: UnitGraph, options: Omit<TableOptions, 'now'> = {}): string {
  const paint = options.paint ?? plain;
  const width = options.width === undefined || options.width <= 0 ? LONGEST_LINE : Math.max(options.width, 20);
  const all = graphOf(graph, plan.units);
  const name = (unit: PlannedUnit): string => {
    const known = all.get(unit.key);
    if (known === undefined) return `-  ${oneLine(unit.key)}`;
    return `${known.gate.number}  ${oneLine(unitKey(known.gate.id, legName(known.leg, known.gate.legs)))}`;
  };
  const columns = {
    name: Math.min(46, longest(plan.units.map(name))),
    choice: longest(plan.units.map((unit) => unit.choice)),
  };
  const isTerminal = (options.width ?? 0) > 0;
  const flow = (text: string, room: number, further: string, first = ''): string[] =>
    isTerminal ? wrapWords(fit(text, LONGEST_LINE), room, { first, further, cut: true }) : [fit(first + text, room)];
  const lines = flow(headingOf(plan), width, '  ').map((line) => paint('strong', line));
  for (const unit of plan.units) {
    const start = `${pad(fit(name(unit), columns.name), columns.name)}  `;
    const before = columns.name + columns.choice + 4;
    const reason = oneLine(unit.reason);
    if (width - before < 22) {
      lines.push(fit(start.trimEnd(), width), ...flow(`${unit.choice}: ${reason}`, width, '      ', '    '));
    } else {
      const [first = '', ...further] = flow(reason, width - before, '');
      const gap = first === '' ? '' : `${' '.repeat(columns.choice - unit.choice.length)}  `;
      lines.push(start + paint(TONES[unit.choice], unit.choice) + gap + first);
      lines.push(...further.map((line) => ' '.repeat(before) + line));
    }
    lines.push(...detailsOf(unit).flatMap((line) => flow(line, width, '      ', '    ')));
  }
  return `${lines.join('\n')}\n`;
}

/** One difference: `file src/page.html changed`. */
export function differenceText({ what, name, change }: Difference): string {
  const said = what === name ? `the ${what}` : describeNames(what, oneLine(name));
  return `${said} ${change}`;
}

function headingOf(plan: Plan): string {
  const counts = Map.groupBy(plan.units, (unit) => unit.choice);
  const parts = (Object.keys(COUNTED) as PlanChoice[]).flatMap((choice) => {
    const number = counts.get(choice)?.length ?? 0;
    return number === 0 ? [] : [`${number} ${COUNTED[choice]}`];
  });
  const about = `${oneLine(plan.pipeline)} for ${fit(oneLine(plan.subject), 120)}`;
  const run = plan.continues ? `continues run ${plan.runNumber}` : `starts run ${plan.runNumber}`;
  return `${about}: ${run}. ${parts.length === 0 ? 'No gates' : `${count(plan.units.length, 'gate')}: ${parts.join(', ')}`}.`;
}

function detailsOf(unit: PlannedUnit): string[] {
  // A single difference is what the reason says.
  const found = unit.differences.length > 1 ? unit.differences : [];
  const differences = found.slice(0, SHOWN_DIFFERENCES).map(differenceText);
  const notices = unit.notices.slice(0, SHOWN_NOTICES).map((notice) => `note: ${oneLine(notice)}`);
  return [
    ...differences.map((text) => `- ${text}`),
    ...leftOut(found.length - differences.length, 'difference'),
    ...notices,
    ...leftOut(unit.notices.length - notices.length, 'note'),
  ];
}

function leftOut(number: number, noun: string): string[] {
  return number > 0 ? [`  and ${number} more ${noun}${number === 1 ? '' : 's'}`] : [];
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}
