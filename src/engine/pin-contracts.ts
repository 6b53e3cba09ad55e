import { GatelineError } from '../errors/gateline-error.ts';
import type { Gate } from '../pipeline/pipeline.ts';
import { comparePositions, unitOf, type EndedRecord, type FileChange } from '../run/record.ts';
import { sameFile } from '../run/tree.ts';
import type { Call } from './call.ts';

/**
 * Reads the contract of every gate before anything of this call runs, so that no agent can change what judges it or
 * a gate after it. A schema that stands as a gate left it in an earlier call is refused, unless it is committed: an
 * agent must not set the bar. Errors stay with their gates; planning them tells.
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
  const changed = leftInPlace(call, path);
  if (changed.length === 0) return;
  const { workspace } = call.ports;
  const now = (await workspace.files((await call.snapshot()).tree)).get(path) ?? null;
  const by = changed.findLast((record) => changesOf(record, path).some((one) => sameFile(one.after, now)));
  if (by === undefined) return;
  const committed = await workspace.committed(path);
  if (committed !== undefined && sameFile(committed, now)) return;
  throw new GatelineError(
    'user',
    'SCHEMA_LEFT_BY_GATE',
    `gate ${gate.id}: output.schema: ${path} stands as gate ${unitOf(by)} left it`,
    {
      hint: 'Restore it, or commit it if this is how it is meant: what an agent wrote does not judge agents.',
      place: { file: path },
    },
  );
}

/** Attempts that changed a path in the user's folder itself. What others changed got there by somebody's decision. */
function leftInPlace({ journal }: Call, path: string): EndedRecord[] {
  const { ended, started } = journal.archive();
  const inPlace = (record: EndedRecord): boolean =>
    started.get(unitOf(record))?.some((claim) => claim.place === 'in-place' && comparePositions(claim, record) === 0) ??
    false;
  return [...ended.values()].flat().filter((record) => changesOf(record, path).length > 0 && inPlace(record));
}

function changesOf({ files, touched }: EndedRecord, path: string): FileChange[] {
  return [...files, ...touched].filter((one) => one.path === path && !sameFile(one.before, one.after));
}
