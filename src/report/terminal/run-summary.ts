import { lackingUnit, resultOf, type RunState, type UnitState, type UnitStatus } from '../../run/state/run-state.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { fit, listOf, oneLine } from '../text.ts';
import { budgetStep } from '../wording.ts';
import { unitCount } from '../wording.ts';
import { actorOf } from '../../run/records/decisions.ts';

/** The exact commands that a summary recommends. */
export interface Commands {
  /** Default `gateline run`. */
  readonly run: string;
  /** Default `gateline resume`. */
  readonly resume: string;
  /** Default `gateline status`. */
  readonly status: string;
  /** Default `gateline show <gate>`. */
  readonly show: (key: string) => string;
}

const DEFAULT_COMMANDS: Commands = {
  run: 'gateline run',
  resume: 'gateline resume',
  status: 'gateline status',
  show: (key) => `gateline show ${key}`,
};

/** Maximum columns of a reason quoted in a sentence. */
const LONGEST_REASON = 400;

/**
 * The result of a run and what to do next, one line each, safe for a terminal. A third line reports damaged records.
 * @param reruns done units of which it is known that they will run again
 * @param held why the next step is not shown here: errors above, or agents that run by themselves and are named below
 */
export function runSummaryLines(
  state: RunState,
  commands: Partial<Commands> = {},
  held?: 'by-errors' | 'by-agents',
  reruns: ReadonlySet<UnitKey> = new Set(),
): string[] {
  const say = { ...DEFAULT_COMMANDS, ...commands };
  const lines = held === 'by-errors' && state.status === 'initializing' ? [] : whatHappened(state);
  if (held === 'by-errors') lines.push(`Fix the errors above, then run \`${say.run}\` again.`);
  else if (held === undefined) lines.push(whatNext(state, say, reruns));
  const [problem] = state.problems;
  if (problem !== undefined) {
    const more = state.problems.length > 1 ? ` (${state.problems.length - 1} more: \`${say.status} --json\`)` : '';
    lines.push(`Warning: ${sentence(problem.message)}${more}`);
  }
  return lines;
}

/** The state of a run at a moment in the past, for which there is nothing to do next. @param at ISO 8601 */
export function momentLines(state: RunState, at: string): string[] {
  return [`As of ${at}:`, ...whatHappened(state)];
}

function whatHappened(state: RunState): string[] {
  const about = `${oneLine(state.pipeline)} for ${fit(oneLine(state.subject), 120)}`;
  // Set-up commands may have run for it.
  if (state.status === 'initializing' && state.runNumber > 0 && state.runAttempt > 0)
    return [`Run ${state.runNumber} of ${about}: no gate has started.`];
  if (state.status === 'initializing') return [`There is no run of ${about} yet.`];
  const units = [...state.units.values()];
  const done = units.filter((unit) => unit.done);
  const parts = [`${done.length} of ${unitCount(units)} done${howDone(done)}`, ...troubles(units)];
  const status = `${statusText(state)}. ${parts.join('; ')}.`.replace(/\.\.$/, '.');
  const task = state.task === undefined ? [] : [`Task: ${fit(oneLine(state.task), LONGEST_REASON)}`];
  return [`Run ${state.runNumber} of ${about}${forkText(state)}: ${status}`, ...task, ...pinnedText(state)];
}

/** The run that it is a fork of. */
function forkText({ decided: { forked } }: RunState): string {
  if (forked?.origin === undefined) return '';
  const { subject, runNumber, gate } = forked.origin;
  const at = gate === undefined ? '' : ` at ${oneLine(gate)}`;
  return `, forked from ${fit(oneLine(subject), 120)} run ${runNumber}${at}`;
}

/** Who keeps the run, and why. */
function pinnedText({ decided: { pinned } }: RunState): string[] {
  if (pinned === undefined) return [];
  const reason = fit(oneLine(pinned.reason), LONGEST_REASON).replace(/\.$/, '');
  return [`Its snapshots are kept: pinned by ${fit(oneLine(actorOf(pinned)), 120)}: ${reason}.`];
}

/** The status, and whose decision about the run it is. */
function statusText({ status, decided: { closed, paused } }: RunState): string {
  const by = closed ?? (status === 'paused' ? paused : undefined);
  if (by === undefined) return status;
  const reason = fit(oneLine(by.reason), LONGEST_REASON).replace(/\.$/, '');
  return `${closed === undefined ? 'paused' : 'closed'} by ${fit(oneLine(actorOf(by)), 120)}: ${reason}`;
}

