import { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { PlannedUnit } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import type { Unit } from '../run/unit.ts';
import { runAttempts } from './attempt.ts';
import type { Call } from './call.ts';
import { planUnit, type Prepared } from './plan-unit.ts';
import { recordNotApplicable, recordReuse } from './record-reuse.ts';

/** What a call came to. */
export interface Driven {
  readonly state: RunState;
  /** The plan of each unit as it was when it was decided, in that order. */
  readonly planned: readonly PlannedUnit[];
  /** Errors that kept single units from running; the others went on. */
  readonly errors: readonly GatelineError[];
  /** Units whose agent runs by itself and is being waited for. */
  readonly waiting: readonly UnitKey[];
  readonly cancelled: boolean;
}

/**
 * Drives a run on: plans every unit as soon as what it needs is settled, runs what is ready side by side, and
 * ends when nothing can go on. Every unit gets one go in a call.
 */
export async function drive(call: Call, signal: AbortSignal): Promise<Driven> {
  const planned: PlannedUnit[] = [];
  const errors: GatelineError[] = [];
  const open = new Map(call.graph);
  const running = new Map<UnitKey, Promise<void>>();
  const failures: unknown[] = [];
  while (!signal.aborted && failures.length === 0) {
    // Looked at before planning: an attempt that ends meanwhile may have made something ready.
    const idle = running.size === 0;
    const progressed = await startReady(call, open, running, signal, { planned, errors, failures });
    if (running.size > 0) await Promise.race(running.values());
    else if (idle && !progressed) break;
  }
  await Promise.all(running.values());
  if (failures.length > 0) throw failures[0];
  const waiting = planned.filter((one) => one.choice === 'wait').map((one) => one.key);
  return { state: call.journal.state(), planned, errors, waiting, cancelled: signal.aborted };
}

interface Found {
  readonly planned: PlannedUnit[];
  readonly errors: GatelineError[];
  readonly failures: unknown[];
}

/** Plans what can be planned and starts what can be started. True when anything was settled. */
async function startReady(
  call: Call,
  open: Map<UnitKey, Unit>,
  running: Map<UnitKey, Promise<void>>,
  signal: AbortSignal,
  found: Found,
): Promise<boolean> {
  let progressed = false;
  for (const unit of Array.from(open.values())) {
    if (signal.aborted) break;
    if (unit.needs.some((key) => open.has(key) || running.has(key)) || !hasRoom(call, unit, running)) continue;
    const prepared = stoppedBySibling(call, unit, found.planned) ?? onlyIfAsked(call, await planUnit(call, unit));
    open.delete(unit.key);
    progressed = true;
    const { planned } = prepared;
    found.planned.push(planned);
    await call.observe({ type: 'planned', planned });
    if (prepared.error !== undefined) found.errors.push(prepared.error);
    if (planned.choice === 'run') {
      const work = runUnit(call, unit, prepared, signal, found).finally(() => running.delete(unit.key));
      running.set(unit.key, work);
    } else {
      await settle(call, unit, prepared);
    }
  }
  return progressed;
}

async function runUnit(call: Call, unit: Unit, prepared: Prepared, signal: AbortSignal, found: Found): Promise<void> {
  try {
    await runAttempts(call, unit, prepared.work!, signal);
  } catch (error) {
    if (error instanceof GatelineError && error.fault === 'user') found.errors.push(error);
    else found.failures.push(error);
  }
}

async function settle(call: Call, unit: Unit, prepared: Prepared): Promise<void> {
  const { choice } = prepared.planned;
  if (choice === 'reuse') await recordReuse(call, unit, prepared);
  else if (choice === 'not-applicable') await recordNotApplicable(call, unit, prepared);
  else return;
  await call.observe({ type: 'state', state: call.journal.state() });
}

/** With `fail-fast`, a leg that failed in this call keeps its siblings from starting. */
function stoppedBySibling(call: Call, unit: Unit, planned: readonly PlannedUnit[]): Prepared | undefined {
  if (!unit.gate.failFast || unit.leg.id === '') return undefined;
  const states = call.journal.state().units;
  const failed = planned.find(
    (one) => one.gate === unit.gate.id && one.choice === 'run' && states.get(one.key)?.status === 'failed',
  );
  if (failed === undefined) return undefined;
  const reason = `${failed.key} failed, and strategy.fail-fast is on`;
  return {
    planned: {
      key: unit.key,
      gate: unit.gate.id,
      leg: unit.leg.id,
      choice: 'blocked',
      reason,
      fingerprint: undefined,
      from: undefined,
      differences: [],
      notices: [],
    },
  };
}

/** A gate that would run, but that the caller did not ask for, stays as it is. */
function onlyIfAsked(call: Call, prepared: Prepared): Prepared {
  const { only } = call.assignment;
  const { planned } = prepared;
  if (only === undefined || only.has(planned.gate) || (planned.choice !== 'run' && planned.choice !== 'wait')) return prepared;
  return { planned: { ...planned, choice: 'blocked', reason: `not asked for; it would run: ${planned.reason}` } };
}

/**
 * Whether there is room for another attempt. A gate with `files: changed` runs alone: what changed while another
 * one also ran could not be told apart.
 */
function hasRoom(call: Call, unit: Unit, running: ReadonlyMap<UnitKey, unknown>): boolean {
  if (running.size >= call.assignment.pipeline.maxParallel) return false;
  if (running.size === 0) return true;
  if (unit.gate.files === 'changed') return false;
  let siblings = 0;
  for (const key of running.keys()) {
    const other = call.graph.get(key)!;
    if (other.gate.files === 'changed') return false;
    if (other.gate.id === unit.gate.id) siblings += 1;
  }
  return siblings < (unit.gate.legsMaxParallel ?? Infinity);
}
