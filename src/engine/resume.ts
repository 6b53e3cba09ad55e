import { GatelineError } from '../errors/gateline-error.ts';
import { actorOf } from '../run/records/decisions.ts';
import { stoppedUnits, strategySteps, type Strategy, type StrategyStep } from '../run/plan/strategy.ts';
import { recordDecision, recordRunDecision, type Decider } from './attempt/record-decision.ts';
import { openCall, type Assignment, type Call, type CallOptions } from './call/call.ts';
import { unitsNamed } from '../run/records/named-units.ts';
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
  if (resume?.fork) await requireOrigin(call, resume.fork);
  if (resume?.fresh && call.journal.call.continues) {
    await recordRunDecision(call, { decision: 'close', actor: resume.actor, reason: resume.reason });
    const { listing: _, ...others } = options;
    call = await openCall(ports, assignment, observe, { ...others, fresh: true });
  }
  await pinContracts(call);
  if (assignment.strict && !resume?.fresh) await refuseChanges(call);
  for (const { message } of removedUnits(call)) await observe({ type: 'notice', message: `${message}: ignored` });
  if (resume?.fork) await beginFork(call, resume.fork, resume);
  const forced = await voidForked(call);
  if (resume?.lift) await liftPause(call, resume);
  if (resume !== undefined) {
    const { actor, reason } = resume;
    for (const { unit, decision } of stepsOf(call, resume))
      if (decision !== 'force' || !forced.has(unit.key))
        await recordDecision(call, unit, { decision, actor, reason, fingerprint: null });
  }
  return call;
}

/** The person who paused the run, and why; `undefined`: it is not paused. */
export function pauseOf(call: Pick<Call, 'journal'>): string | undefined {
  const { paused, unread } = call.journal.state().decided;
  if (unread !== undefined) return `held: a decision about it could not be read: ${unread}`;
  return paused && `paused by ${actorOf(paused)}: ${paused.reason}`;
}

/** What continues a run that {@link pauseOf} holds, on a machine. */
export function howToContinue({ journal }: Pick<Call, 'journal'>): string {
  if (journal.state().decided.unread === undefined) return '`gateline resume` continues it';
  return 'repair or remove its record, or `gateline close` ends the run';
}

async function liftPause(call: Call, resume: Resume): Promise<void> {
  const { journal, assignment } = call;
  if (!journal.call.continues) {
    const before = journal.call.runNumber - 1;
    if (before === 0)
      throw new GatelineError('RUN_NOT_OPEN', `nothing to resume: there is no run of ${assignment.subject}`);
    throw new GatelineError('RUN_COMPLETED', `run ${before} of ${assignment.subject} is over`);
  }
  if (journal.state().decided.paused === undefined) return;
  await recordRunDecision(call, { decision: 'resume', actor: resume.actor, reason: resume.reason });
}

function stepsOf(call: Call, { force = [], strategy = 'retry-current', from = [] }: Resume): StrategyStep[] {
  const state = call.journal.state();
  unitsNamed(call.graph, from);
  const aboutFailed = strategy === 'retry-previous' || strategy === 'skip-current';
  if (aboutFailed && stoppedUnits(state).length === 0)
    throw new GatelineError('STRATEGY_NOTHING', `${strategy}: no gate of run ${state.runNumber} has failed`);
  const steps = [
    ...unitsNamed(call.graph, force).map((unit) => ({ unit, decision: 'force' as const })),
    ...strategySteps(strategy, call.graph, state, from),
  ];
  return [...new Map(steps.map((step) => [step.unit.key, step])).values()];
}
