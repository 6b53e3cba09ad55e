import { dirname } from 'node:path';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { combined } from '../../run/files/files.ts';
import { originsOf, type Made } from '../../run/files/undo.ts';
import type { TreeFile } from '../../run/files/tree.ts';
import { unitOf, type StartedRecord } from '../../run/records/record.ts';
import type { PutReason } from '../../run/files/put-reason.ts';
import type { EarlierPut, WantedFile } from '../../workspace/workspace.ts';
import { attemptsInPlace, type AttemptInPlace } from './attempts-in-place.ts';
import type { Assignment, Call } from '../call/call.ts';
import type { EnginePorts } from '../ports.ts';

/** The result of {@link wantedBefore}. */
export interface WantedBefore {
  readonly wanted: readonly WantedFile[];
  /**
   * Paths that changed while the agent of a gate worked by itself in the folder: people work there meanwhile, and
   * it is unknown whose change it is.
   */
  readonly unsure: ReadonlyMap<string, UnitKey>;
  /** How each path was before gates changed it. */
  readonly origins: ReadonlyMap<string, TreeFile | null>;
}

/**
 * The target versions of all paths that gates of the run changed in the user's folder, if only the changes of the given
 * units remain: the versions that these units hand on, or the versions from before.
 * @param saved folder for the copies of replaced files; those of earlier calls are next to it
 */
export async function wantedBefore(call: Call, kept: ReadonlySet<UnitKey>, saved: string): Promise<WantedBefore> {
  const inPlace = (await Promise.all(inPlaceOf(call, kept).map((one) => madeInPlace(call, one)))).flat();
  const made = [...(await applied(call, saved)), ...inPlace];
  const { units } = call.journal.state();
  const keptFiles = [...call.graph.keys()].flatMap((key) =>
    kept.has(key) ? [{ by: key, files: units.get(key)!.ended?.files ?? [] }] : [],
  );
  const handed = new Map(combined(call.graph, keptFiles).files.map(({ path, after }) => [path, after]));
  const origins = originsOf(made).filter(({ path, isUndone }) => !isUndone || handed.has(path));
  const wanted = origins.map(({ path, before, copyFrom, left: over }): WantedFile => {
    const version = handed.get(path);
    const copy = version !== undefined || copyFrom === undefined ? {} : { copyFrom };
    // Listed in any case: a call that completes an interrupted one finds files that are restored already.
    return { path, after: version === undefined ? before : version, over, listUnchanged: true, ...copy };
  });
  const byItself = inPlace.filter(({ claim }) => claim.holder === 'open');
  const unsure = byItself.flatMap(({ claim, changes }) => changes.map(({ path }) => [path, unitOf(claim)] as const));
  return { wanted, unsure: new Map(unsure), origins: new Map(origins.map(({ path, before }) => [path, before])) };
}

/**
 * Why files are written, for the list of what was written.
 * @param to the gate that a rollback goes back to
 */
export function putReason({ journal, ports }: Call, what: PutReason['what'], to?: string): PutReason {
  const { pipeline, subject, runNumber, runAttempt: call } = journal.state();
  return { what, pipeline, subject, file: ports.putLists?.file, runNumber, to, call, at: ports.now().toISOString() };
}

/** Which definition a call is about. */
interface CallAbout {
  readonly assignment: Pick<Assignment, 'pipeline'>;
  readonly ports: Pick<EnginePorts, 'putLists'>;
}

/** Whether a list is about the pipeline of a call: two definitions may give their pipelines the same id. */
export function isOfPipeline({ assignment, ports }: CallAbout, put: PutReason): boolean {
  const isDefault = ports.putLists?.file === undefined;
  return put.pipeline === assignment.pipeline.id && (put.file === undefined) === isDefault;
}

/** Whether a list is about the run of a call. */
export function isOfRun(call: Call, put: PutReason): boolean {
  const { subject, runNumber } = call.journal.state();
  return isOfPipeline(call, put) && put.subject === subject && put.runNumber === runNumber;
}

/** The files that were written to the folder for this run. */
async function applied(call: Call, saved: string): Promise<Made[]> {
  const all = await call.ports.workspace.earlierPuts(dirname(saved));
  return all.filter((put) => isOfRun(call, put)).map(madeByPut);
}

/** The changes of a call that wrote files. */
export function madeByPut({ what, state, at, changes }: EarlierPut): Made {
  const undid = state === 'done' ? 'rollback' : 'begun rollback';
  return { what: what === 'apply' ? 'gates' : undid, at, changes };
}

/** The changes that an attempt made in the folder while it worked there; none, if no record contains them. */
export async function madeInPlace({ ports }: Call, { claim, ended }: AttemptInPlace): Promise<MadeInPlace[]> {
  if (ended?.snapshot === undefined) return [];
  const { from, tree } = ended.snapshot;
  const changes = (await ports.workspace.differences(from, tree)).filter(({ path }) => !path.startsWith('../'));
  return [{ what: 'gates', at: ended.startedAt, changes, claim }];
}

/** Changes of an attempt in the user's folder. */
export interface MadeInPlace extends Made {
  readonly claim: StartedRecord;
}

/** The attempts of the run that worked in the user's folder, without those of kept units. */
export function inPlaceOf(call: Call, kept: ReadonlySet<UnitKey>): AttemptInPlace[] {
  const { runNumber } = call.journal.state();
  return attemptsInPlace(call).filter(({ claim }) => claim.runNumber === runNumber && !kept.has(unitOf(claim)));
}
