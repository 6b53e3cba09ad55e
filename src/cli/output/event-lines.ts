import type { EngineEvent } from '../../engine/ports.ts';
import { checkpointMarkdown } from '../../report/markdown/checkpoint.ts';
import { oneLine, type Paint } from '../../report/text.ts';
import { endedAfter } from '../../history/attempts.ts';
import { durationText, scoreText, toneOf, unitCount } from '../../report/wording.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { graphOf, type UnitGraph } from '../../run/records/unit.ts';
import type { Verdict } from '../../verdict/verdict.ts';

/** Characters of an issue in a progress line; `gateline show` shows all of it. */
const LONGEST_ISSUE = 300;

/** Options that show more than the lines of the events. */
export interface LineOptions {
  /** Output lines of agents. */
  readonly agents: boolean;
  /** A checkpoint after each attempt, which says what is wrong and what to do. */
  readonly checkpoints: boolean;
}

type EndedEvent = Extract<EngineEvent, { readonly type: 'ended' }>;

/** One line for an event; `undefined` for events that need none. Never begins with untrusted text. */
export function lineFor(event: EngineEvent, paint: Paint, show: LineOptions): string | undefined {
  switch (event.type) {
    case 'planned': {
      const { key, choice, reason, notices } = event.planned;
      const tone = choice === 'blocked' ? 'bad' : choice === 'run' ? 'strong' : 'quiet';
      const notes = notices.map((notice) => `\n  note: ${oneLine(notice)}`).join('');
      return `${oneLine(key)}: ${paint(tone, choice)}: ${oneLine(reason)}${notes}`;
    }
    case 'started':
      return `${oneLine(event.unit)}: started${event.attempts > 1 ? ` (try ${event.attempt} of at most ${event.attempts})` : ''}`;
    case 'line':
      return show.agents ? `${oneLine(event.unit)} | ${oneLine(event.line)}` : undefined;
    case 'ended':
      return endedLine(event, paint, show.checkpoints);
    case 'notice':
      if (event.isInVerdict && show.checkpoints) return undefined;
      return `note: ${event.unit === undefined ? '' : `${oneLine(event.unit)}: `}${oneLine(event.message)}`;
    case 'state':
      return undefined;
  }
}

function endedLine({ record: ended, unit, retrying }: EndedEvent, paint: Paint, hasCheckpoint: boolean): string {
  const { verdict } = ended;
  const kind = verdict.kind === verdict.status ? '' : ` (${verdict.kind})`;
  const time = durationText(endedAfter(ended));
  const advice =
    verdict.status === 'passed' || hasCheckpoint ? '' : `: ${oneLine(`${firstIssue(verdict)}${verdict.advice}`)}`;
  const facts = [
    `${paint(toneOf(verdict.status), verdict.status)}${kind}`,
    ...(verdict.status === 'failed' ? [] : [`score ${scoreText(verdict.score)}`]),
    ...(time === '' ? [] : [time]),
    ...(verdict.message === undefined ? [] : [`“${oneLine(verdict.message)}”`]),
  ];
  const again = retrying ? `${hasCheckpoint ? '.' : ''} Retrying with this feedback.` : '';
  return `${oneLine(unit)}: ${facts.join(', ')}${advice}${again}`;
}

/** The first issue, for people who read only this line. */
function firstIssue({ issues }: Verdict): string {
  const errors = issues.filter((issue) => issue.severity === 'error');
  const [first] = errors;
  if (first === undefined) return '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${first.message.slice(0, LONGEST_ISSUE).replace(/\.$/, '')}${more}. `;
}

/** Whether a call continues a run or begins one. */
export function openingLine(state: RunState): string {
  const about = `${oneLine(state.pipeline)} for ${oneLine(state.subject)}`;
  const units = [...state.units.values()];
  if (units.every((unit) => unit.attempts === 0 && unit.ended === undefined))
    return `${about}: starting run ${state.runNumber}`;
  const done = units.filter((unit) => unit.done).length;
  return `${about}: continuing run ${state.runNumber}, ${done} of ${unitCount(units)} done`;
}

/** The Markdown checkpoint that the state guide requires in the log after each gate. */
export function checkpointFor(event: EngineEvent, defined: UnitGraph): string | undefined {
  if (event.type !== 'ended') return undefined;
  const graph = graphOf(defined, event.state.units.values());
  const unit = graph.get(event.unit);
  return unit && checkpointMarkdown({ unit, graph, state: event.state });
}
