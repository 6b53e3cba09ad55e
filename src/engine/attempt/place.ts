import { z } from 'zod';
import type { AttemptDirectory } from '../../agent/attempt-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { refuseLacking } from '../../run/files/tree.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { planUnit } from '../plan/plan-unit.ts';
import type { PreparedUnit } from '../plan/prepared-unit.ts';
import { startFiles } from '../plan/current-inputs.ts';
import { comparePositions, unitOf, type StartedRecord } from '../../run/records/record.ts';
import { ATTEMPT_FILES } from './agent-environment.ts';

const treeId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);
const placeSchema = z.strictObject({
  base: treeId,
  tree: treeId,
  from: treeId,
  place: z.enum(['tree', 'in-place']),
  until: z.string().max(64).optional(),
});

/** Where an attempt works, and on which version of the workspace. */
export type AttemptPlace = z.infer<typeof placeSchema>;

/** At most this many bytes are read back. */
const LIMIT = 64 * 1024;

/** Writes the place into the attempt's directory, for a `complete` in another process. */
export async function writePlace(directory: AttemptDirectory, place: AttemptPlace): Promise<void> {
  await directory.write(ATTEMPT_FILES.place, [JSON.stringify(place)]);
}

/** Reads the place back; `undefined` if the file is missing or was altered. */
export async function readPlace(directory: AttemptDirectory): Promise<AttemptPlace | undefined> {
  const read = await directory.read(ATTEMPT_FILES.place, LIMIT);
  if (read.state !== 'present') return undefined;
  try {
    return placeSchema.parse(JSON.parse(new TextDecoder().decode(read.bytes)));
  } catch {
    // Truncated by a crash, or overwritten by an agent.
    return undefined;
  }
}

/**
 * Determines where a unit's agent works. A CI job's checkout is its own; the user's folder must contain what the
 * request names.
 * @throws GatelineError `IN_PLACE_NEEDS_INPUTS`, `CLAIM_IN_PLACE`, `GATE_NOT_APPLIED`
 */
export async function placeFor(
  call: Call,
  unit: Unit,
  place: AttemptPlace['place'] = unit.gate.workspace,
): Promise<AttemptPlace['place']> {
  if (call.holder === 'job') return 'in-place';
  if (place === 'tree') return place;
  const { key, gate } = unit;
  if (gate.files.length > 0 && gate.inputs === undefined) {
    throw new GatelineError(
      'IN_PLACE_NEEDS_INPUTS',
      `gate ${key} hands on files and declares no inputs: in your folder, the files it writes would be its inputs`,
    );
  }
  await call.ports.workspace.requireFolder();
  await refuseNotApplied(call, unit);
  return place;
}

async function refuseNotApplied(call: Call, unit: Unit): Promise<void> {
  const { tree } = await call.snapshot();
  const handedOn = startFiles(call, unit);
  const folder = await call.ports.workspace.currentFiles(
    tree,
    handedOn.map(({ path }) => path),
  );
  const { key, gate } = unit;
  const inTree =
    gate.run === undefined
      ? `begin it in a work tree of its own: \`gateline begin ${key} --tree\``
      : 'let the gate work in a tree: `workspace: tree` in gateline.yml';
  refuseLacking(folder, handedOn, { key, inTree });
}

/**
 * The plan of a unit that is about to run. In the user's folder the plan uses the folder as it is now, not as it was
 * when the call began. A unit that cannot work there is blocked.
 */
export async function planInPlace(call: Call, unit: Unit, planned: PreparedUnit): Promise<PreparedUnit> {
  if (call.holder === 'job' || planned.planned.choice !== 'run' || unit.gate.workspace !== 'in-place') return planned;
  call.forgetSnapshot();
  const prepared = await planUnit(call, unit);
  if (prepared.planned.choice !== 'run') return prepared;
  try {
    await placeFor(call, unit);
    return prepared;
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    const reason = `${error.code}: ${error.message}`;
    return { planned: { ...prepared.planned, choice: 'blocked', reason }, error };
  }
}

/**
 * Releases the place of an attempt that will not be completed: the user's folder becomes free for others, a work tree
 * is discarded.
 */
export async function giveUpPlace({ ports }: Pick<Call, 'ports'>, started: StartedRecord): Promise<void> {
  if (started.holder === 'open') await ports.workspace.forget(ports.attempts.pathOf(started));
}

/** Does the same for every attempt of a unit that was begun and has not ended. */
export async function giveUpPlaces(call: Call, { key }: Unit): Promise<void> {
  const open = (call.journal.archive().started.get(key) ?? []).filter((started) => !hasEnded(call, started));
  for (const started of open) await giveUpPlace(call, started);
}

/** Releases the place of an attempt that ended with an error, unless it can still be completed. */
export async function giveUpEnded(call: Call, started: StartedRecord): Promise<void> {
  if (hasEnded(call, started)) await giveUpPlace(call, started);
}

function hasEnded({ journal }: Call, started: StartedRecord): boolean {
  const ended = journal.archive().ended.get(unitOf(started)) ?? [];
  return ended.some((one) => comparePositions(one, started) === 0);
}
