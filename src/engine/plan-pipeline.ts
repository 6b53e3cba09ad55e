import type { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { dependsOn, plannedUnit, type Plan, type PlannedUnit } from '../run/plan/plan.ts';
import type { Assignment, CallOptions } from './call/call.ts';
import { refuseWithoutSubject } from './call/given-subject.ts';
import { dryRunPorts } from './plan/dry-run.ts';
import { planInPlace } from './attempt/place.ts';
import { planUnit } from './plan/plan-unit.ts';
import type { EnginePorts, Observer } from './ports.ts';
import { recordPlanned } from './attempt/record-planned.ts';
import { openRun, pauseOf, type Resume } from './resume.ts';

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
  const pause = pauseOf(call);
  const units: PlannedUnit[] = [];
  const errors: GatelineError[] = [];
  const undecided = new Set<UnitKey>();
  for (const unit of call.graph.values()) {
    if (pause !== undefined) {
      units.push(plannedUnit(unit, 'blocked', `the run is ${pause}; \`gateline resume\` continues it`));
      continue;
    }
    const waits = unit.needs.filter((key) => undecided.has(key));
    if (waits.length > 0 && !assignment.standIn) {
      undecided.add(unit.key);
      units.push(dependsOn(unit, waits));
      continue;
    }
    const prepared = await planInPlace(call, unit, await planUnit(call, unit));
    const { planned, error } = prepared;
    if (error !== undefined && !errors.includes(error)) errors.push(error);
    // Simulated, so that later units are planned as they would be in a run.
    await recordPlanned(call, unit, prepared);
    if (planned.choice === 'run' || planned.choice === 'wait' || planned.choice === 'depends') undecided.add(unit.key);
    units.push(planned);
  }
  const { runNumber, runAttempt, continues } = call.journal.call;
  return {
    plan: { pipeline: assignment.pipeline.id, subject: assignment.subject, runNumber, runAttempt, continues, units },
    errors,
  };
}
