import { dirname } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { sameFile } from '../../run/files/tree.ts';
import { originsOf, type Made } from '../../run/files/undo.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { attemptsInPlace } from './attempts-in-place.ts';
import type { Call } from '../call/call.ts';
import { isOfPipeline, madeByPut, madeInPlace } from './wanted-files.ts';

/** A run of the workspace. */
export interface RunInFolder {
  readonly subject: string;
  readonly runNumber: number;
  /** The definition, if it has no default name: as `--file` names it. */
  readonly file?: string | undefined;
}

/** The command that rolls a run back, whatever subject is the default. `to`: the gate; default: to the start. */
export function rollbackCommand(run: RunInFolder & { readonly to?: string | undefined }): string {
  const { subject, runNumber, file, to } = run;
  const how = to === undefined ? '--all' : `--to ${shellWord(to)}`;
  const where = file === undefined ? '' : ` --file ${shellWord(file)}`;
  return `gateline rollback ${how} --run ${shellWord(`${subject}#${runNumber}`)}${where}`;
}

/**
 * The run, other than the call's, that was the last to change the user's folder, if a file there still is as its gates
 * left it. `undefined`: there is none, or it is not known.
 * @param saved as for `rollback`
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function otherRunInFolder(call: Call, saved: string): Promise<RunInFolder | undefined> {
  const { workspace } = call.ports;
  const { subject, runNumber } = call.journal.state();
  const made = (await madeByRuns(call, saved)).filter((one) => one.subject !== subject || one.runNumber !== runNumber);
  const runs = Map.groupBy(made, (one) => `${one.runNumber} ${one.subject}`);
  const latest = [...runs.values()].toSorted((a, b) => (lastOf(a) < lastOf(b) ? 1 : -1));
  const { tree } = await call.snapshot();
  for (const changes of latest) {
    const origins = originsOf(changes).filter(({ isUndone }) => !isUndone);
    const now = await workspace.currentFiles(
      tree,
      origins.map(({ path }) => path),
    );
    const isThere = origins.some(({ path, before, left }) => {
      const file = now.get(path) ?? null;
      return !sameFile(file, before) && left.some((version) => sameFile(version, file));
    });
    const [first] = changes;
    if (isThere) return { subject: first!.subject, runNumber: first!.runNumber, file: call.ports.putLists?.file };
  }
  return undefined;
}

type MadeByRun = Made & RunInFolder;

/** Everything that runs of the pipeline changed in the folder, as far as it is known. */
async function madeByRuns(call: Call, saved: string): Promise<MadeByRun[]> {
  const { subject } = call.journal.state();
  const all = await call.ports.workspace.earlierPuts(dirname(saved));
  const puts = all.filter((put) => isOfPipeline(call, put));
  const applied = puts.map((put) => ({ ...madeByPut(put), subject: put.subject, runNumber: put.runNumber }));
  const inPlace = await Promise.all(
    attemptsInPlace(call).map(async (one) => {
      const { runNumber } = one.claim;
      return (await madeInPlace(call, one).catch(unlessGone)).map((made) => ({ ...made, subject, runNumber }));
    }),
  );
  return [...applied, ...inPlace.flat()];
}

/** The versions of old runs are not kept for ever. */
function unlessGone(error: unknown): [] {
  if (error instanceof GatelineError && error.code === 'GIT_FAILED') return [];
  throw error;
}

function lastOf(made: readonly Made[]): string {
  return made.reduce((latest, { at }) => (at > latest ? at : latest), '');
}
