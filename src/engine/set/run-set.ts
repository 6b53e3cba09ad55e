import { GatelineError } from '../../errors/gateline-error.ts';
import { createSharedLimit, type SharedLimit } from '../../in-parallel.ts';
import { costOf } from '../../run/subjects/cost.ts';
import { knownOf } from '../../run/subjects/known-subject.ts';
import { startable, subjectStates, type KnownSubject, type SubjectState } from '../../run/subjects/subject-states.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import { namedGlobs, type Call } from '../call/call.ts';
import type { Driven } from '../drive.ts';
import type { EngineEvent, EnginePorts } from '../ports.ts';
import type { Resume } from '../resume.ts';
import { refuseUnfinished } from '../snapshots/unfinished-rollback.ts';
import { cleanUp, driveRun, endKilledCalls, nameEdits } from '../run-pipeline.ts';
import {
  chosenIds,
  completedRun,
  noteHandedOn,
  refuseInPlace,
  useOthers,
  workOn,
  type SetCall,
  type SetOrder,
} from './set-order.ts';

/** Events of a call for a set. */
export type SetEvent =
  /** A subject began, ended, or can start now. Subjects that were not chosen are left out. */
  | { readonly type: 'subjects'; readonly subjects: ReadonlyMap<string, SubjectState> }
  /** The engine reports something. Without a subject: about all of them. */
  | { readonly type: 'engine'; readonly subject?: string; readonly event: EngineEvent };

/** How to run a set. */
export interface SetRunOptions {
  /** Agents at the same time over all subjects, and subjects at the same time. Default 4. */
  readonly maxParallel?: number;
  readonly observe: (event: SetEvent) => void | Promise<void>;
  /** Aborted on Ctrl-C: running agents are ended, their records are written, and nothing new starts. */
  readonly signal: AbortSignal;
  /** How each subject continues. Default: failed gates run again, and a completed subject stays if it is up to date. */
  readonly resume?: Resume | undefined;
}

/** One subject at the end of a call. */
export interface SubjectResult extends SubjectState {
  /** The state of its newest run; `undefined`: this call did not look at it. */
  readonly run?: RunState;
  readonly graph?: UnitGraph;
  /** The cost that the agents of the run reported, in US dollars. */
  readonly costUsd?: number | undefined;
  /** The result of this call for the subject; `undefined` also if its newest run is up to date. */
  readonly driven?: Driven;
  /** The error that prevented the subject from running. */
  readonly error?: GatelineError;
}

/** The result of {@link runSet}. */
export interface SetResult {
  /** The chosen subjects by id, in the order of the set. */
  readonly subjects: ReadonlyMap<string, SubjectResult>;
  readonly cancelled: boolean;
  /** The state of the call, for delivering the files of completed subjects. */
  readonly set: SetCall;
}

/** The default of {@link SetRunOptions.maxParallel}. */
export const DEFAULT_MAX_PARALLEL = 4;

type Found = Omit<SubjectResult, 'status' | 'reason'>;

interface RunningSet extends SetCall {
  readonly options: SetRunOptions;
  readonly limit: SharedLimit;
  readonly results: Map<string, Found>;
  readonly calls: Call[];
  /** How many subjects have ended after something ran: what they had reserved is free. */
  ended: number;
  /** Subjects that may continue when what others have reserved is free, with {@link ended} when they looked. */
  readonly held: Map<string, number>;
}

/**
 * Runs a pipeline for the subjects of a set, each as a run of its own: a subject starts when those that it needs are
 * completed, with the files that those handed on. One that fails blocks only those that need it. A completed subject
 * is left as it is unless a gate of it would run again. The user's folder does not change. The caller holds the
 * workspace's lock.
 * @throws GatelineError `SET_IN_PLACE`, `ROLLBACK_UNFINISHED`; errors of single subjects are in their results
 */
export async function runSet(ports: EnginePorts, order: SetOrder, options: SetRunOptions): Promise<SetResult> {
  const { observe, signal, maxParallel = DEFAULT_MAX_PARALLEL } = options;
  const { pipeline } = order;
  refuseInPlace(pipeline);
  await refuseUnfinished(ports);
  const about = (event: EngineEvent): void | Promise<void> => observe({ type: 'engine', event });
  await endKilledCalls(ports, order, about);
  const { tree: base, notices } = await ports.workspace.snapshot(namedGlobs(pipeline));
  for (const message of notices) await about({ type: 'notice', message });
  const set: RunningSet = {
    ports,
    order,
    options,
    base,
    known: new Map(),
    handed: new Map(),
    results: new Map(),
    calls: [],
    ended: 0,
    held: new Map(),
    limit: createSharedLimit(maxParallel, signal),
  };
  await useOthers(set);
  await runAll(set, maxParallel);
  await nameEdits(ports.workspace, pipeline, base, about);
  for (const call of set.calls) await cleanUp(call);
  const states = statesOf(set);
  const subjects = [...states].map(([id, state]): [string, SubjectResult] => [
    id,
    { ...set.results.get(id), ...state },
  ]);
  return { subjects: new Map(subjects), cancelled: signal.aborted, set };
}

