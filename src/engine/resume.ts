import { GatelineError } from '../errors/gateline-error.ts';
import { actorOf, latestPosition } from '../run/records/decisions.ts';
import { stoppedUnits, strategySteps, type Strategy, type StrategyStep } from '../run/plan/strategy.ts';
import { recordDecision, recordRunDecision, type Decider } from './attempt/record-decision.ts';
import { openCall, type Assignment, type Call, type CallOptions } from './call/call.ts';
import { keepHistory, noteRun } from './call/keep-history.ts';
import { unitsNamed } from '../run/records/named-units.ts';
import { comparePositions, RUN_GATE, type Position } from '../run/records/record.ts';
import type { Unit } from '../run/records/unit.ts';
import { beginFork, requireOrigin, voidForked, type ForkOrigin } from './fork.ts';
import { pinContracts } from './plan/pin-contracts.ts';
import { refuseChanges, removedUnits } from './plan/refuse-changes.ts';
import type { EnginePorts, Observer } from './ports.ts';

/** How a call continues a run. Default: gates that failed or changed run, everything else stays. */
export interface Resume extends Decider {
  /** Gates to run again although nothing changed. What depends on them runs again if their exports change. */
  readonly force?: readonly string[];
  /** Default `retry-current`. */
  readonly strategy?: Strategy;
  /** Gates, for `from-checkpoint`. */
  readonly from?: readonly string[];
  /** Close the open run, and begin a new one. */
  readonly fresh?: boolean;
  /** Begin the run as a fork of another one; refuse if there is an open run. */
  readonly fork?: ForkOrigin;
  /** Lift a pause; refuse if there is no open run. */
  readonly lift?: boolean;
}

/**
 * Opens the call that runs or plans a pipeline, and records the decisions of the chosen strategy.
 * @throws GatelineError `RUN_COMPLETED`, `RUN_NOT_OPEN`, `STRATEGY_NOTHING`, `GATE_UNKNOWN`, `DEFINITION_CHANGED`,
 *   `RUN_OPEN`, `RUN_UNKNOWN`, `RECORD_TOO_NEW`
 */
export async function openRun(
  ports: EnginePorts,
  assignment: Assignment,
  observe: Observer,
  resume: Resume | undefined,
  options: CallOptions = {},
): Promise<Call> {
  let call = await openCall(ports, assignment, observe, options);
  if (resume?.lift) requireOpen(call);
  if (resume?.fork) await requireOrigin(call, resume.fork);
  await noteRun(call);
  if (resume?.fresh && call.journal.call.continues) {
    await recordRunDecision(call, { decision: 'close', actor: resume.actor, reason: resume.reason, startsNext: true });
    await keepHistory(call);
    const { listing: _, ...others } = options;
    call = await openCall(ports, assignment, observe, { ...others, fresh: true });
    await noteRun(call);
  }
  await pinContracts(call);
  if (assignment.strict && !resume?.fresh) await refuseChanges(call);
  for (const { message } of removedUnits(call)) await observe({ type: 'notice', message: `${message}: ignored` });
  if (resume?.fork) await beginFork(call, resume.fork, resume);
  const forced = await voidForked(call);
  if (resume?.lift) await liftPause(call, resume);
  if (resume !== undefined) {
    const { actor, reason } = resume;
    const steps = stepsOf(call, resume).filter(({ unit, decision }) => decision !== 'force' || !forced.has(unit.key));
    for (const { unit, ...step } of await dueSteps(call, steps, resume))
      await recordDecision(call, unit, { ...step, actor, reason, fingerprint: null });
  }
  return call;
}

/** The person who paused the run, and why; `undefined`: it is not paused. */
export function pauseOf(call: Pick<Call, 'journal'>): string | undefined {
  const { paused, unread } = call.journal.state().decided;
  if (unread !== undefined) return `held: a decision about it could not be read: ${unread}`;
  return paused && `paused by ${actorOf(paused)}: ${paused.reason}`;
}

/** The command that continues a run that {@link pauseOf} reports as paused, on the user's machine. */
export function howToContinue({ journal }: Pick<Call, 'journal'>): string {
  if (journal.state().decided.unread === undefined) return '`gateline resume` continues it';
  return 'repair or remove its record, or `gateline close` ends the run';
}

