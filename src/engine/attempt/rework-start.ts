import { z } from 'zod';
import type { Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { fileChangeSchema, type StartedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { TreeId } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';
import { readJson, keepJson } from '../call/content.ts';
import { handedOnTo, versionFor } from '../plan/current-inputs.ts';
import { sentBackWork, type ReworkFiles } from '../plan/sent-back-work.ts';

/** The tree with which the changes of an attempt are compared, if its work was sent back. */
export interface ReworkStart extends ReworkFiles {
  /** The tree from which it would have started otherwise: it hands on its changes of all iterations. */
  readonly from: TreeId;
}

const changes = z.array(fileChangeSchema).max(10_000);
const startSchema = z.strictObject({ from: z.string(), own: changes, between: changes });

/** From how many bytes such a document is not read. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Where an attempt starts whose work was sent back; `undefined` for any other.
 * @param base the user's version
 */
export async function reworkStart(
  call: Call,
  unit: Unit,
  { rework, base, place }: Pick<StartedRecord, 'rework' | 'base' | 'place'>,
): Promise<ReworkStart | undefined> {
  if (rework === undefined || base === undefined) return undefined;
  const { own, between } = sentBackWork(call, unit) ?? { own: [], between: [] };
  const from = await versionFor(call, unit, base, { files: handedOnTo(call, unit), place });
  return { from, own, between };
}

/** Keeps it for a later step of the same job, which reads neither the event nor records of other gates. */
export async function keepReworkStart({ ports }: Pick<Call, 'ports'>, start: ReworkStart): Promise<Digest> {
  return (await keepJson(ports.store, start as unknown as JsonValue)).digest;
}

/** Reads it back. @throws GatelineError `CONTENT_MISSING` */
export async function readReworkStart({ ports }: Pick<Call, 'ports'>, digest: Digest): Promise<ReworkStart> {
  const value = await readJson(
    ports.store,
    { digest },
    { limit: LIMIT, what: 'where the work that was sent back starts' },
  );
  return startSchema.parse(value);
}
