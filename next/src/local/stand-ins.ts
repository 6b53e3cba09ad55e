import type { Order } from '../engine/ports.ts';
import { standInFrom } from '../formats/state-guide/envelope.ts';
import { fileStems, gateFile } from '../formats/state-guide/words.ts';
import type { Folder } from './folder.ts';
import { readPlainFile } from '../store/files/attempts.ts';

const MAX_BYTES = 64 * 1024 ** 2;

/**
 * What may take the place of gates that are not done, for gates with `stand-in` (seed 000, step 0B): their state file,
 * else the caller's input.
 */
export async function findStandIns(
  { stateFolder }: Folder,
  { pipeline, subject, metadata, input }: Order,
): Promise<NonNullable<Order['standIns']>> {
  const replaceable = new Set(pipeline.gates.flatMap(({ standIn, needs }) => (standIn ? needs : [])));
  const standIns = new Map<string, { value: NonNullable<Order['input']>; reason: string }>();
  for (const gate of pipeline.gates) {
    if (!replaceable.has(gate.id)) continue;
    const files = fileStems(metadata, subject).map((stem) =>
      stateFolder.pathOf(gateFile(stem, gate.number, '', 'output.json')),
    );
    const read = await Promise.all(files.map((file) => readPlainFile(file, MAX_BYTES)));
    const bytes = read.flatMap((file) => (file.state === 'present' ? [file.bytes] : []))[0];
    const standIn = standInFrom(bytes, input, { id: gate.id, number: gate.number, metadata });
    if (standIn.choice === 'none') continue;
    const value = standIn.choice === 'file' ? standIn.envelope.output : standIn.output;
    if (value !== null) standIns.set(gate.id, { value, reason: standIn.reason });
  }
  return standIns;
}
