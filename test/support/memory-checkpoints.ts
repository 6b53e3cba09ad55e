import type { CheckpointSource } from '../../src/engine/ports.ts';
import { RUN_GATE, type EndedRecord, type GatelineRecord } from '../../src/run/records/record.ts';
import { isOutput } from '../../src/store/filesystem/checkpoint-index.ts';
import { createMemoryStore, type MemoryMedium } from '../../src/store/memory/memory-store.ts';

/** Outputs of other subjects by fingerprint, as the index of the file system finds them. */
export function memoryCheckpoints(medium: MemoryMedium): CheckpointSource {
  const store = createMemoryStore(medium);
  return {
    find: async ({ pipeline, subject, gate, leg }, fingerprint) => {
      const isOfUnit = (one: { gate: string; leg: string }): boolean => one.gate === gate && one.leg === leg;
      const others = (await store.subjects(pipeline)).filter((one) => one !== subject);
      const listed = await Promise.all(others.map((one) => store.list(pipeline, one)));
      const found = listed.flatMap(({ records, problems }) => {
        const outputs = records.filter(
          (one): one is EndedRecord =>
            isOutput(one) && isOfUnit(one) && [one.fingerprint, one.rework?.base].includes(fingerprint),
        );
        if (outputs.length === 0) return [];
        const runs = new Set(outputs.map(({ runNumber }) => runNumber));
        // Whether a loop ended well depends on the gates that sent the work back, and on earlier approvals.
        const loops = new Set(outputs.flatMap(({ rework, runNumber }) => (rework ? [runNumber] : [])));
        const isWanted = (one: Pick<GatelineRecord, 'gate' | 'leg' | 'runNumber'>, isDecision: boolean): boolean => {
          if (one.gate === RUN_GATE) return isDecision;
          if (loops.has(one.runNumber) || (isDecision && loops.size > 0)) return true;
          return isOfUnit(one) && (isDecision || runs.has(one.runNumber));
        };
        const listing = {
          records: records.filter((one) => isWanted(one, one.kind === 'decided')),
          problems: problems.filter(({ names }) => names && isWanted(names, names.kind.startsWith('decided'))),
        };
        return [
          {
            listing,
            at: outputs
              .map(({ at }) => at)
              .toSorted()
              .at(-1)!,
          },
        ];
      });
      const newestFirst = found.toSorted((a, b) => (a.at < b.at ? 1 : -1));
      return { listings: newestFirst.map(({ listing }) => listing), notices: [] };
    },
  };
}
