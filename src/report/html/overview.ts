import { attemptsOf, reusedIn, spansOf, spentOn } from '../../history/attempts.ts';
import { sumOf } from '../../history/amounts.ts';
import type { RunState, RunStatus } from '../../run/state/run-state.ts';
import { amountText } from '../amounts.ts';
import { statusRows } from '../status-rows.ts';
import { count, type Tone } from '../text.ts';
import { durationText, iconOf, toneOf } from '../wording.ts';
import type { ReportContent } from './content.ts';
import { facts, table, time, toned, type Say } from './elements.ts';

const TONES: Readonly<Record<RunStatus, Tone>> = {
  initializing: 'strong',
  executing: 'strong',
  paused: 'warning',
  error: 'bad',
  completed: 'good',
  rollback: 'warning',
};

/** The tone of a run's status. */
export function toneOfRun(status: RunStatus): Tone {
  return TONES[status];
}

/** The outcome of the run, and the gates in a table. */
export function overview({ pipeline, state, records, now }: ReportContent, say: Say, ids: readonly string[]): string {
  const attempts = attemptsOf(records, state);
  const spans = spansOf(attempts, state, now);
  const worked = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const saved = sumOf(reusedIn(state, records).map((one) => one.saved));
  const done = [...state.units.values()].filter((unit) => unit.done).length;
  const about = facts([
    ['Status', toned(TONES[state.status], state.status)],
    ['Pipeline', say(pipeline.id)],
    ['Subject', say(state.subject)],
    ['Task', say(state.task ?? '')],
    ['Run', `${state.runNumber}`],
    ['Gates', `${done} of ${count(state.units.size, 'gate')} done`],
    ['Started', time(state.startedAt)],
    ['Last change', time(state.updatedAt)],
    ['Working time', worked === 0 ? '' : durationText(worked)],
    ['Agents', amountText(spentOn(attempts))],
    ['Saved by reuse', amountText(saved)],
  ]);
  return [about, problems(state, say), gates({ pipeline, state, now }, say, ids)]
    .filter((one) => one !== '')
    .join('\n');
}

function problems(state: RunState, say: Say): string {
  const lines = state.problems.slice(0, 100).map(({ code, message }) => `<li>${say(`${code}: ${message}`)}</li>`);
  return lines.length === 0 ? '' : `<h3>Problems</h3>\n<ul>\n${lines.join('\n')}\n</ul>`;
}

function gates(
  { pipeline, state, now }: Pick<ReportContent, 'pipeline' | 'state' | 'now'>,
  say: Say,
  ids: readonly string[],
): string {
  const rows = statusRows(state, pipeline, now).map((row) => {
    const at = row.key === undefined ? -1 : ids.indexOf(row.key);
    const name = `${row.number === '' ? '' : `${row.number}. `}${say(row.name)}`;
    const linked = at < 0 ? name : `<a href="#gate-${at + 1}">${name}</a>`;
    const status = row.status === undefined ? '' : toned(toneOf(row.status), `${iconOf(row.status)} ${row.status}`);
    return [linked, status, row.how, row.score, row.time, say([row.reason, row.message].filter(Boolean).join(' '))];
  });
  return table('Gates and their status', ['Gate', 'Status', 'How', 'Score', 'Time', 'Reason'], rows);
}

/** Decisions of the run, in the order of their times. */
export function decisions({ state, records }: ReportContent, say: Say): string {
  const rows = records
    .flatMap((record) => (record.kind === 'decided' && record.runNumber === state.runNumber ? [record] : []))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .slice(-500)
    .map(({ at, gate, leg, decision, actor, reason, until }) => [
      time(at),
      gate === '-' ? 'the run' : say(leg === '' ? gate : `${gate}/${leg}`),
      decision,
      say(actor),
      say(reason),
      time(until),
    ]);
  return table('Decisions', ['Time', 'Gate', 'Decision', 'Who', 'Reason', 'Until'], rows);
}
