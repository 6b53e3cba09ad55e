import type { Gate, Leg, Pipeline, UnitKey } from '../pipeline/pipeline.ts';
import { verdictText } from '../verdict/verdict.ts';
import { attemptOf, originOf, type DecidedEntry, type EndedEntry, type ProcessId } from './entry.ts';
import { approvalKey, attemptKey, isGoodEnd, type Attempt, type LogState, type RunState } from './state.ts';
import { MEETS_CONTRACT, STATUS_PHRASES, type RunStatus, type UnitStatus } from './status.ts';
import { NO_LEG, UnitGraph, worksByItself, type Unit } from './units.ts';

/** The status of a unit, and why. */
interface StatusInfo {
  readonly status: UnitStatus;
  /** Later gates may use it: passed, approved, not applicable, skipped, or partial where that is allowed. */
  readonly done: boolean;
  /** Why it has this status: one sentence without a full stop. */
  readonly reason: string;
  /** A decision that the next turn of the unit carries out instead of starting an agent. */
  readonly pendingDecision?: 'skip' | 'adopt';
}

/** The state of a unit, for people. The scheduler never reads it: it looks outputs up. */
export interface UnitState extends StatusInfo {
  readonly unit: Unit;
  readonly needs: readonly UnitKey[];
  /** The attempts of this run, in order. */
  readonly attempts: readonly Attempt[];
  /** The end of the newest attempt that ended. */
  readonly ended?: EndedEntry;
}

/** Whether a process is still alive. */
export type IsAlive = (process: ProcessId) => boolean;

/** The states of the units of a run, in file order. A gate whose legs are not known yet is one unit without a leg. */
export function describeUnits(
  pipeline: Pipeline,
  state: LogState,
  run: RunState | undefined,
  isAlive: IsAlive,
): ReadonlyMap<UnitKey, UnitState> {
  const graph = graphOfRun(pipeline, run);
  const states = new Map<UnitKey, UnitState>();
  const obstacle = costObstacle(pipeline, run);
  const describe = (unit: Unit): UnitState => {
    const known = states.get(unit.key);
    if (known) return known;
    const needs = unit.gate.needs.flatMap((id) => graph.unitsOf(id) ?? []).map(describe);
    const attempts = run?.attempts.get(unit.key) ?? [];
    const ended = attempts.findLast((attempt) => attempt.ended)?.ended;
    const info =
      describeOpen(attempts.at(-1), isAlive) ??
      describeTurn(unit, ended, state) ??
      describeWait(unit, ended, needs, { graph, state, run, obstacle }) ??
      describeEnd(unit, ended!, state, obstacle);
    const unitState = { unit, needs: needs.map(({ unit: { key } }) => key), ...info, attempts, ended };
    states.set(unit.key, unitState);
    return unitState;
  };
  return new Map(graph.units.map((unit) => [unit.key, describe(unit)]));
}

/** The units of a run, with its legs that came from data. */
function graphOfRun(pipeline: Pipeline, run: RunState | undefined): UnitGraph {
  const graph = new UnitGraph(pipeline);
  for (const gate of pipeline.gates)
    if (graph.unitsOf(gate.id) === undefined) graph.setLegs(gate, legsInRun(gate, run));
  return graph;
}

function legsInRun({ id, matrix }: Gate, run: RunState | undefined): readonly Leg[] {
  const source = matrix && 'from' in matrix ? run?.attempts.get(matrix.from.gate)?.at(-1)?.ended : undefined;
  const legs = source?.legs?.[id];
  if (legs !== undefined) return legs;
  const keys = [...(run?.attempts.keys() ?? [])].filter((key) => key.startsWith(`${id}/`));
  // Ids of legs become parts of commands that people copy, so only plain ones are used.
  const ids = keys.map((key) => key.slice(id.length + 1)).filter((leg) => /^[\w.-]{1,80}$/.test(leg));
  if (ids.length > 0) return ids.map((leg) => ({ id: leg, matrix: {} }));
  const isEmpty =
    run?.finalStatus !== undefined || (source !== undefined && isGoodEnd(source) && source.output === undefined);
  return isEmpty ? [] : [NO_LEG];
}

