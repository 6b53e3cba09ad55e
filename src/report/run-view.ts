import { GatelineError } from '../errors.ts';
import type { HistoryEntry } from '../history/history-entry.ts';
import type { JsonObject } from '../json/json.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { AttemptRef, DecidedEntry, Entry } from '../run/entry.ts';
import { figuresOf } from '../run/figures.ts';
import { LogState, type Attempt, type RunState } from '../run/state.ts';
import type { UnitStatus } from '../run/status.ts';
import { describeUnits, runStatusOf, type IsAlive, type UnitState } from '../run/unit-state.ts';
import { countOf } from './amounts.ts';
import { nextStep, unitStep } from './next-step.ts';
import type { AttemptView, DecisionView, GroupView, RunView, UnitView } from './view.ts';

export interface RunViewInput {
  readonly pipeline: Pipeline;
  readonly subject: string;
  readonly metadata: JsonObject;
  readonly target?: string;
  /** The log, or its first entries for an earlier state. */
  readonly entries: readonly Entry[];
  /** Default: the newest. */
  readonly run?: number;
  /** Whether the process of a started attempt still runs. */
  readonly isAlive: IsAlive;
  /** Newest first. */
  readonly history: readonly HistoryEntry[];
  /** The run in a clone, and the path of the clone. */
  readonly clone?: { readonly run: number; readonly path: string };
  /** The output file of an attempt. Default: the variable that names it to the agent. */
  readonly outputPath?: (attempt: AttemptRef) => string;
}

/** At most this many earlier runs in a view. */
const MAX_HISTORY = 10;

/** The view of one run. @throws GatelineError `usage` if the subject has no such run */
export function createRunView(input: RunViewInput): RunView {
  const {
    pipeline,
    subject,
    metadata,
    target,
    entries,
    run,
    clone,
    isAlive,
    history,
    outputPath = () => '$GATELINE_OUTPUT',
  } = input;
  const state = new LogState(
    pipeline,
    subject,
    run === undefined ? entries : entriesUntil(entries, pipeline, subject, run),
  );
  const runState = run === undefined ? state.current : state.runs.find((other) => other.run === run);
  if (run !== undefined && runState === undefined)
    throw new GatelineError('usage', `${subject} has no run ${run} of ${pipeline.id}`, {
      hint: 'Runs that `gateline history` shows without it were removed by `gateline clean`.',
    });
  const states = [...describeUnits(pipeline, state, runState, isAlive).values()];
  const units = states.map((unit) => viewUnit(unit, states, runState, target, outputPath));
  const view: Omit<RunView, 'next'> = {
    format: 'gateline-run/3',
    pipeline: pipeline.id,
    subject,
    target,
    run: runState?.run ?? 0,
    status: runStatusOf(runState, states),
    task: taskOf(runState) ?? pipeline.task,
    metadata,
    started: runState?.started,
    ended: runState?.finalStatus && runState.ended,
    paused: runState?.paused && viewDecision(runState.paused),
    clone: clone?.run === runState?.run ? clone?.path : undefined,
    figures: figuresOf(state, states),
    units,
    groups: pipeline.groups.map((group): GroupView => {
      const members = units.filter(({ gate }) => group.gates.includes(gate));
      return { id: group.id, mode: group.mode, units: members.map(({ key }) => key), status: groupStatus(members) };
    }),
    decisions: (runState?.decisions ?? []).map(viewDecision),
    history: history
      .filter((entry) => entry.pipeline === pipeline.id && !(entry.subject === subject && entry.run === runState?.run))
      .slice(0, MAX_HISTORY),
  };
  const isFollowed = entries.some(
    (entry) => entry.pipeline === pipeline.id && entry.subject === subject && entry.run > view.run,
  );
  const next = isFollowed
    ? { text: 'Another run followed: see it', command: `gateline status${target ?? ''}` }
    : nextStep(view);
  return { ...view, next };
}

/** The entries until the last one of a run, because decisions of later runs must not change its view. */
function entriesUntil(entries: readonly Entry[], { id }: Pipeline, subject: string, run: number): readonly Entry[] {
  const last = entries.findLastIndex(
    (entry) => entry.pipeline === id && entry.subject === subject && entry.run === run,
  );
  return entries.slice(0, last + 1);
}

function taskOf(run: RunState | undefined): string | undefined {
  const attempts = [...(run?.attempts.values() ?? [])].flat();
  return attempts.findLast(({ started }) => started?.task !== undefined)?.started?.task;
}

function viewUnit(
  state: UnitState,
  states: readonly UnitState[],
  run: RunState | undefined,
  target = '',
  outputPath: (attempt: AttemptRef) => string,
): UnitView {
  const { unit, needs, status, done, attempts, ended } = state;
  const { gate, leg, key } = unit;
  const last = attempts.at(-1);
  const { goto = '', maxIterations = 1 } = gate.onFail ?? {};
  const reworks = status === 'failed' || status === 'partial' ? (run?.reworks.get(goto)?.length ?? 0) : 0;
  const limit = countOf(Math.max(reworks, maxIterations - 1), 'time');
  const reason = reworks === 0 ? state.reason : `${state.reason} (sent back ${reworks} of ${limit})`;
  const isReady = status === 'pending' && states.every((other) => other.done || !needs.includes(other.unit.key));
  return {
    key,
    gate: gate.id,
    leg: leg.id,
    number: gate.number,
    agent: gate.agent,
    place: gate.place,
    needs,
    memory: gate.memory,
    status,
    how: ended?.how,
    done,
    reason,
    iteration: (last?.ended ?? last?.started)?.iteration ?? 1,
    loop: gate.onFail,
    threshold: gate.contract.score === undefined ? undefined : gate.contract.threshold,
    verdict: ended?.part ? undefined : ended?.verdict,
    output: ended?.output,
    fingerprint: ended?.fingerprint,
    learnings: ended?.learnings,
    attempts: attempts.map((attempt) => viewAttempt(attempt, status)),
    files: Object.keys(ended?.files ?? {}),
    changes: ended?.changes ?? [],
    undeclared: ended?.undeclared ?? [],
    source: ended?.source,
    next: unitStep(state, isReady, reworks < maxIterations - 1 ? 0 : reworks, target, last && outputPath(last.ref)),
  };
}

function viewAttempt({ ref, started, ended }: Attempt, status: UnitStatus): AttemptView {
  if (ended === undefined) return { n: ref.n, how: status === 'lost' ? 'lost' : 'running', started: started?.at };
  const { how, at, ms, verdict, metrics, exitCode, actor, reason } = ended;
  return { n: ref.n, how, started: started?.at, ended: at, ms, verdict, metrics, exitCode, actor, reason };
}

function viewDecision(entry: DecidedEntry): DecisionView {
  const { decision, actor, reason, at } = entry;
  const unit = 'unit' in entry ? entry.unit : 'gate' in entry ? entry.gate : undefined;
  return { decision, actor, reason, at, unit };
}

/** The status that matters most among those of a group's units. */
export function groupStatus(units: readonly UnitView[]): UnitStatus {
  const order: readonly UnitStatus[] = ['running', 'failed', 'lost', 'partial', 'paused', 'blocked', 'pending'];
  const open = units.filter(({ done }) => !done).map(({ status }) => status);
  const done = units.filter((unit) => unit.done).map(({ status }) => status);
  const first = order.find((status) => open.includes(status));
  return (
    first ??
    (['partial', 'passed', 'skipped', 'not-applicable'] as const).find((status) => done.includes(status)) ??
    'pending'
  );
}
