import { GatelineError } from '../../errors/gateline-error.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import { unitOf, type EndedRecord, type FileChange } from '../../run/records/record.ts';
import { sameFile, type TreeFile } from '../../run/files/tree.ts';
import type { TreeId } from '../../workspace/workspace.ts';
import { attemptsInPlace, type AttemptInPlace } from '../snapshots/attempts-in-place.ts';
import type { Call } from '../call/call.ts';

/**
 * Reads the contract of every gate before anything of this call runs, so that no agent can change the contract that
 * judges it or a later gate. A schema file that is as a gate left it in an earlier call is refused unless it is
 * committed: an agent must not define its own contract. Errors are stored per gate and reported when that gate is
 * planned.
 */
export async function pinContracts(call: Call): Promise<void> {
  for (const gate of call.assignment.pipeline.gates) {
    try {
      await refuseIfLeft(call, gate);
      await call.contracts.load(gate);
    } catch (error) {
      if (!(error instanceof GatelineError)) throw error;
      call.contracts.refuse(gate.id, error);
    }
  }
}

async function refuseIfLeft(call: Call, gate: Gate): Promise<void> {
  const { schema } = gate.contract;
  if (schema === undefined || !('path' in schema)) return;
  const { path } = schema;
  const inPlace = attemptsInPlace(call);
  const changed = inPlace.filter(({ ended }) => ended?.snapshot === undefined || changesOf(ended, path).length > 0);
  if (changed.length === 0) return;
  const { workspace } = call.ports;
  const now = await fileIn(call, (await call.snapshot()).tree, path);
  const committed = await workspace.committed(path);
  if (committed !== undefined && sameFile(committed, now)) return;
  for (const attempt of changed) if (await leftIt(call, attempt, path, now)) throw leftBy(gate, path, attempt);
}

/**
 * Whether the file is as the attempt left it. If its changes are unknown, any version other than the one it found may
 * be the agent's.
 */
async function leftIt(
  call: Call,
  { claim, ended }: AttemptInPlace,
  path: string,
  now: TreeFile | null,
): Promise<boolean> {
  if (ended?.snapshot !== undefined) return changesOf(ended, path).some((one) => sameFile(one.after, now));
  if (claim.base === undefined) return false;
  try {
    return !sameFile(await fileIn(call, claim.base, path), now);
  } catch (error) {
    // The object store was emptied: what the attempt found can no longer be determined.
    if (error instanceof GatelineError && error.code === 'GIT_FAILED') return false;
    throw error;
  }
}

async function fileIn(call: Call, tree: TreeId, path: string): Promise<TreeFile | null> {
  return (await call.ports.workspace.files(tree)).get(path) ?? null;
}

function leftBy(gate: Gate, path: string, { claim, ended }: AttemptInPlace): GatelineError {
  const how =
    ended?.snapshot === undefined
      ? `changed since gate ${unitOf(claim)} began in this folder, and the changes of that attempt are not recorded`
      : `is as gate ${unitOf(claim)} left it`;
  return new GatelineError('SCHEMA_LEFT_BY_GATE', `gate ${gate.id}: output.schema: ${path} ${how}`, {
    place: { file: path },
  });
}

function changesOf({ files, touched }: EndedRecord, path: string): FileChange[] {
  return [...files, ...touched].filter((one) => one.path === path && !sameFile(one.before, one.after));
}
