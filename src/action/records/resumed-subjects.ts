import type { CheckpointSource } from '../../engine/ports.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import type { RecordStore } from '../../store/record-store.ts';

/**
 * Outputs that a resumed run has for subjects other than that of this run, such as those of its base branch. Records of
 * the same subject are part of every listing.
 */
export function resumedSubjects(earlier: Pick<RecordStore, 'subjects' | 'list'>): CheckpointSource {
  return {
    find: async ({ pipeline, subject, gate, leg }, fingerprint) => {
      try {
        const others = (await earlier.subjects(pipeline)).filter((other) => other !== subject);
        const only = (unit: { readonly gate: string; readonly leg: string }): boolean =>
          unit.gate === gate && unit.leg === leg;
        const listings = await Promise.all(others.map((other) => earlier.list(pipeline, other, { only })));
        const isFound = ({ records }: RecordListing): boolean =>
          records.some((record) => record.kind === 'ended' && record.fingerprint === fingerprint);
        return { listings: listings.filter(isFound), notices: [] };
      } catch (error) {
        if (!(error instanceof GatelineError)) throw error;
        return { listings: [], notices: [`Records of the resumed run could not be searched: ${error.message}`] };
      }
    },
  };
}

/** Asks every source. */
export function allSources(sources: readonly CheckpointSource[]): CheckpointSource {
  return {
    find: async (unit, fingerprint) => {
      const found = await Promise.all(sources.map((source) => source.find(unit, fingerprint)));
      return {
        listings: found.flatMap(({ listings }) => listings),
        notices: found.flatMap(({ notices }) => notices),
      };
    },
  };
}
