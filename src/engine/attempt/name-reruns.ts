import { unitOf, type EndedRecord, type FileChange, type StartedRecord } from '../../run/records/record.ts';
import { upstreamFiles } from '../../run/files/files.ts';
import { sameFile } from '../../run/files/tree.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { firstNames } from '../../errors/first-names.ts';

/** Paths that a notice names. */
const NAMED = 5;

/**
 * Names done gates that read files which an agent changed in the user's folder: those files are now the user's version.
 */
export async function nameReruns(call: Call, started: StartedRecord, ended: EndedRecord): Promise<void> {
  const { workspace } = call.ports;
  const paths = [...ended.files, ...ended.touched].map(({ path }) => path);
  for (const unit of call.graph.values()) {
    const { key, gate } = unit;
    if (call.journal.state().units.get(key)?.done !== true || gate.inputs?.length === 0) continue;
    const others = fromOtherGates(call, unit, ended);
    const read = paths.filter((path) => workspace.matches(gate.inputs, path) && !others.has(path));
    if (read.length === 0) continue;
    const message = `${firstNames(read, NAMED)} changed in the folder and ${read.length === 1 ? 'is' : 'are'} among its inputs: the gate will run again${key === unitOf(ended) ? wayOut(started) : ''}`;
    await call.observe({ type: 'notice', unit: key, message, rerun: true });
  }
}

/** Paths that a unit reads as another gate handed them on, whatever the folder has there. */
function fromOtherGates({ graph, journal }: Call, { key }: Unit, ended: EndedRecord): ReadonlySet<string> {
  const own = new Map(ended.files.map(({ path, after }) => [path, after]));
  const isOwn = ({ path, after }: FileChange): boolean => own.has(path) && sameFile(own.get(path)!, after);
  const handedOn = upstreamFiles(graph, journal.state(), key).files;
  return new Set(handedOn.filter((change) => !isOwn(change)).map(({ path }) => path));
}

function wayOut({ holder }: StartedRecord): string {
  const tree = holder === 'open' ? 'begin it with `--tree`' : 'let it work in a tree (`workspace: tree`)';
  return `, because it edits what it reads. To avoid that, ${tree} or leave these paths out of its inputs`;
}