/** @throws GatelineError `RUN_NOT_OPEN`, `RUN_COMPLETED` */
function requireOpen({ journal, assignment: { subject } }: Call): void {
  const { continues, runNumber } = journal.call;
  if (continues) return;
  const before = runNumber - 1;
  if (before === 0) throw new GatelineError('RUN_NOT_OPEN', `nothing to resume: there is no run of ${subject}`);
  const ofRun = journal.records().filter((one) => one.runNumber === before && one.gate === RUN_GATE);
  const kinds = new Set(ofRun.map((one) => one.kind === 'decided' && one.decision));
  const how = kinds.has('close') ? 'was closed' : kinds.has('rollback') ? 'was rolled back' : undefined;
  if (how === undefined) throw new GatelineError('RUN_COMPLETED', `run ${before} of ${subject} is over`);
  throw new GatelineError('RUN_COMPLETED', `run ${before} of ${subject} ${how}`, {
    hint: '`gateline run` begins a new run.',
  });
}

async function liftPause(call: Call, resume: Resume): Promise<void> {
  if (call.journal.state().decided.paused === undefined) return;
  await recordRunDecision(call, { decision: 'resume', actor: resume.actor, reason: resume.reason });
}

function stepsOf(call: Call, { force = [], strategy = 'retry-current', from = [] }: Resume): StrategyStep[] {
  const state = call.journal.state();
  unitsNamed(call.graph, from);
  const aboutFailed = strategy === 'retry-previous' || strategy === 'skip-current';
  if (aboutFailed && stoppedUnits(state).length === 0)
    throw new GatelineError('STRATEGY_NOTHING', `${strategy}: no gate of run ${state.runNumber} has failed`);
  const steps: StrategyStep[] = [
    ...unitsNamed(call.graph, force).map((unit) => ({ unit, decision: 'force' as const })),
    ...strategySteps(strategy, call.graph, state, from),
  ];
  return [...new Map(steps.map((step) => [step.unit.key, step])).values()];
}

/**
 * The steps that are not recorded yet. If the same person asked for the same steps with the same reason before, and not
 * all of these gates have ended since, this call continues that one, as after a kill: what has ended stays.
 */
async function dueSteps(call: Call, steps: readonly StrategyStep[], resume: Resume): Promise<readonly StrategyStep[]> {
  const earlier = steps.map((step) => sameBefore(call, step, resume));
  const known = earlier.filter((one) => one !== undefined);
  const latest = latestPosition(known);
  if (latest === undefined || earlier[0] === undefined) return steps;
  const open = steps.map(({ unit }) => !hasEndedSince(call, unit, latest));
  // A call records all its steps before anything starts: what ended since then is of another call.
  const isSame = known.length === steps.length ? open.includes(true) : !open.includes(false);
  if (!isSame) return steps;
  const { from = [], force = [], strategy = '' } = resume;
  const asked = [...from.map((gate) => `--from ${gate}`), ...force.map((gate) => `--force ${gate}`)];
  const which = asked.length > 0 ? asked.join(' ') : `--strategy ${strategy}`;
  const message = `continues the earlier ${which}: what has ended since stays; with another reason, it starts again`;
  await call.observe({ type: 'notice', message });
  return steps.filter(({ unit }, index) => {
    const own = earlier[index];
    return open[index] && (own === undefined || hasEndedSince(call, unit, own));
  });
}

/** The same decision in this run, if it is the last one that says whether the unit runs. */
function sameBefore({ journal, redactor }: Call, { unit, decision }: StrategyStep, by: Decider): Position | undefined {
  const known = journal.archive().decisions.get(unit.key)?.decided ?? [];
  const last = known.findLast((one) => !['approve', 'reject', 'rework'].includes(one.decision));
  const isSame =
    last?.runNumber === journal.call.runNumber &&
    last.decision === decision &&
    last.fingerprint === null &&
    last.actor === by.actor &&
    last.reason === redactor.redactText(by.reason);
  return isSame ? last : undefined;
}

/** Whether the present state of a unit is that of an attempt that ended after a decision. */
function hasEndedSince({ journal }: Call, { key }: Unit, decision: Position): boolean {
  const { status, ended } = journal.state().units.get(key)!;
  return status !== 'lost' && ended !== undefined && comparePositions(ended, decision) > 0;
}