/** Starts subjects as they become ready. */
async function runAll(set: RunningSet, maxParallel: number): Promise<void> {
  const { options, known } = set;
  const running = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  for (;;) {
    for (const [id, seen] of set.held) if (set.ended > seen && set.held.delete(id)) known.delete(id);
    const states = statesOf(set);
    const next = options.signal.aborted || failures.length > 0 ? [] : startable(states, maxParallel - running.size);
    for (const id of next) {
      known.set(id, { status: 'running', reason: '' });
      const work = runSubject(set, id)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(id));
      running.set(id, work);
    }
    // Determined before the observer is awaited: subjects that end meanwhile may make others ready.
    const isIdle = running.size === 0;
    await options.observe({ type: 'subjects', subjects: statesOf(set) });
    if (isIdle) break;
    if (running.size > 0) await Promise.race(running.values());
  }
  if (failures.length > 0) throw failures[0];
}

/** The states of the chosen subjects. */
function statesOf({ order, known }: SetCall): Map<string, SubjectState> {
  const states = subjectStates(order.subjects, known);
  return new Map(chosenIds(order).map((id) => [id, states.get(id)!]));
}

/** Runs one subject to where nothing can continue. An error of its own does not harm the others. */
async function runSubject(set: RunningSet, id: string): Promise<void> {
  const { known, results, held } = set;
  const seen = set.ended;
  try {
    const { status, found } = await driveSubject(set, id);
    const { planned = [] } = found.driven ?? {};
    const isHeld = status.status === 'paused' && heldIn(planned)?.budget?.choice === 'wait';
    const hasRun = !isHeld || planned.some(({ choice }) => choice === 'run');
    if (hasRun) set.ended += 1;
    // Its own end frees nothing for itself.
    if (isHeld) held.set(id, seen + (hasRun ? 1 : 0));
    results.set(id, found);
    known.set(id, status);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    set.ended += 1;
    results.set(id, { error });
    known.set(id, { status: 'failed', reason: `${error.code}: ${error.message}` });
  }
}

async function driveSubject(set: RunningSet, id: string): Promise<{ status: KnownSubject; found: Found }> {
  const { options, limit, calls } = set;
  const { resume, signal } = options;
  const { assignment, ports } = await workOn(set, id);
  const kept = resume === undefined ? await completedRun({ assignment, ports }) : undefined;
  if (kept !== undefined) {
    const state = kept.journal.state();
    noteHandedOn(set, id, kept);
    const status = { status: 'completed', reason: `run ${state.runNumber} is up to date` } as const;
    return { status, found: resultOf(kept) };
  }
  const observe = (event: EngineEvent): void | Promise<void> => options.observe({ type: 'engine', subject: id, event });
  const { call, driven } = await driveRun(ports, assignment, { observe, signal, resume }, limit);
  calls.push(call);
  const status = statusAfter(driven);
  if (status.status === 'completed') noteHandedOn(set, id, call);
  return { status, found: { ...resultOf(call), driven } };
}

function resultOf({ journal, graph }: Call): Pick<Found, 'run' | 'graph' | 'costUsd'> {
  const run = journal.state();
  return { run, graph, costUsd: costOf(journal.records(), run.runNumber) };
}

/** The status of a subject after a call. */
function statusAfter({ state, planned, errors, waiting, cancelled }: Driven): KnownSubject {
  const known = knownOf(state);
  if (known?.status === 'completed') return known;
  if (cancelled) return { status: 'interrupted', reason: 'the next call continues it' };
  const [error] = errors;
  if (error !== undefined) return { status: 'failed', reason: `${error.code}: ${error.message}` };
  if (known !== undefined && known.status !== 'running') return known;
  const held = heldIn(planned);
  if (held !== undefined) return { status: 'paused', reason: `${held.key}: ${held.reason}` };
  if (waiting.length === 0) return { status: 'failed', reason: 'nothing can continue' };
  return { status: 'paused', reason: `waits for \`gateline begin ${waiting[0]} --subject ${state.subject}\`` };
}

/** The gate that the budget holds up. */
function heldIn(planned: Driven['planned']): Driven['planned'][number] | undefined {
  return planned.findLast(({ choice, budget }) => choice === 'blocked' && budget !== undefined);
}