/** The status of a unit whose newest attempt has not ended; undefined: it has. */
function describeOpen(last: Attempt | undefined, isAlive: IsAlive): StatusInfo | undefined {
  if (last?.started === undefined || last.ended !== undefined) return undefined;
  const { process, at } = last.started;
  if (process && !isAlive(process))
    return { status: 'lost', done: false, reason: 'the process that worked on it is gone' };
  const between = process ? '' : ', between begin and complete';
  return { status: 'running', done: false, reason: `an agent works on it since ${at}${between}` };
}

/** The status of a unit whose next turn carries out a decision; undefined: there is none. */
function describeTurn(
  { key }: Unit,
  ended: EndedEntry | undefined,
  { pendingDecisions, forceDecisions }: LogState,
): StatusInfo | undefined {
  const turn = pendingDecisions.get(key);
  const isRefused = turn?.decision === 'adopt' && ended?.how === 'adopted';
  if (turn && !isRefused)
    return {
      ...pendingFor(`${turn.actor} ${turn.decision === 'skip' ? 'skips it' : 'supplied its output'}: ${turn.reason}`),
      pendingDecision: turn.decision,
    };
  // A good end clears a force: one that is still there was decided later.
  const force = forceDecisions.get(key);
  if (force && (ended === undefined || isGoodEnd(ended)))
    return pendingFor(`${force.actor} asked for a new attempt: ${force.reason}`);
  return undefined;
}

interface RunContext {
  readonly graph: UnitGraph;
  readonly state: LogState;
  readonly run: RunState | undefined;
  /** Why no further agent of the run may start. */
  readonly obstacle: string | undefined;
}

/** The status of a unit without a result, and why; undefined: it has one. */
function describeWait(
  { key, gate, leg }: Unit,
  ended: EndedEntry | undefined,
  needs: readonly UnitState[],
  { graph, state, run, obstacle }: RunContext,
): StatusInfo | undefined {
  const rollback = ended && state.rejections.get(attemptKey(attemptOf(ended)));
  const isTakenBack = rollback?.decision === 'rollback';
  const isSentBack = run?.sentBackUnits.has(key) ?? false;
  if (ended && !isTakenBack && !isSentBack) return undefined;

  const stopped = needs.find(({ status, done }) => !done && STOPPED.has(status));
  if (stopped)
    return { status: 'blocked', done: false, reason: `${stopped.unit.key} ${STATUS_PHRASES[stopped.status]}` };
  const siblings = gate.matrix?.failFast ? (graph.unitsOf(gate.id) ?? []) : [];
  const failed = siblings.find((other) => run?.attempts.get(other.key)?.at(-1)?.ended?.verdict.status === 'failed');
  if (failed && failed.key !== key) return { status: 'blocked', done: false, reason: `${failed.key} failed` };
  const open = needs.find(({ done }) => !done);
  if (open) return pendingFor(`it waits for ${open.unit.key}`);
  if (isTakenBack) return pendingFor(rejectionText(rollback));
  if (isSentBack) return pendingFor(run!.notes.get(gate.id)?.rework.reason ?? 'the work was sent back');
  if (gate.matrix && 'from' in gate.matrix && leg.id === '')
    return pendingFor(`its legs come from the output of ${gate.matrix.from.gate}`);
  if (obstacle) return { status: 'paused', done: false, reason: obstacle };
  return pendingFor(worksByItself(gate) ? 'its agent works by itself' : 'it has not run yet');
}

/**
 * Why `max-cost` lets no further agent of a run start; undefined: it does.
 * @param spentUsd cost of jobs that are not in this log. Default: 0
 */
export function costObstacle({ maxCost }: Pipeline, run: RunState | undefined, spentUsd = 0): string | undefined {
  if (maxCost === undefined) return undefined;
  const attempts = run?.finalStatus ? [] : [...(run?.attempts.values() ?? [])].flat();
  const spent = attempts.reduce((sum, { ended }) => sum + (ended?.metrics?.costUsd ?? 0), spentUsd);
  return spent < maxCost ? undefined : `the run has cost $${spent.toFixed(2)}, and \`max-cost\` is $${maxCost}`;
}

/** What helps against {@link costObstacle}. */
export const COST_HINT = 'raise it, or begin another run with `gateline run --new`';

