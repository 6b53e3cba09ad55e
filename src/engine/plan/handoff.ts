import { HANDOFF } from '../../memory/documents.ts';
import { entryId, type MemoryEntry } from '../../memory/entries.ts';
import { learningsIn } from '../../memory/learnings.ts';
import { unitOf, type GatelineRecord, type StartedRecord } from '../../run/records/record.ts';
import { handoffOf, withTasks, type EarlierTask, type Handoff } from '../../run/state/handoff.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { storedRequest } from '../call/content.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * The summary of the run before, for a gate that asks for it: locally the subject's last run before this one, in a CI
 * run the one that it resumes; and of other tasks of the set. `undefined`: the gate does not ask, or there is none.
 */
export async function handoffFor(call: Call, { gate }: Unit): Promise<Handoff | undefined> {
  if (!gate.memory.includes(HANDOFF)) return undefined;
  const current = call.journal.call.runNumber;
  const earlier = call.journal.records().filter(({ runNumber }) => runNumber < current);
  const before = call.holder === 'job' ? call.resumedRun : Math.max(0, ...earlier.map(({ runNumber }) => runNumber));
  const run = await handoffFrom(
    call,
    earlier.filter(({ runNumber }) => runNumber === before),
  );
  return withTasks(run, await earlierTasks(call));
}

/**
 * What is said of other tasks: for all of a run the same as for its first gate that asked, whoever continues the run
 * and whatever other tasks did meanwhile.
 */
async function earlierTasks({ journal, graph, ports, assignment }: Call): Promise<readonly EarlierTask[]> {
  const { runNumber: current } = journal.call;
  const claim = journal.records().find((one): one is StartedRecord => {
    if (one.kind !== 'started' || one.runNumber !== current) return false;
    return graph.get(unitOf(one))?.gate.memory.includes(HANDOFF) === true;
  });
  const request = claim && (await storedRequest({ ports }, claim.request));
  return (request === undefined ? assignment.earlierTasks : request.handoff?.tasks) ?? [];
}

/** The summary of a run. @param records of that run */
export async function handoffFrom(
  call: Pick<Call, 'ports'>,
  records: readonly GatelineRecord[],
): Promise<Handoff | undefined> {
  return handoffOf(records, await learningsOf(call.ports, records));
}

/** Learnings of agents, without duplicates. Learnings that are no longer stored are left out. */
export async function learningsOf(
  { store }: Pick<EnginePorts, 'store'>,
  records: readonly GatelineRecord[],
): Promise<MemoryEntry[]> {
  const found = new Map<string, MemoryEntry>();
  for (const record of records) {
    if (record.kind !== 'ended' || record.learnings === undefined) continue;
    const read = await store.get(record.learnings.digest);
    if (read.state !== 'present') continue;
    for (const one of learningsIn(new TextDecoder().decode(read.value))) found.set(entryId(one), one);
  }
  return [...found.values()];
}
