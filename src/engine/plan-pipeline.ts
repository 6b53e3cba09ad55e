import type { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { plannedUnit, type Plan, type PlannedUnit } from '../run/plan/plan.ts';
import type { Unit } from '../run/records/unit.ts';
import type { Assignment, Call, CallOptions } from './call/call.ts';
import { refuseWithoutSubject } from './call/given-subject.ts';
import { dryRunPorts } from './plan/dry-run.ts';
import { planInPlace } from './attempt/place.ts';
import { onlyInBudget, preparedIfAsked } from './plan/may-start.ts';
import { planAhead } from './plan/plan-ahead.ts';
import { planUnit } from './plan/plan-unit.ts';
import type { PreparedUnit } from './plan/prepared-unit.ts';
import type { EnginePorts, Observer } from './ports.ts';
import { recordPlanned } from './attempt/record-planned.ts';
import { howToContinue, openRun, pauseOf, type Resume } from './resume.ts';

/** A plan, and the errors that keep single units from running. */
export interface PlanResult {
  readonly plan: Plan;
  readonly errors: readonly GatelineError[];
}

/**
 * Reports what `runPipeline` would do, and why. Writes nothing and starts nothing.
 * @param observe receives notices
 * @param options how to read the records; a job of a CI run says which run it belongs to
 * @throws GatelineError as {@link openRun}
 */
export async function planPipeline(
  ports: EnginePorts,
  assignment: Assignment,
  options: CallOptions = {},
  resume?: Resume,
  observe: Observer = () => undefined,
): Promise<PlanResult> {
  refuseWithoutSubject(assignment);
  const call = await openRun(dryRunPorts(ports), assignment, observe, resume, options);
  const { units, errors } = await planAll(call, pauseOf(call));
  const { runNumber, runAttempt, continues } = call.journal.call;
  return {
    plan: { pipeline: assignment.pipeline.id, subject: assignment.subject, runNumber, runAttempt, continues, units },
    errors,
  };
}

/**
 * Plans every unit in the order in which a call would start it. The result is in graph order.
 * @param call one with ports for reading only
 * @param pause why the run starts nothing
 */
export async function planAll(
  call: Call,
  pause?: string,
): Promise<{ readonly units: PlannedUnit[]; readonly errors: GatelineError[] }> {
  const found = new Map<UnitKey, PlannedUnit>();
  const errors: GatelineError[] = [];
  const undecided = new Set<UnitKey>();
  const started = new Set<string>();
  for (let rest = [...call.graph.values()]; rest.length > 0;) {
    // A call starts what is ready first. With --max-gates, the order matters.
    const earlier = new Set(found.keys());
    let later: Unit[] = [];
    for (const unit of rest) {
      const isReady = unit.needs.every((key) => earlier.has(key) || (found.has(key) && !undecided.has(key)));
      if (!isReady && pause === undefined) {
        later.push(unit);
        continue;
      }
      const { planned, error } = await planOne(call, unit, pause, undecided, started);
      if (error !== undefined && !errors.includes(error)) errors.push(error);
      if (planned.choice === 'run' || planned.choice === 'wait' || planned.choice === 'depends')
        undecided.add(unit.key);
      if (planned.choice !== 'wait' && undecided.has(unit.key) && unit.gate.run !== undefined)
        started.add(unit.gate.id);
      found.set(unit.key, planned);
      if (!(await call.settleLegs())) continue;
      later = [...call.graph.values()].filter(({ key }) => !found.has(key));
      break;
    }
    rest = later;
  }
  return { units: [...call.graph.keys()].map((key) => found.get(key)!), errors };
}

async function planOne(
  call: Call,
  unit: Unit,
  pause: string | undefined,
  undecided: ReadonlySet<UnitKey>,
  started: ReadonlySet<string>,
): Promise<PreparedUnit> {
  if (pause !== undefined)
    return { planned: plannedUnit(unit, 'blocked', `the run is ${pause}; ${howToContinue(call)}`) };
  const waits = unit.needs.filter((key) => undecided.has(key));
  if (waits.length > 0 && !call.assignment.standIn) return { planned: await planAhead(call, unit, waits, started) };
  const asked = preparedIfAsked(call.assignment, await planUnit(call, unit), started);
  const sound = await planInPlace(call, unit, asked);
  const prepared = await onlyInBudget(call, unit, sound, 'ask');
  // Simulated, so that later units are planned as they would be in a run.
  await recordPlanned(call, unit, prepared);
  return prepared;
}
