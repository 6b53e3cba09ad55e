import { GatelineError } from '../../errors/gateline-error.ts';
import type { Plan } from '../../run/plan/plan.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import { unitsOf } from '../../run/records/unit.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { costOf } from '../../run/subjects/cost.ts';
import { knownOf } from '../../run/subjects/known-subject.ts';
import { subjectStates, type KnownSubject, type SubjectState } from '../../run/subjects/subject-states.ts';
import { namedGlobs, openCall } from '../call/call.ts';
import { stateNow } from '../entities/gate-entities.ts';
import { planPipeline } from '../plan-pipeline.ts';
import type { EnginePorts, Observer } from '../ports.ts';
import type { Resume } from '../resume.ts';
import {
  assignmentIn,
  chosenIds,
  completedRun,
  noteHandedOn,
  refuseInPlace,
  useOthers,
  workOn,
  type SetCall,
  type SetOrder,
} from './set-order.ts';

/** The plan for one subject. */
export interface PlannedSubject extends SubjectState {
  /** `undefined`: nothing is to be done, or it cannot be known before other subjects are completed. */
  readonly plan?: Plan;
  readonly graph: UnitGraph;
  /** Errors that keep gates, or the whole subject, from running. */
  readonly errors: readonly GatelineError[];
}

/**
 * Reports what `runSet` would do for each chosen subject, and why. Writes nothing and starts nothing.
 * @throws GatelineError `SET_IN_PLACE`
 */
export async function planSet(
  ports: EnginePorts,
  order: SetOrder,
  resume: Resume | undefined,
  observe: Observer,
): Promise<Map<string, PlannedSubject>> {
  refuseInPlace(order.pipeline);
  const { tree: base, notices } = await ports.workspace.snapshot(namedGlobs(order.pipeline));
  for (const message of notices) await observe({ type: 'notice', message });
  const set: SetCall = { ports, order, base, known: new Map(), handed: new Map() };
  await useOthers(set);
  const planned = new Map<string, Omit<PlannedSubject, keyof SubjectState>>();
  for (const id of chosenIds(order)) {
    const { status } = subjectStates(order.subjects, set.known).get(id)!;
    const found = status === 'ready' ? await planSubject(set, id, resume, observe) : { errors: [] };
    planned.set(id, { graph: unitsOf(order.pipeline), ...found });
  }
  const states = subjectStates(order.subjects, set.known);
  return new Map([...planned].map(([id, found]) => [id, { ...states.get(id)!, ...found }]));
}

async function planSubject(
  set: SetCall,
  id: string,
  resume: Resume | undefined,
  observe: Observer,
): Promise<Pick<PlannedSubject, 'errors' | 'plan'>> {
  try {
    const work = await workOn(set, id);
    const kept = resume === undefined ? await completedRun(work) : undefined;
    if (kept === undefined) return await planPipeline(work.ports, work.assignment, {}, resume, observe);
    noteHandedOn(set, id, kept);
    set.known.set(id, { status: 'completed', reason: `run ${kept.journal.state().runNumber} is up to date` });
    return { errors: [] };
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    set.known.set(id, { status: 'failed', reason: `${error.code}: ${error.message}` });
    return { errors: [error] };
  }
}

/** One subject as its records describe it. */
export interface SubjectRead extends SubjectState {
  readonly run: RunState;
  readonly graph: UnitGraph;
  /** The cost that the agents of the run reported, in US dollars. */
  readonly costUsd: number | undefined;
}

/** Reads the newest runs of the chosen subjects, without looking at files: a completed one may be out of date. */
export async function readSubjects(ports: EnginePorts, order: SetOrder): Promise<Map<string, SubjectRead>> {
  const known = new Map<string, KnownSubject>();
  const runs = new Map<string, Omit<SubjectRead, keyof SubjectState>>();
  for (const [id, subject] of order.subjects) {
    const call = await openCall(ports, assignmentIn(order, subject), () => undefined, { runNumber: 0 });
    const run = await stateNow(call);
    runs.set(id, { run, graph: call.graph, costUsd: costOf(call.journal.records(), run.runNumber) });
    const found = knownOf(run);
    if (found !== undefined) known.set(id, found);
  }
  const states = subjectStates(order.subjects, known);
  return new Map(chosenIds(order).map((id) => [id, { ...states.get(id)!, ...runs.get(id)! }]));
}
