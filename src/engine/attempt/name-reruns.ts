import type { EndedRecord } from '../../run/records/record.ts';
import type { Call } from '../call/call.ts';
import { firstNames } from '../../errors/first-names.ts';

/** Paths that a notice names. */
const NAMED = 5;

/**
 * Names done gates that read files which an agent changed in the user's folder: those files are now the user's version.
 */
export async function nameReruns(call: Call, { files, touched }: EndedRecord): Promise<void> {
  const { workspace } = call.ports;
  const paths = [...files, ...touched].map(({ path }) => path);
  for (const { key, gate } of call.graph.values()) {
    if (call.journal.state().units.get(key)?.done !== true || gate.inputs?.length === 0) continue;
    const read = paths.filter((path) => workspace.matches(gate.inputs, path));
    if (read.length === 0) continue;
    const message = `${firstNames(read, NAMED)} changed in the folder and ${read.length === 1 ? 'is' : 'are'} among its inputs: the gate will run again`;
    await call.observe({ type: 'notice', unit: key, message });
  }
}
