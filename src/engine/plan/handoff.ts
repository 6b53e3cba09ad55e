import { HANDOFF } from '../../memory/documents.ts';
import { entryId, type MemoryEntry } from '../../memory/entries.ts';
import { learningsIn } from '../../memory/learnings.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import { handoffOf, type Handoff } from '../../run/state/handoff.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * The summary of the run before, for a gate that asks for it: locally the subject's last run before this one, in a CI
 * run the one that it resumes. `undefined`: the gate does not ask, or there is none.
 */
export async function handoffFor(call: Call, { gate }: Unit): Promise<Handoff | undefined> {
  if (!gate.memory.includes(HANDOFF)) return undefined;
  const current = call.journal.call.runNumber;
  const earlier = call.journal.records().filter(({ runNumber }) => runNumber < current);
  const before = call.holder === 'job' ? call.resumedRun : Math.max(0, ...earlier.map(({ runNumber }) => runNumber));
  return handoffFrom(
    call,
    earlier.filter(({ runNumber }) => runNumber === before),
  );
}

/** The summary of a run. @param records of that run */
export async function handoffFrom(call: Call, records: readonly GatelineRecord[]): Promise<Handoff | undefined> {
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
