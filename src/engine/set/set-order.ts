import { GatelineError } from '../../errors/gateline-error.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { chosenOf, type Subject, type SubjectGraph } from '../../pipeline/subjects/subject-set.ts';
import { ancestorsOf } from '../../run/records/unit.ts';
import { filesFor } from '../../run/subjects/handed-on.ts';
import type { KnownSubject } from '../../run/subjects/subject-states.ts';
import type { TreeId } from '../../workspace/workspace.ts';
import { handedOn } from '../apply.ts';
import { openCall, type Assignment, type Call } from '../call/call.ts';
import { copierOf } from '../call/content.ts';
import { dryRunPorts } from '../plan/dry-run.ts';
import { planAll } from '../plan-pipeline.ts';
import type { EnginePorts } from '../ports.ts';

/** One pipeline, and the subjects that it is run for. */
export interface SetOrder {
  readonly pipeline: Pipeline;
  readonly subjects: SubjectGraph;
  /** Ids of the subjects to run. What others completed is used. Default: all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** The assignment for a subject. Default: {@link assignmentFor} without an input. */
  readonly assignmentOf?: (subject: Subject) => Assignment;
  /** Paths that may be delivered besides those that the definition allows. Default: none. */
  readonly allow?: readonly string[];
}

/** The state of a call for a set. */
export interface SetCall {
  readonly ports: EnginePorts;
  readonly order: SetOrder;
  /** The user's version: taken once, for all subjects. */
  readonly base: TreeId;
  readonly known: Map<string, KnownSubject>;
  /** The files that completed subjects hand on, or why they cannot be used. */
  readonly handed: Map<string, HandedOver | GatelineError>;
}

/** The files that a completed subject hands on. */
export interface HandedOver extends Pick<ReturnType<typeof handedOn>, 'files' | 'steps' | 'gates'> {
  readonly runNumber: number;
  /** When its run last changed, ISO 8601. */
  readonly at: string;
}

/** A subject, as the engine is to work on it. */
export interface SubjectWork {
  readonly assignment: Assignment;
  readonly ports: EnginePorts;
}

/** @throws GatelineError `SET_IN_PLACE` */
export function refuseInPlace({ gates }: Pick<Pipeline, 'gates'>): void {
  const gate = gates.find(({ workspace }) => workspace === 'in-place');
  if (gate === undefined) return;
  throw new GatelineError('SET_IN_PLACE', `gate ${gate.id} works in your folder (\`workspace: in-place\`)`);
}

/** The assignment for a subject: its task and metadata override those for all subjects. */
export function assignmentFor(
  { isDefaultSubject: _, ...around }: Omit<Assignment, 'subject'>,
  { id, task, metadata, set }: Subject,
): Assignment {
  return { ...around, subject: id, set, task: task ?? around.task, metadata: { ...around.metadata, ...metadata } };
}

/** The assignment of one subject of an order. */
export function assignmentIn({ pipeline, assignmentOf }: SetOrder, subject: Subject): Assignment {
  const { task, metadata } = pipeline;
  return assignmentOf?.(subject) ?? assignmentFor({ pipeline, task, metadata, input: null }, subject);
}

/** The ids of the subjects that are to be run, in the order of the set. */
export function chosenIds({ subjects, only }: SetOrder): string[] {
  return chosenOf(subjects, only);
}

/**
 * A subject that begins with the user's version and the files of all subjects upstream.
 * @throws GatelineError `FILES_CONFLICT`, `CONTENT_MISSING`
 */
export async function workOn(set: SetCall, id: string): Promise<SubjectWork> {
  const { ports, order } = set;
  const tree = await startOf(set, id);
  const assignment = assignmentIn(order, order.subjects.get(id)!);
  const startVersion: EnginePorts['startVersion'] = () => Promise.resolve({ tree, notices: [] });
  return { assignment, ports: { ...ports, startVersion } };
}

/**
 * The version that a subject begins with: the user's, with the files of all subjects upstream.
 * @throws GatelineError `FILES_CONFLICT`, `CONTENT_MISSING`
 */
export function startOf(set: SetCall, id: string): Promise<TreeId> {
  const { ports, order, base } = set;
  const files = new Map(ancestorsOf(order.subjects, id).map((by) => [by, handedBy(set, by).files]));
  return ports.workspace.build(base, filesFor(order.subjects, id, files), copierOf({ ports }));
}

/** The files that a completed subject hands on. @throws GatelineError `FILES_CONFLICT` if its gates disagree */
export function handedBy({ handed }: Pick<SetCall, 'handed'>, id: string): HandedOver {
  const found = handed.get(id)!;
  if (found instanceof GatelineError) throw found;
  return found;
}

const KEPT: ReadonlySet<string> = new Set(['keep', 'skip']);

/** The newest run of a subject, if it is completed and no gate of it would run again. */
export async function completedRun({ ports, assignment }: SubjectWork): Promise<Call | undefined> {
  const call = await openCall(dryRunPorts(ports), assignment, () => undefined, { runNumber: 0 });
  if (call.journal.state().status !== 'completed') return undefined;
  const { units, errors } = await planAll(call);
  return errors.length === 0 && units.every(({ choice }) => KEPT.has(choice)) ? call : undefined;
}

/** Notes what a completed subject hands on. */
export function noteHandedOn(
  { handed }: SetCall,
  id: string,
  { graph, journal }: Pick<Call, 'graph' | 'journal'>,
): void {
  try {
    const state = journal.state();
    const { files, steps, gates } = handedOn(graph, state, undefined);
    handed.set(id, { files, steps, gates, runNumber: state.runNumber, at: state.updatedAt! });
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    const { code, message } = error;
    handed.set(
      id,
      new GatelineError(code, `subject ${id}: ${message}`, { hint: 'Let one of these gates need the other.' }),
    );
  }
}

/** Why a subject that was not chosen keeps others from starting. */
const NOT_CHOSEN = 'which would have to run first, and was not chosen';

/** Finds out what subjects that were not chosen hand on to those that were. */
export async function useOthers(set: SetCall): Promise<void> {
  const { order, known } = set;
  const chosen = new Set(chosenIds(order));
  const needed = new Set([...chosen].flatMap((id) => ancestorsOf(order.subjects, id)));
  for (const id of order.subjects.keys()) {
    if (chosen.has(id)) continue;
    known.set(id, { status: 'left-out', reason: NOT_CHOSEN });
    const { needs } = order.subjects.get(id)!;
    if (!needed.has(id) || needs.some((need) => known.get(need)?.status !== 'completed')) continue;
    await useOther(set, id);
  }
}

async function useOther(set: SetCall, id: string): Promise<void> {
  try {
    const call = await completedRun(await workOn(set, id));
    if (call === undefined) return;
    set.known.set(id, { status: 'completed', reason: `run ${call.journal.state().runNumber} is completed` });
    noteHandedOn(set, id, call);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    // What does not need it can run all the same.
    set.known.set(id, { status: 'left-out', reason: `which cannot be used: ${error.code}: ${error.message}` });
  }
}