const STOPPED: ReadonlySet<UnitStatus> = new Set<UnitStatus>(['failed', 'partial', 'blocked']);

function pendingFor(reason: string): StatusInfo {
  return { status: 'pending', done: false, reason };
}

/**
 * The status of a unit by the end of its newest attempt.
 * @param obstacle why no further agent of the run may start
 */
function describeEnd({ gate, key }: Unit, ended: EndedEntry, state: LogState, obstacle?: string): StatusInfo {
  const { how, verdict, output, fingerprint, actor, reason } = ended;
  if (how === 'lost')
    return { status: 'lost', done: false, reason: verdict.issues[0]?.message ?? 'nobody ended its attempt' };
  if (ended.part && obstacle) return { status: 'paused', done: false, reason: obstacle };
  if (ended.part) return pendingFor(`attempt ${ended.n} ${verdict.status}, and others are judged together with it`);
  if (how === 'not-applicable') return { status: how, done: true, reason: reason ?? 'its condition is false' };
  if (verdict.status === 'not-applicable') {
    const decision = actor === undefined ? 'it was skipped for these inputs' : `${actor} skipped it: ${reason ?? ''}`;
    return { status: 'skipped', done: true, reason: decision };
  }
  const rejection = state.rejections.get(attemptKey(originOf(ended)));
  if (rejection) return { status: 'failed', done: false, reason: rejectionText(rejection) };
  const approved = approvalText(state, { fingerprint, output });
  if (verdict.status === 'passed') {
    if (gate.approval && !approved)
      return { status: 'paused', done: false, reason: 'a person must approve the output' };
    return { status: 'passed', done: true, reason: approved ?? passedReason(ended, key) };
  }
  if (approved) return { status: 'passed', done: true, reason: approved };
  if (verdict.status === 'failed') return { status: 'failed', done: false, reason: verdictText(verdict) };
  const { partial } = gate.contract;
  return {
    status: partial === 'pause' ? 'paused' : 'partial',
    done: partial === 'continue',
    reason: verdictText(verdict),
  };
}

/** Why an output is never used again. */
export function rejectionText({ decision, actor, reason }: DecidedEntry): string {
  return `${actor} ${decision === 'rollback' ? 'took its work back' : 'rejected the output'}${because(reason)}`;
}

/** A decision by a comment need not have a reason. */
export function because(reason: string): string {
  return reason === '' ? '' : `: ${reason}`;
}

/** Who approved an output, and why; undefined: nobody did. */
export function approvalText(
  { approvals }: LogState,
  { fingerprint, output }: Pick<EndedEntry, 'fingerprint' | 'output'>,
): string | undefined {
  const approval = output && approvals.get(approvalKey(fingerprint, output.digest));
  return approval && `${approval.actor} approved it${because(approval.reason)}`;
}

function passedReason({ how, source, verdict, subject, run, actor, reason }: EndedEntry, key: UnitKey): string {
  if (how === 'adopted') return `${actor ?? 'a person'} supplied the output: ${reason ?? ''}`;
  if (how !== 'used' || source === undefined) return verdict.message || MEETS_CONTRACT;
  const other = [
    source.unit === key ? '' : ` of ${source.unit}`,
    source.run === run && source.subject === subject ? '' : ` of run ${source.run}`,
    source.subject === subject ? '' : ` of ${source.subject}`,
  ].join('');
  return `output of attempt ${source.n}${other}`;
}

export function runStatusOf(run: RunState | undefined, units: readonly UnitState[]): RunStatus {
  if (run === undefined) return 'initializing';
  const has = (...statuses: UnitStatus[]) => units.some(({ status, done }) => !done && statuses.includes(status));
  // An output may be rejected after all gates are done.
  if (run.finalStatus) return run.finalStatus === 'completed' && has('failed') ? 'error' : run.finalStatus;
  if (run.isRolledBack) return 'rollback';
  if (run.paused) return 'paused';
  if (has('running')) return 'executing';
  if (has('failed', 'partial', 'lost')) return 'error';
  if (has('paused')) return 'paused';
  return run.attempts.size === 0 ? 'initializing' : 'executing';
}
