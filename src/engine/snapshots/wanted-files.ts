import type { UnitKey } from '../../pipeline/pipeline.ts';
import { filesLeft } from '../../run/files/files.ts';
import { originsOf, type Made } from '../../run/files/undo.ts';
import { comparePositions, type EndedRecord } from '../../run/records/record.ts';
import type { WantedFile } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';

/**
 * What the paths that gates of the run changed in the user's folder should be, once only the given units count: as these
 * hand them on, or as they were before.
 * @param saved folder for the copies of replaced files; those of earlier calls are beside it
 */
export async function wantedBefore(call: Call, kept: ReadonlySet<UnitKey>, saved: string): Promise<WantedFile[]> {
  const made = [...(await applied(call, saved)), ...(await madeInPlace(call, kept))];
  const inOrder = [...call.graph.keys()].filter((key) => kept.has(key));
  const handed = new Map(
    filesLeft(call.graph, call.journal.state(), inOrder).files.map(({ path, after }) => [path, after]),
  );
  const origins = originsOf(made).filter(({ path, isUndone }) => !isUndone || handed.has(path));
  return origins.map(({ path, before, copyFrom, left: over }) => {
    const version = handed.get(path);
    const copy = version !== undefined || copyFrom === undefined ? {} : { copyFrom };
    // Listed in any case: a call that completes an interrupted one finds files that are restored already.
    return { path, after: version === undefined ? before : version, over, listUnchanged: true, ...copy };
  });
}

/** What was put into the folder for this run. */
async function applied({ journal, ports }: Call, saved: string): Promise<Made[]> {
  const { pipeline, subject, runNumber } = journal.state();
  const all = await ports.workspace.earlierPuts(saved);
  return all
    .filter((put) => put.pipeline === pipeline && put.subject === subject && put.runNumber === runNumber)
    .map(({ what, state, at, changes }) => {
      const undid = state === 'done' ? 'rollback' : 'begun rollback';
      return { what: what === 'apply' ? 'gates' : undid, at, changes };
    });
}

/** What attempts of other units changed in the folder while they worked there. */
async function madeInPlace(call: Call, kept: ReadonlySet<UnitKey>): Promise<Made[]> {
  const made = attemptsInPlace(call, kept).map(async ({ startedAt, snapshot }): Promise<Made> => {
    const changes = await call.ports.workspace.differences(snapshot!.from, snapshot!.tree);
    return { what: 'gates', at: startedAt, changes: changes.filter(({ path }) => !path.startsWith('../')) };
  });
  return Promise.all(made);
}

function attemptsInPlace({ journal, graph }: Call, kept: ReadonlySet<UnitKey>): EndedRecord[] {
  const { runNumber } = journal.state();
  const { started, ended } = journal.archive();
  return [...graph.keys()]
    .filter((key) => !kept.has(key))
    .flatMap((key) => {
      const claims = (started.get(key) ?? []).filter((claim) => claim.place === 'in-place');
      return (ended.get(key) ?? []).filter(
        (one) =>
          one.runNumber === runNumber &&
          one.snapshot !== undefined &&
          one.how === 'ran' &&
          claims.some((claim) => comparePositions(claim, one) === 0),
      );
    });
}