function howDone(done: readonly UnitState[]): string {
  const reused = done.filter((unit) => unit.reused).length;
  const parts = [
    ...(reused > 0 ? [`${reused} reused`] : []),
    ...counted(done, ['partial', 'skipped', 'not-applicable']),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function counted(units: readonly UnitState[], statuses: readonly UnitStatus[]): string[] {
  return statuses.flatMap((status) => {
    const number = units.filter((unit) => unit.status === status).length;
    return number === 0 ? [] : [`${number} ${status}`];
  });
}

/** The first unit of each kind of problem in full, the others by name. */
function troubles(units: readonly UnitState[]): string[] {
  return (['failed', 'lost', 'partial', 'paused', 'blocked', 'running'] as const).flatMap((status) => {
    const found = units.filter(
      (unit) => !unit.done && unit.status === status && (status !== 'blocked' || unit.blockedBy !== undefined),
    );
    const [first, ...others] = found;
    if (first === undefined) return [];
    const also = others.length === 0 ? '' : `; ${status} too: ${listOf(others.map((unit) => oneLine(unit.key)))}`;
    return [`${troubleText(first)}${also}`];
  });
}

function troubleText(unit: UnitState): string {
  const key = oneLine(unit.key);
  const verdict = resultOf(unit)?.verdict;
  const byVerdict = unit.status === 'failed' && unit.decided === undefined && verdict?.status === 'failed';
  const reason = fit(
    withoutStop(oneLine(byVerdict ? (verdict.issues[0]?.message ?? verdict.advice) : unit.reason)),
    LONGEST_REASON,
  );
  const status =
    unit.status === 'paused'
      ? 'waits'
      : unit.status === 'running'
        ? 'is running'
        : unit.status === 'partial' || unit.status === 'blocked'
          ? `is ${unit.status}`
          : unit.status;
  const was = unit.status === 'lost' ? 'was lost' : status;
  return `${key} ${was}${byVerdict ? ` (${verdict.kind})` : ''}${reason === '' ? '' : `: ${reason}`}`;
}

function whatNext(state: RunState, say: Commands, reruns: ReadonlySet<UnitKey>): string {
  const units = [...state.units.values()];
  const kept = units.filter(({ key }) => !reruns.has(key));
  const open = units.filter((unit) => !unit.done);
  const again = `run \`${say.run}\` again`;
  if (state.problems.some(({ code }) => code === 'ROLLBACK_UNFINISHED'))
    return 'A rollback was interrupted: repeat it before anything else.';
  const running = open.filter((unit) => unit.status === 'running');
  const lacking = lackingUnit(state);
  if (state.status === 'initializing' && lacking !== undefined)
    return `${oneLine(lacking.key)}: ${withoutStop(oneLine(lacking.reason))}. Make it valid, then run \`${say.run}\`.`;
  if (state.status === 'initializing' && !units.some(isOverBudget)) return `Run \`${say.run}\` to start.`;
  if (state.status === 'completed')
    return `Everything is done. \`${say.run}\` starts a new run, which reuses every gate whose inputs are unchanged.`;
  if (state.decided.closed !== undefined) return `It was closed. \`${say.run}\` starts a new run.`;
  if (state.status === 'rollback') return `It was rolled back. \`${say.run}\` starts a new run.`;
  if (state.decided.unread !== undefined)
    return 'It is held: a decision about it could not be read. Repair or remove its record, or `gateline close` ends the run.';
  if (state.decided.paused !== undefined) return `\`${say.resume}\` lifts the pause and continues.`;
  if (running.length > 0) return `Wait for it, or check \`${say.status}\`.`;
  const over = units.find(isOverBudget);
  if (over !== undefined && state.status !== 'error') return `${budgetStep(over)}, then ${again}${reusedClause(kept)}.`;
  if (state.status === 'paused') {
    const first = open.find((unit) => unit.status === 'paused');
    const look = first === undefined ? '' : ` \`${say.show(oneLine(first.key))}\` shows the output.`;
    return `It waits for an approval.${look}${reusedNext(kept)}`;
  }
  if (lacking !== undefined) return `Make it valid, then ${again}${reusedClause(kept)}.`;
  if (state.status === 'executing') return `Run \`${say.run}\` to continue${reusedClause(kept)}.`;
  const failed = open.find((unit) => unit.status === 'failed' || unit.status === 'partial');
  if (failed === undefined) return `${capital(again)}${reusedClause(kept)}.`;
  return `Fix it and ${again}${reusedClause(kept)}. \`${say.show(oneLine(failed.key))}\` shows the details.`;
}

function isOverBudget({ blockedBy }: UnitState): boolean {
  return blockedBy === 'budget';
}

function reusedClause(units: readonly UnitState[]): string {
  const done = units.filter((unit) => unit.done && unit.status !== 'not-applicable').map((unit) => oneLine(unit.key));
  return done.length === 0 ? '' : `: ${listOf(done)} will be reused`;
}

function reusedNext(units: readonly UnitState[]): string {
  const clause = reusedClause(units);
  return clause === '' ? '' : ` Finished gates are kept${clause}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

function sentence(text: string): string {
  return `${withoutStop(fit(oneLine(text), LONGEST_REASON))}.`;
}
