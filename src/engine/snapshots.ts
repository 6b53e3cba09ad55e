import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Content } from '../run/records/record.ts';
import { openCall, type Assignment } from './call/call.ts';
import type { EnginePorts } from './ports.ts';
import { databaseOf, firstDatabase, runNamed } from './snapshots/database.ts';

/** The state that a gate left, and the parts of it that can be restored. */
export interface GateSnapshot {
  /** The gate; `undefined`: before the first gate. */
  readonly unit: UnitKey | undefined;
  /**
   * The workspace then, as a tree object. `snapshots: {keep}` may have removed it since.
   * `undefined`: no agent worked for this gate.
   */
  readonly tree: string | undefined;
  /** The database then, and whether that is still kept, unaltered. */
  readonly database: (Content & { readonly kept: boolean }) | undefined;
}

/**
 * The snapshots of a run: before its first gate, and after each gate that is done. Writes nothing.
 * @param runNumber which run; default: the newest
 */
export async function snapshots(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  runNumber = 0,
): Promise<GateSnapshot[]> {
  const whole = { metadata: assignment.pipeline.metadata, input: null, ...assignment };
  const call = await openCall(ports, whole, () => undefined, { runNumber, shows: true });
  const units = [...call.journal.state().units.values()];
  const first = units.flatMap(({ begun }) => begun).find(({ base }) => base !== undefined);
  if (first === undefined) return [];
  const withDatabase = async (content: Content | undefined): Promise<GateSnapshot['database']> =>
    content && { ...content, kept: (await databaseOf(call)?.has(runNamed(call), content)) ?? false };
  const before = { unit: undefined, tree: first.base, database: await withDatabase(firstDatabase(call)) };
  const done = units.filter((unit) => unit.done && unit.ended !== undefined);
  const after = done.map(async ({ key, ended }): Promise<GateSnapshot> => {
    // A reused output comes from another moment: this run has no snapshot of it.
    const own = ended!.how === 'ran' ? ended!.snapshot : undefined;
    return { unit: key, tree: own?.tree, database: await withDatabase(own?.database) };
  });
  return [before, ...(await Promise.all(after))];
}
